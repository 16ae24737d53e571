"""CustomResourceDefinitions, and the wait for them."""

from kubernetes import client, watch

_text = {"type": "string"}
_port = {"type": "integer", "minimum": 1, "maximum": 65535}

GADGETS = {
    "apiVersion": "apiextensions.k8s.io/v1",
    "kind": "CustomResourceDefinition",
    "metadata": {"name": "gadgets.py.example.com"},
    "spec": {
        "group": "py.example.com",
        "scope": "Namespaced",
        "names": {"plural": "gadgets", "singular": "gadget", "kind": "Gadget", "shortNames": ["gg"]},
        "versions": [
            {
                "name": "v1",
                "served": True,
                "storage": True,
                "subresources": {
                    "status": {},
                    "scale": {"specReplicasPath": ".spec.size", "statusReplicasPath": ".status.size"},
                },
                "additionalPrinterColumns": [{"name": "Size", "type": "integer", "jsonPath": ".spec.size"}],
                "schema": {
                    "openAPIV3Schema": {
                        "type": "object",
                        "properties": {
                            "spec": {
                                "type": "object",
                                "required": ["size"],
                                "properties": {
                                    "size": {"type": "integer", "minimum": 0},
                                    "colour": {"type": "string", "default": "grey", "enum": ["grey", "red"]},
                                    "ports": {
                                        "type": "array",
                                        "items": {
                                            "type": "object",
                                            "required": ["port"],
                                            "properties": {"port": _port, "name": _text},
                                        },
                                        "x-kubernetes-list-type": "map",
                                        "x-kubernetes-list-map-keys": ["port"],
                                    },
                                    "tags": {"type": "array", "items": _text, "x-kubernetes-list-type": "set"},
                                },
                                "x-kubernetes-validations": [
                                    {"rule": "self.size < 10", "message": "too large"},
                                    {"rule": "self.size >= oldSelf.size", "message": "gadgets do not shrink"},
                                ],
                            },
                            "status": {
                                "type": "object",
                                "properties": {"size": {"type": "integer"}, "phase": _text},
                            },
                        },
                    }
                },
            }
        ],
    },
}

SHRUBS = {
    "apiVersion": "apiextensions.k8s.io/v1",
    "kind": "CustomResourceDefinition",
    "metadata": {"name": "shrubs.kopf.example.com"},
    "spec": {
        "group": "kopf.example.com",
        "scope": "Namespaced",
        "names": {"plural": "shrubs", "singular": "shrub", "kind": "Shrub"},
        "versions": [
            {
                "name": "v1",
                "served": True,
                "storage": True,
                "subresources": {"status": {}},
                "schema": {
                    "openAPIV3Schema": {
                        "type": "object",
                        "properties": {
                            "spec": {"type": "object", "x-kubernetes-preserve-unknown-fields": True},
                            "status": {"type": "object", "x-kubernetes-preserve-unknown-fields": True},
                        },
                    }
                },
            }
        ],
    },
}


def define(definition: dict) -> client.V1CustomResourceDefinition:
    """Creates a CustomResourceDefinition and answers it as soon as its kind is established."""
    api = client.ApiextensionsV1Api()
    api.create_custom_resource_definition(definition)
    field = f"metadata.name={definition['metadata']['name']}"
    watcher = watch.Watch()
    for event in watcher.stream(api.list_custom_resource_definition, field_selector=field, timeout_seconds=60):
        conditions = event["object"].status.conditions or []
        if any(condition.type == "Established" and condition.status == "True" for condition in conditions):
            watcher.stop()
            return event["object"]
    raise TimeoutError(f"{definition['metadata']['name']} is not established after 60 s")
