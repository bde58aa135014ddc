"""Versions of the ledger's tables, applied in order when a ledger is opened."""
