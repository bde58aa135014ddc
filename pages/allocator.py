"""Allocator: from an end-to-end target to what each hop may take."""

from budget_model.views import allocator, frame

allocator.render(frame.begin("Allocator"))
