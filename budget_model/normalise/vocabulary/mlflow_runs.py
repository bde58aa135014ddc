"""Names under which tools log load tests to MLflow, and the unit each name means.

Names are compared in small letters with every other sign read as ``_``. Sources: AIPerf 0.13
(``src/aiperf/metrics/types``), vLLM's ``bench serve`` and MLflow's own system metrics.
"""

from __future__ import annotations

LABELS: dict[str, tuple[str, ...]] = {
    "model": ("model", "model_name", "model_id", "endpoint_models", "served_model_name", "llm_model"),
    "hardware": (
        *("hardware", "gpu", "gpu_type", "gpu_name", "gpu_model", "accelerator", "accelerator_type"),
        *("instance_type", "device_name"),
    ),
    "workload": ("workload", "workload_name", "use_case", "dataset", "dataset_name"),
    "tenant": ("tenant", "tenant_id"),
    "region": ("region", "cloud_region"),
    "load_test": ("load_test", "load_test_name", "loadtest", "benchmark_id"),
    "stage": ("stage", "load_test_stage", "loadtest_stage"),
    "engine": ("engine", "backend", "server", "inference_engine"),
    "mode": ("timing_mode", "endpoint_type"),
}
"""Label to names of params and tags, in the order in which they are believed."""

SETTINGS: dict[str, tuple[str, ...]] = {
    "token_budget": ("token_budget", "max_num_batched_tokens", "max_batched_tokens", "max_num_tokens"),
    "chunk_size": ("chunk_size", "prefill_chunk_size", "chunked_prefill_size"),
    "batch_size": ("batch_size", "max_batch_size", "max_num_seqs", "max_running_requests"),
    "concurrency": ("concurrency", "loadgen_concurrency", "max_concurrency", "num_users"),
    "request_rate_per_s": ("request_rate", "loadgen_request_rate", "request_rate_per_s"),
    "requests_planned": ("loadgen_request_count", "num_prompts", "num_requests"),
    "tensor_parallel": ("tensor_parallel", "tensor_parallel_size", "tp_size"),
}
"""Setting (tokens, requests, requests a second) to names of params, tags and metrics."""

LATENCIES: dict[str, tuple[str, ...]] = {
    "ttft": ("ttft", "time_to_first_token"),
    "tbt": ("tbt", "time_between_tokens", "itl", "inter_token_latency", "inter_chunk_latency"),
    "tpot": ("tpot", "time_per_output_token"),
    "e2e": ("e2e", "e2el", "e2e_latency", "end_to_end_latency", "request_latency"),
}
"""Latency to what stands before or after a statistic, as in ``p99_ttft_ms`` and ``e2e_p50_s``."""

MS_PER_UNIT: dict[str, float] = {
    **dict.fromkeys(("ms", "msec", "millis", "milliseconds"), 1.0),
    **dict.fromkeys(("s", "sec", "secs", "seconds"), 1000.0),
    **dict.fromkeys(("us", "usec", "microseconds"), 1e-3),
    **dict.fromkeys(("ns", "nanoseconds"), 1e-6),
}
"""What a name may end in to tell its unit; a latency that tells none is not guessed at."""

FIGURES: dict[str, tuple[str, ...]] = {
    "requests_per_s": ("requests_per_s", "requests_per_second", "request_throughput", "rps", "qps"),
    "output_tokens_per_s": (
        *("output_tokens_per_s", "output_tokens_per_second", "output_token_throughput"),
        "output_throughput",
    ),
    "total_tokens_per_s": (
        *("total_tokens_per_s", "total_tokens_per_second", "total_token_throughput", "tokens_per_s"),
        "tokens_per_second",
    ),
    "requests_ok": ("requests_ok", "successful_requests", "completed"),
    "requests_failed": ("requests_failed", "failed_requests", "failed"),
}
"""Figure to names of metrics."""

SHARES: dict[str, tuple[str, ...]] = {
    "gpu_utilisation": ("gpu_utilisation", "gpu_utilization"),
    "kv_cache_usage": ("kv_cache_usage", "gpu_cache_usage"),
}
"""Share of one to what stands before ``PER_SHARE``."""

PER_SHARE: dict[str, float] = {
    **dict.fromkeys(("percent", "percentage", "pct"), 0.01),
    **dict.fromkeys(("share", "ratio", "fraction", "perc"), 1.0),
}
"""How a share's name ends; vLLM's ``perc`` is a share of one. Without an ending it is not guessed at."""

SYSTEM_GPU = r"system_gpu_\d+_utilization_percentage"
"""MLflow's own system metrics, one a GPU; their last values are averaged."""

AIPERF_TAG = "aiperf.version"
"""The tag by which a run of AIPerf is known; its metrics tell no unit, and times are milliseconds."""

AIPERF_LATENCIES: dict[str, str] = {
    "time_to_first_token": "ttft",
    "time_to_first_output_token": "first_answer",
    "inter_chunk_latency": "tbt",
    "inter_token_latency": "tpot",
    "request_latency": "e2e",
}
"""Its ``inter_token_latency`` is a mean of each request, its ``inter_chunk_latency`` the gaps themselves.

The bare name is the mean, ``.p99`` a percentile and ``.count`` how many values are behind them.
"""

AIPERF_FIGURES: dict[str, tuple[str, float]] = {
    "request_throughput": ("requests_per_s", 1.0),
    "output_token_throughput": ("output_tokens_per_s", 1.0),
    "total_token_throughput": ("total_tokens_per_s", 1.0),
    "request_count": ("requests_ok", 1.0),
    "error_request_count": ("requests_failed", 1.0),
    "effective_concurrency": ("concurrency_reached", 1.0),
    "input_sequence_length": ("prompt_tokens_mean", 1.0),
    "output_sequence_length": ("output_tokens_mean", 1.0),
    "benchmark_duration": ("duration_ms", 1000.0),
}
"""Metric of AIPerf to figure, and what it is multiplied with. Throughputs are of ok requests."""

PUBLISHED_TAG = "tailbudget.identity"
"""The tag of runs that this product published itself, which tell nothing new."""
