"""A seeded simulator of an LLM service that writes OTLP JSON lines, for the demo to import like any file.

``scenario`` says who calls what and which stories happen; ``traffic`` draws arrivals and ``plans`` what
each request needs; ``replica`` and ``fleet`` serve them in continuous batches; ``timeline`` lays every
moment out in nanoseconds and keeps the true hop times; ``spans`` and ``lines`` write what a collector would.
"""
