"""Use cases; the one place where queries meet the mathematics."""
