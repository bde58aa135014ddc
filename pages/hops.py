"""Hops: where a percentile of the end-to-end time goes."""

from budget_model.views import frame, hops

hops.render(frame.begin("Hops"))
