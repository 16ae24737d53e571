"""The kubernetes client: custom resources, every kind of patch, server-side apply, pages, watches, the dynamic client, errors."""

import time

from kubernetes import client, config, dynamic, utils, watch

from answers import answer, refused
from definitions import GADGETS, define

NAMESPACE = "python"
OF_GADGETS = ("py.example.com", "v1", NAMESPACE, "gadgets")
APPLY = "application/apply-patch+yaml"


def gadget(name: str, **spec: object) -> dict:
    return {"apiVersion": "py.example.com/v1", "kind": "Gadget", "metadata": {"name": name}, "spec": spec}


def custom_objects() -> None:
    gadgets = client.CustomObjectsApi()
    created = gadgets.create_namespaced_custom_object(*OF_GADGETS, gadget("a", size=3, unknown=1))
    answer("created, pruned and with defaults", created)
    refused(
        "strict about unknown fields",
        lambda: gadgets.create_namespaced_custom_object(
            *OF_GADGETS, gadget("strict", size=3, unknown=1), field_validation="Strict"
        ),
    )
    refused("a rule", lambda: gadgets.create_namespaced_custom_object(*OF_GADGETS, gadget("b", size=30)))
    # One thing at a time: the real server goes through fields in the order of a Go map.
    for name, wrong in {"size": "many", "colour": "blue", "ports": [{"port": 1}, {"port": 1}]}.items():
        body = gadget("c", **{"size": 3, name: wrong})
        refused(f"a schema: {name}", lambda: gadgets.create_namespaced_custom_object(*OF_GADGETS, body))
    refused("it exists", lambda: gadgets.create_namespaced_custom_object(*OF_GADGETS, gadget("a", size=3)))

    answer("merge patch", gadgets.patch_namespaced_custom_object(*OF_GADGETS, "a", {"spec": {"tags": ["x"]}}))
    operations = [
        {"op": "test", "path": "/spec/size", "value": 3},
        {"op": "replace", "path": "/spec/size", "value": 4},
        {"op": "add", "path": "/spec/ports", "value": [{"port": 80}]},
    ]
    json_patch = lambda: gadgets.patch_namespaced_custom_object(
        *OF_GADGETS, "a", operations, _content_type="application/json-patch+json"
    )
    answer("JSON patch", json_patch())
    refused("JSON patch whose test fails", json_patch)
    refused(
        "strategic merge patch",
        lambda: gadgets.patch_namespaced_custom_object(
            *OF_GADGETS, "a", {"spec": {}}, _content_type="application/strategic-merge-patch+json"
        ),
    )
    refused("a transition rule", lambda: gadgets.patch_namespaced_custom_object(*OF_GADGETS, "a", {"spec": {"size": 1}}))

    status = gadgets.patch_namespaced_custom_object_status(*OF_GADGETS, "a", {"status": {"size": 4, "phase": "Ready"}})
    answer("status", status)
    answer("scale", gadgets.get_namespaced_custom_object_scale(*OF_GADGETS, "a"))
    answer("scaled", gadgets.patch_namespaced_custom_object_scale(*OF_GADGETS, "a", {"spec": {"replicas": 5}}))
    read = gadgets.get_namespaced_custom_object(*OF_GADGETS, "a")
    read["spec"]["colour"] = "red"
    replaced = gadgets.replace_namespaced_custom_object(*OF_GADGETS, "a", read)
    answer("replaced", replaced)
    refused("a stale replace", lambda: gadgets.replace_namespaced_custom_object(*OF_GADGETS, "a", read))
    refused("it is missing", lambda: gadgets.get_namespaced_custom_object(*OF_GADGETS, "none"))


