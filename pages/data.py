"""Data: imports, what was refused, and which span went to which hop."""

from budget_model.views import data, frame

data.render(frame.begin("Data", needs_data=False))
