"""What the programs of this folder print: a line of JSON for each answer of the server, in the order of the program."""

import json
from typing import Any

from kubernetes import client

_serializer = client.ApiClient(client.Configuration())


def answer(step: str, value: Any) -> None:
    """Prints an answer. Models of the client become the JSON that they were read from."""
    print(json.dumps({"step": step, "answer": _serializer.sanitize_for_serialization(value)}), flush=True)


def refused(step: str, call: Any) -> None:
    """Makes a call that the server has to refuse, and prints the Status that it answers."""
    try:
        call()
    except client.ApiException as error:
        body = error.body.decode() if isinstance(error.body, bytes) else error.body
        status = json.loads(body)
        answer(step, {key: status.get(key) for key in ("code", "reason", "message", "details")})
        return
    raise AssertionError(f"{step}: the server took it")
