/** The initial roles and bindings of a server with RBAC. Source: kubernetes v1.36 pkg/registry/rbac/rest/storage_rbac.go. */
import { asStarted, createMissing } from "../serving/loopback.ts";
import { aggregateRoles, keepAggregatedRoles } from "./aggregated-roles.ts";
import type { Server } from "../context/server.ts";

/** A role or a binding, without the label and the annotation that all of them get. */
export interface BootstrapObject {
  readonly name: string;
  readonly namespace?: string;
  readonly labels?: Readonly<Record<string, string>>;
  /** `rules`, `aggregationRule`, `roleRef`, `subjects`. */
  readonly [field: string]: unknown;
}

/** The content of `rbac-policy.json`; extracted by scripts/extract-api/rbac-policy.ts from a real kube-apiserver 1.36.3. */
export interface BootstrapPolicy {
  readonly clusterroles: readonly BootstrapObject[];
  readonly clusterrolebindings: readonly BootstrapObject[];
  readonly roles: readonly BootstrapObject[];
  readonly rolebindings: readonly BootstrapObject[];
}

const plurals = ["clusterroles", "clusterrolebindings", "roles", "rolebindings"] as const;

/**
 * Adds missing roles and bindings, each kind when it is first read: members of `system:masters` need none of them. Their creation time is
 * that of the server's start. `aggregates`: includes the rules of aggregated roles; `keepsAggregating`: also follows later changes.
 */
export async function keepBootstrapPolicy(
  server: Server,
  { aggregates, keepsAggregating }: { readonly aggregates: boolean; readonly keepsAggregating: boolean },
): Promise<void> {
  const { default: json } = await import("./rbac-policy.json", { with: { type: "json" } });
  // The type that the compiler infers for a literal of this size is useless.
  const policy = json as unknown as BootstrapPolicy;
  const started = asStarted(server);
  for (const plural of plurals)
    server.store.onFirstUse(`${plural}.rbac.authorization.k8s.io`, () => {
      for (const object of policy[plural]) put(started, { plural, object });
      if (plural !== "clusterroles") return;
      if (aggregates) aggregateRoles(started);
      if (keepsAggregating) keepAggregatedRoles(server);
    });
}

interface Wanted {
  readonly plural: string;
  readonly object: BootstrapObject;
}

function put(server: Server, { plural, object: { name, namespace, labels, ...body } }: Wanted): void {
  if (namespace !== undefined && !isOpen(server, namespace)) return;
  const place = namespace === undefined ? "" : `namespaces/${namespace}/`;
  const metadata = {
    name,
    labels: { "kubernetes.io/bootstrapping": "rbac-defaults", ...labels },
    annotations: { "rbac.authorization.kubernetes.io/autoupdate": "true" },
  };
  createMissing(server, { path: `/apis/rbac.authorization.k8s.io/v1/${place}${plural}`, body: { metadata, ...body } });
}

/** False for a namespace that was deleted before its roles were first read. */
function isOpen({ store }: Server, namespace: string): boolean {
  const object = store.collection("namespaces", false).get("", namespace)?.object;
  return object !== undefined && object.metadata.deletionTimestamp === undefined;
}
