"""Measurements beside a well-known alternative, on the same data in the same run."""
