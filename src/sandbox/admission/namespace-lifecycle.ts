/**
 * Objects are only created in namespaces that exist and are not terminating. Source: apiserver v0.36
 * admission/plugin/namespace/lifecycle/admission.go.
 */
import { forbidden, notFound } from "../meta/refusal.ts";
import type { RequestScope } from "../context/server.ts";

const immortal = new Set(["default", "kube-system", "kube-public"]);

/** @throws StatusError 404 if the namespace does not exist, 403 while it is terminating. */
export function admitIntoNamespace(scope: RequestScope, name: string): void {
  const { resource, namespace, server } = scope;
  if (!resource.namespaced || resource.storage.endsWith(".authorization.k8s.io")) return;
  const there = server.store.collection("namespaces", false).get("", namespace);
  if (there === undefined) throw notFound({ group: "", name: "namespaces" }, namespace);
  if (there.object.status?.["phase"] !== "Terminating") return;
  throw forbidden(
    resource.asResource,
    name,
    `unable to create new content in namespace ${namespace} because it is being terminated`,
    [
      {
        reason: "NamespaceTerminating",
        message: `namespace ${namespace} is being terminated`,
        field: "metadata.namespace",
      },
    ],
  );
}

/** Rejects deletion of immortal namespaces. @throws StatusError 403. */
export function admitNamespaceDeletion(scope: RequestScope, name: string): void {
  if (scope.resource.storage !== "namespaces" || !immortal.has(name)) return;
  if (!scope.server.admission.has("NamespaceLifecycle")) return;
  throw forbidden({ group: "", name: "namespaces" }, name, "this namespace may not be deleted");
}
