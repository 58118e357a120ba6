"""INIT: importing a handler and building its services in a fresh process, against the bare
libraries that it uses: imported, their clients and resolver made, nothing of ours.

Which modules a function may load at all is held by `tests/functional/test_loaded_modules.py`; what
weighs most in an import is told by `heaviest`.
"""

import json
import os
import re
import subprocess
import sys
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from benchmarks.measuring import Figure, interleaved

FUNCTIONS = Path(__file__).resolve().parents[2] / "functions"
TIMED = """
import time; began = time.perf_counter()
{work}
took = 1000 * (time.perf_counter() - began)
import json, sys; print(json.dumps([took, len(sys.modules)]))
"""
CLIENT = (
    "import boto3; from botocore.config import Config; boto3.client('dynamodb', config=Config())"
)
TWO_CLIENTS = f"{CLIENT}; boto3.client('dynamodb', config=Config())"
LOGGER = "from aws_lambda_powertools import Logger; Logger(service='bare')"
RESOLVER = (
    "from aws_lambda_powertools.event_handler import APIGatewayRestResolver; import pydantic;"
    "from aws_lambda_powertools.event_handler.openapi.params import Body;"
    "APIGatewayRestResolver(enable_validation=True)"
)
INDEX = "import apsw, numpy, httpx; httpx.Client(trust_env=False)"
BARE = {
    "authorizer": (CLIENT,),
    "records": (TWO_CLIENTS, LOGGER, RESOLVER),
    "search": (TWO_CLIENTS, LOGGER, RESOLVER, INDEX),
    "projector": (TWO_CLIENTS, LOGGER, INDEX),
}
"""What each function's libraries are, as statements."""

IMPORT_LINE = re.compile(r"import time:\s*(\d+) \|\s*\d+ \|\s*(\S+)")
HEAVIEST = 10


def _process(code: str, folder: Path, *options: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, *options, "-c", code],
        env={
            "PATH": os.environ["PATH"],
            "PYTHONPATH": str(FUNCTIONS),
            "AWS_DEFAULT_REGION": "us-east-1",
            "AWS_LAMBDA_FUNCTION_NAME": "bench",
            "TABLE_NAME": "t",
            "KEYS_TABLE_NAME": "k",
            "INDEX_FOLDER": str(folder),
            "EMBEDDER": "openai",
            "EMBEDDING_URL": "http://127.0.0.1:9/v1",
            "EMBEDDING_MODEL": "m",
        },
        capture_output=True,
        text=True,
        check=True,
    )


def _process_of(work: str, folder: Path) -> Callable[[int], Sequence[float]]:
    """What does `work` in a fresh process: milliseconds, and the number of modules."""

    def timed(_: int) -> Sequence[float]:
        told: list[float] = json.loads(_process(TIMED.format(work=work), folder).stdout)
        return told

    return timed


def heaviest(name: str, folder: Path) -> list[tuple[str, float]]:
    """The packages whose modules took longest to import, in milliseconds of their own code."""
    told = _process(f"import {name}.handler", folder, "-X", "importtime").stderr
    spent: Counter[str] = Counter()
    for microseconds, module in IMPORT_LINE.findall(told):
        spent[module.partition(".")[0]] += int(microseconds)
    return [(package, us / 1000) for package, us in spent.most_common(HEAVIEST)]


def measure(folder: Path, *, rounds: int) -> tuple[list[Figure], dict[str, Any]]:
    """A figure for each function, and what it loads."""
    figures, loads = [], {}
    for name, statements in BARE.items():
        ours, bare = interleaved(
            rounds,
            _process_of(f"import {name}.handler", folder),
            _process_of("\n".join(statements), folder),
            warm_up=1,
        )
        figures.append(Figure(name=f"INIT of {name}", ours=ours[0], bare=bare[0]))
        loads[name] = {
            "modules": int(ours[1][0]),
            "bare_modules": int(bare[1][0]),
            "heaviest_ms": heaviest(name, folder),
        }
    return figures, loads
