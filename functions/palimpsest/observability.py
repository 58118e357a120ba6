"""Logs: structured, with ids and sizes, never the text of a query or a record. Metrics: counts, as
log lines in the embedded metric format, with no id as a dimension.
"""

import os

from aws_lambda_powertools import Logger
from aws_lambda_powertools.metrics import MetricUnit, single_metric

logger = Logger(service="palimpsest")


def count(name: str, value: int) -> None:
    """Add to a metric of that name."""
    namespace = os.environ.get("POWERTOOLS_METRICS_NAMESPACE") or "Palimpsest"
    with single_metric(name=name, unit=MetricUnit.Count, value=value, namespace=namespace):
        pass
