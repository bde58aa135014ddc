"""Figure builders: results in, Plotly figures out, no page and no clock."""
