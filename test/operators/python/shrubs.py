"""An operator: handlers for every stage of a Shrub's life, a child of its own, Events."""

import kopf

import exact

SHRUBS = ("kopf.example.com", "v1", "shrubs")


@kopf.on.startup()
def configure(settings: kopf.OperatorSettings, **_: object) -> None:
    settings.posting.level = 20
    settings.watching.server_timeout = 60


kopf.on.event(*SHRUBS)(exact.begin)


@kopf.on.create(*SHRUBS)
def planted(spec: kopf.Spec, name: str, body: kopf.Body, patch: kopf.Patch, **_: object) -> dict:
    kopf.event(body, type="Normal", reason="Planted", message=f"{name} is {spec['height']} high")
    patch.status["height"] = spec["height"]
    return {"height": spec["height"]}


@kopf.on.create(*SHRUBS, retries=3, backoff=0.1)
def watered(retry: int, **_: object) -> str:
    if retry == 0:
        raise kopf.TemporaryError("no water yet", delay=0.1)
    return f"after {retry}"


@kopf.on.update(*SHRUBS, field="spec.height")
def grown(old: int, new: int, patch: kopf.Patch, **_: object) -> str:
    patch.status["height"] = new
    return f"{old} to {new}"


@kopf.on.field(*SHRUBS, field="metadata.labels.colour")
def painted(old: str | None, new: str | None, **_: object) -> str:
    return f"{old} to {new}"


@kopf.timer(*SHRUBS, interval=0.2, initial_delay=0.2)
def ticked(status: kopf.Status, patch: kopf.Patch, **_: object) -> None:
    if not status.get("ticked"):
        patch.status["ticked"] = True


@kopf.on.delete(*SHRUBS)
def felled(name: str, body: kopf.Body, **_: object) -> None:
    kopf.event(body, type="Normal", reason="Felled", message=f"{name} is gone")
