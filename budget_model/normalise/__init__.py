"""Raw records to spans, hops and request facts; pure."""
