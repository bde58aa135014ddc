"""Options that server and client share: where traces and own records go."""

from __future__ import annotations

import os
from argparse import ArgumentParser, Namespace
from pathlib import Path

from examples.rag_service.tracing import Attributes, Together, Tracing


def add_options(parser: ArgumentParser) -> None:
    """Add them to a command."""
    parser.add_argument(
        "--mlflow", metavar="EXPERIMENT", help="trace with MLflow, to the server of MLFLOW_TRACKING_URI"
    )
    parser.add_argument(
        "--otlp", metavar="TO", help="trace with OpenTelemetry, to http(s)://HOST/v1/traces or a file"
    )
    parser.add_argument("--record", type=Path, metavar="FILE", help="write down the times measured here")


def tracing_of(given: Namespace, resource: Attributes) -> Tracing:
    """The tracing asked for; a library is loaded only when it is chosen."""
    libraries: list[Tracing] = []
    if given.mlflow:
        if not os.environ.get("MLFLOW_TRACKING_URI"):
            raise SystemExit("--mlflow needs MLFLOW_TRACKING_URI, the address of the MLflow server")
        from examples.rag_service.tracing_mlflow import MlflowTracing

        libraries.append(MlflowTracing(given.mlflow, resource))
    if given.otlp:
        from examples.rag_service.tracing_otel import OtelTracing, OtlpFile, otlp_over_http

        is_address = given.otlp.startswith(("http://", "https://"))
        exporter = otlp_over_http(given.otlp) if is_address else OtlpFile(Path(given.otlp))
        libraries.append(OtelTracing(exporter, resource))
    return Together(libraries)
