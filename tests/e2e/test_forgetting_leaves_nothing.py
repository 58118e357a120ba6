"""F1: a secret is planted in every place a client can write it, forgotten, and looked for in every
store, file and log of the running stack."""

import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import boto3
import pytest

from e2e.client import Client
from e2e.index_at_rest import table
from stack import SAVED_WITHIN_S, LocalStack

pytestmark = pytest.mark.stack
PATIENCE_S = 90


def body(word: str) -> dict[str, Any]:
    """A record that says the word in every field that takes it."""
    return {
        "text": f"{word} stands in the text",
        "title": f"{word} title",
        "kind": word,
        "subject": word,
        "predicate": word,
        "aliases": [word],
        "entities": [word],
        "tags": [word],
        "location": word,
        "source": {"uri": f"https://{word}.example", "title": word, "locator": word},
        "metadata": {word: f"{word} value", "list": [word], "broken": f"{word}\0"},
    }


def erased(client: Client, namespace: str, record_id: str) -> dict[str, Any]:
    """The receipt, once it says that nothing is left."""
    end = time.monotonic() + PATIENCE_S
    while True:
        told = client.http.get(f"namespaces/{namespace}/records/{record_id}/receipt")
        receipt: dict[str, Any] = told.raise_for_status().json()
        if receipt["erased"]:
            return receipt
        assert time.monotonic() < end, receipt
        time.sleep(0.5)


def files(folder: Path) -> Iterator[Path]:
    """Every file of the stack but the code it runs."""
    for path in folder.rglob("*"):
        code = {"build", "build-cache"} & set(path.relative_to(folder).parts)
        if path.is_file() and not code and "ministack-lambda" not in str(path):
            yield path


def holders(stack: LocalStack, word: str) -> list[str]:
    """Where the word is found: items of the table, log lines, files."""
    found = [
        f"item {item['sk']['S']}"
        for page in table(stack)
        .get_paginator("scan")
        .paginate(TableName=stack.values["TABLE_NAME"])
        for item in page["Items"]
        if word in str(item)
    ]
    found += [f"log {name}: {line[:200]}" for name, line in log_lines(stack) if word in line]
    needle = word.encode()
    for path in files(stack.folder):
        try:
            if needle in path.read_bytes():
                found.append(f"file {path.relative_to(stack.folder)}")
        except FileNotFoundError:  # the endpoint replaces its files as it saves
            continue
    return found


def log_lines(stack: LocalStack) -> Iterator[tuple[str, str]]:
    """Every line that the functions have logged."""
    values = stack.values
    logs = boto3.client(
        "logs",
        endpoint_url=values["AWS_ENDPOINT_URL"],
        region_name=values["AWS_REGION"],
        aws_access_key_id=values["AWS_ACCESS_KEY_ID"],
        aws_secret_access_key=values["AWS_SECRET_ACCESS_KEY"],
    )
    for group in logs.describe_log_groups()["logGroups"]:
        pages = logs.get_paginator("filter_log_events").paginate(logGroupName=group["logGroupName"])
        for page in pages:
            for event in page["events"]:
                yield group["logGroupName"], event["message"]


def test_f1_nothing_of_a_forgotten_text_is_left_in_any_store_file_or_log(
    client: Client, local_stack: LocalStack
) -> None:
    namespace = client.fresh("secret")
    secret, kept = f"zq{time.time_ns():x}", f"vk{time.time_ns():x}"
    path = f"namespaces/{namespace}/records"
    keyed = {"Idempotency-Key": "k1"}
    first = client.http.post(path, json=body(secret), headers=keyed).raise_for_status().json()
    assert first["warnings"]
    record_id = first["record"]["id"]
    client.wait(namespace)
    client.http.put(
        f"{path}/{record_id}", json={**body(secret), "text": f"{secret} changed"}
    ).raise_for_status()
    client.put(namespace, "twin", f"{kept} stays").raise_for_status()
    client.wait(namespace)
    for mode in ("hybrid", "lexical", "semantic"):
        assert record_id in client.found(namespace, f"{secret} text", mode=mode)
    refused = client.http.put(f"{path}/x", json={"text": secret, secret: secret, "tags": secret})
    assert refused.status_code == 422
    assert holders(local_stack, secret) != []

    client.delete(namespace, record_id).raise_for_status()
    again = client.http.post(path, json=body(secret), headers=keyed)
    assert (again.status_code, again.json()["record"]) == (201, None)
    for mode in ("hybrid", "lexical", "semantic"):
        answer = client.search(namespace, f"{secret} text", mode=mode).json()
        assert secret not in str(answer["hits"])
    assert set(erased(client, namespace, record_id)["found"].values()) == {0}
    end = time.monotonic() + SAVED_WITHIN_S
    while (left := holders(local_stack, secret)) and time.monotonic() < end:
        time.sleep(1)  # the endpoint's files follow its memory within seconds
    assert left == []
    assert any(found.startswith("item R#twin") for found in holders(local_stack, kept))
