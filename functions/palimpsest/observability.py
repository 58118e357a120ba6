"""Logs: structured, with ids and sizes, never the text of a query or a record."""

from aws_lambda_powertools import Logger

logger = Logger(service="palimpsest")