def patches() -> None:
    core, apps = client.CoreV1Api(), client.AppsV1Api()
    settings = client.V1ConfigMap(metadata=client.V1ObjectMeta(name="settings"), data={"a": "1", "b": "2"})
    answer("config map", core.create_namespaced_config_map(NAMESPACE, settings))
    answer("strategic merge patch of data", core.patch_namespaced_config_map("settings", NAMESPACE, {"data": {"a": None}}))
    answer(
        "merge patch of data",
        core.patch_namespaced_config_map(
            "settings", NAMESPACE, {"data": {"c": "3"}}, _content_type="application/merge-patch+json"
        ),
    )
    answer(
        "JSON patch of data",
        core.patch_namespaced_config_map("settings", NAMESPACE, [{"op": "remove", "path": "/data/b"}]),
    )
    applied = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "settings"}, "data": {"c": "4"}}
    refused(
        "apply in conflict",
        lambda: core.patch_namespaced_config_map(
            "settings", NAMESPACE, applied, field_manager="applier", _content_type=APPLY
        ),
    )
    forced = core.patch_namespaced_config_map(
        "settings", NAMESPACE, applied, field_manager="applier", force=True, _content_type=APPLY
    )
    answer("apply by force", forced)
    dry = core.patch_namespaced_config_map("settings", NAMESPACE, {"data": {"dry": "run"}}, dry_run="All")
    answer("dry run", dry)

    labels = {"app": "web"}
    web = client.V1Deployment(
        metadata=client.V1ObjectMeta(name="web"),
        spec=client.V1DeploymentSpec(
            replicas=0,
            selector=client.V1LabelSelector(match_labels=labels),
            template=client.V1PodTemplateSpec(
                metadata=client.V1ObjectMeta(labels=labels),
                spec=client.V1PodSpec(containers=[client.V1Container(name="web", image="web:1")]),
            ),
        ),
    )
    answer("deployment", apps.create_namespaced_deployment(NAMESPACE, web))
    sidecar = {"spec": {"template": {"spec": {"containers": [{"name": "log", "image": "log:1"}]}}}}
    answer("strategic merge patch by key", apps.patch_namespaced_deployment("web", NAMESPACE, sidecar))
    answer("deployment scaled", apps.patch_namespaced_deployment_scale("web", NAMESPACE, {"spec": {"replicas": 0}}))
    other = {"spec": {"selector": {"matchLabels": {"app": "other"}}}}
    refused("an immutable field", lambda: apps.patch_namespaced_deployment("web", NAMESPACE, other))


def pages() -> None:
    core = client.CoreV1Api()
    for number in range(23):
        metadata = client.V1ObjectMeta(name=f"page-{number:02}", labels={"book": "one"})
        core.create_namespaced_config_map(NAMESPACE, client.V1ConfigMap(metadata=metadata))
    token = None
    while token != "":
        page = core.list_namespaced_config_map(NAMESPACE, label_selector="book=one", limit=10, _continue=token)
        names = [item.metadata.name for item in page.items]
        answer("page", {"names": names, "remaining": page.metadata.remaining_item_count})
        token = page.metadata._continue or ""
    refused("a token that is none", lambda: core.list_namespaced_config_map(NAMESPACE, limit=1, _continue="none"))
    refused("a selector that is none", lambda: core.list_namespaced_config_map(NAMESPACE, label_selector="a=b=c"))
    one = core.list_namespaced_config_map(NAMESPACE, field_selector="metadata.name=page-07")
    answer("by field", [item.metadata.name for item in one.items])
    answer("deleted all", core.delete_collection_namespaced_config_map(NAMESPACE, label_selector="book=one").metadata)


def watches() -> None:
    core, gadgets = client.CoreV1Api(), client.CustomObjectsApi()
    since = core.list_namespaced_config_map(NAMESPACE).metadata.resource_version
    watched = client.V1ConfigMap(metadata=client.V1ObjectMeta(name="watched"))
    core.create_namespaced_config_map(NAMESPACE, watched)
    core.patch_namespaced_config_map("watched", NAMESPACE, {"data": {"k": "v"}})
    core.delete_namespaced_config_map("watched", NAMESPACE)
    watcher = watch.Watch()
    for event in watcher.stream(
        core.list_namespaced_config_map, NAMESPACE, resource_version=since, timeout_seconds=60
    ):
        answer("watched", {"type": event["type"], "object": event["raw_object"]})
        if event["type"] == "DELETED":
            watcher.stop()
    for event in watcher.stream(gadgets.list_namespaced_custom_object, *OF_GADGETS, timeout_seconds=60):
        answer("watched gadget", {"type": event["type"], "object": event["object"]})
        watcher.stop()


