"""The only place that writes: Parquet segments, the ledger, migrations."""
