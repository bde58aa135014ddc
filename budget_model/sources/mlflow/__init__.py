"""Read-only connections to MLflow: its REST API, or the database behind it."""