def dynamic_client() -> None:
    dynamic_api = dynamic.DynamicClient(client.ApiClient())
    gadgets = dynamic_api.resources.get(api_version="py.example.com/v1", kind="Gadget")
    answer("discovered", {"name": gadgets.name, "verbs": sorted(gadgets.verbs), "short": gadgets.short_names})
    body = gadget("d", size=1, ports=[{"port": 80, "name": "http"}])
    made = gadgets.server_side_apply(namespace=NAMESPACE, name="d", body=body, field_manager="one")
    answer("applied by one", made.to_dict())
    also = gadget("d", size=1, ports=[{"port": 443}], tags=["b", "a"])
    both = gadgets.server_side_apply(namespace=NAMESPACE, name="d", body=also, field_manager="two")
    answer("applied by two", both.to_dict())
    less = gadget("d", size=1)
    left = gadgets.server_side_apply(namespace=NAMESPACE, name="d", body=less, field_manager="one")
    answer("given up by one", left.to_dict())
    conflict = gadget("d", size=2)
    try:
        gadgets.server_side_apply(namespace=NAMESPACE, name="d", body=conflict, field_manager="three")
    except dynamic.exceptions.ConflictError as error:
        answer("in conflict with both", error.summary())
    answer("listed", [item.metadata.name for item in gadgets.get(namespace=NAMESPACE).items])
    answer("deleted", gadgets.delete(namespace=NAMESPACE, name="d").to_dict())


def from_manifests() -> None:
    manifest = {
        "apiVersion": "v1",
        "kind": "Service",
        "metadata": {"name": "front", "namespace": NAMESPACE},
        "spec": {"clusterIP": "None", "selector": {"app": "web"}, "ports": [{"port": 80}]},
    }
    (made,) = utils.create_from_dict(client.ApiClient(), manifest)
    answer("from a manifest", made)
    rbac = client.RbacAuthorizationV1Api()
    answer("role", rbac.create_namespaced_role(NAMESPACE, {"metadata": {"name": "reader"}, "rules": []}))
    core = client.CoreV1Api()
    core.create_namespaced_service_account(NAMESPACE, {"metadata": {"name": "robot"}})
    token = core.create_namespaced_service_account_token("robot", NAMESPACE, {"spec": {"audiences": ["py"]}})
    answer("token", {"spec": token.spec, "parts": len(token.status.token.split("."))})
    review = client.AuthenticationV1Api().create_token_review(
        {"spec": {"token": token.status.token, "audiences": ["py"]}}
    )
    answer("reviewed", {"username": review.status.user.username, "audiences": review.status.audiences})


def undefine() -> None:
    definitions, gadgets = client.ApiextensionsV1Api(), client.CustomObjectsApi()
    definitions.delete_custom_resource_definition("gadgets.py.example.com")
    for _ in range(600):
        try:
            gadgets.list_namespaced_custom_object(*OF_GADGETS)
        except client.ApiException as error:
            answer("its kind is gone", error.status)
            return
        time.sleep(0.1)
    raise TimeoutError("gadgets are still served a minute after their definition was deleted")


def main() -> None:
    config.load_kube_config()
    client.CoreV1Api().create_namespace({"metadata": {"name": NAMESPACE}})
    version = client.VersionApi().get_code()
    answer("version", [version.major, version.minor])
    answer("definition", define(GADGETS))
    custom_objects()
    patches()
    pages()
    watches()
    dynamic_client()
    from_manifests()
    undefine()


if __name__ == "__main__":
    main()
