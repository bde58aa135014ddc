"""Read only: a filter in, typed results out."""
