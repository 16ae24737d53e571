"""kopf: an operator with create, update, field and delete handlers, a timer, its finalizer, its status and annotations, and Events."""

import pathlib
import time
from typing import Callable

from kopf.testing import KopfRunner
from kubernetes import client, config

from answers import answer
from definitions import SHRUBS, define

NAMESPACE = "kopf"
OF_SHRUBS = ("kopf.example.com", "v1", NAMESPACE, "shrubs")
OPERATOR = str(pathlib.Path(__file__).parent / "shrubs.py")


def until(what: str, holds: Callable[[], bool]) -> None:
    """Waits a minute for what the operator does."""
    for _ in range(600):
        if holds():
            return
        time.sleep(0.1)
    raise TimeoutError(f"not within a minute: {what}")


def is_gone(name: str) -> bool:
    try:
        client.CustomObjectsApi().get_namespaced_custom_object(*OF_SHRUBS, name)
    except client.ApiException as error:
        return error.status == 404
    return False


def is_settled(shrub: dict) -> bool:
    """Whether kopf keeps nothing of handlers that are under way."""
    progress = shrub.get("status", {}).get("kopf", {}).get("progress") or {}
    kept = [key for key in shrub["metadata"].get("annotations", {}) if key.startswith("kopf.zalando.org/")]
    return not progress and kept == ["kopf.zalando.org/last-handled-configuration"]


def live() -> dict:
    """What the server has of a Shrub on its way. It is printed later: kopf's runner keeps what is printed meanwhile."""
    seen = {}
    shrubs = client.CustomObjectsApi()

    def status_has(key: str, value: object) -> bool:
        shrub = shrubs.get_namespaced_custom_object(*OF_SHRUBS, "box")
        return shrub.get("status", {}).get(key) == value and is_settled(shrub)

    box = {"apiVersion": "kopf.example.com/v1", "kind": "Shrub", "metadata": {"name": "box"}, "spec": {"height": 1}}
    shrubs.create_namespaced_custom_object(*OF_SHRUBS, box)
    until("the shrub is watered", lambda: status_has("watered", "after 1"))
    until("the timer ticks", lambda: status_has("ticked", True))
    seen["planted"] = shrubs.get_namespaced_custom_object(*OF_SHRUBS, "box")

    shrubs.patch_namespaced_custom_object(*OF_SHRUBS, "box", {"spec": {"height": 2}})
    until("the shrub is grown", lambda: status_has("grown/spec.height", "1 to 2"))
    shrubs.patch_namespaced_custom_object(*OF_SHRUBS, "box", {"metadata": {"labels": {"colour": "green"}}})
    until("the shrub is painted", lambda: status_has("painted/metadata.labels.colour", "None to green"))
    seen["grown and painted"] = shrubs.get_namespaced_custom_object(*OF_SHRUBS, "box")

    shrubs.delete_namespaced_custom_object(*OF_SHRUBS, "box")
    until("the shrub is felled", lambda: is_gone("box"))
    until("the last Event is there", lambda: any(reason == "Felled" for _, reason, _, _ in events()))
    return seen


def events() -> list:
    """What Events say. How often a handler tried, and in which order two of one moment came, is chance."""
    found = client.CoreV1Api().list_namespaced_event(NAMESPACE).items
    told = {(event.type, event.reason, event.message, event.involved_object.name) for event in found}
    return sorted(told)


def main() -> None:
    config.load_kube_config()
    client.CoreV1Api().create_namespace({"metadata": {"name": NAMESPACE}})
    define(SHRUBS)
    with KopfRunner(["run", "--standalone", "--namespace", NAMESPACE, OPERATOR], timeout=120) as runner:
        seen = live()
    for step, shrub in seen.items():
        answer(step, shrub)
    answer("the operator ends", {"code": runner.exit_code, "error": str(runner.exception)})
    answer("events", events())


if __name__ == "__main__":
    main()
