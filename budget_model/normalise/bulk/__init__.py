"""Facts of many traces at once: traces of one shape are measured together, column by column."""
