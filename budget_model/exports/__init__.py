"""Figures in the forms other tools accept."""
