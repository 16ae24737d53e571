"""Names what is handled in each request, of kopf and of the kubernetes client, for `kubectl reconcile … -- COMMAND`.

In an operator: `kopf.on.event("shrubs")(exact.begin)`, before all other handlers of the resource.
"""

import contextvars
import os
import uuid

import aiohttp
import kopf
from kubernetes.client import rest

_named = contextvars.ContextVar("reconcile", default=None)


async def begin(body: kopf.Body, **_: object) -> None:
    """Kopf handles each event of an object in the object's own task, and starts with this."""
    meta = body["metadata"]
    which = f"{body['kind']} {meta.get('namespace', '')}/{meta['name']}"
    _named.set(f"object={which}; id={uuid.uuid4().hex}; because={which}@{meta['resourceVersion']}")


def _naming(request):
    def send(self, method, url, headers=None, **options):
        if _named.get() is not None:
            headers = {**(headers or {}), "Reconcile": _named.get()}
        return request(self, method, url, headers=headers, **options)

    return send


if os.environ.get("KUBECTL_RECONCILE_EXACT"):
    aiohttp.ClientSession.request = _naming(aiohttp.ClientSession.request)
    rest.RESTClientObject.request = _naming(rest.RESTClientObject.request)
