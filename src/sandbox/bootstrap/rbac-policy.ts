/** The roles and bindings that a server with RBAC begins with. Source: kubernetes v1.36 pkg/registry/rbac/rest/storage_rbac.go. */
import { asStarted, createMissing } from "../serving/loopback.ts";
import { aggregateRoles, keepAggregatedRoles } from "./aggregated-roles.ts";
import type { Server } from "../context/server.ts";

/** A role or a binding, without the label and the annotation that all of them have. */
export interface BootstrapObject {
  readonly name: string;
  readonly namespace?: string;
  readonly labels?: Readonly<Record<string, string>>;
  /** `rules`, `aggregationRule`, `roleRef`, `subjects`. */
  readonly [field: string]: unknown;
}

/** What `rbac-policy.json` holds; made by scripts/extract-api/rbac-policy.ts from a real kube-apiserver 1.36.3. */
export interface BootstrapPolicy {
  readonly clusterroles: readonly BootstrapObject[];
  readonly clusterrolebindings: readonly BootstrapObject[];
  readonly roles: readonly BootstrapObject[];
  readonly rolebindings: readonly BootstrapObject[];
}

const plurals = ["clusterroles", "clusterrolebindings", "roles", "rolebindings"] as const;

/**
 * Adds the roles and bindings that are missing, each kind once it is asked for: members of `system:masters` need none of them. What is
 * added then is as old as what was made at the start. `aggregates`: rules of aggregated roles are there then; `keepsAggregating`: and follow
 * later changes.
 */
export async function keepBootstrapPolicy(
  server: Server,
  { aggregates, keepsAggregating }: { readonly aggregates: boolean; readonly keepsAggregating: boolean },
): Promise<void> {
  const { default: json } = await import("./rbac-policy.json", { with: { type: "json" } });
  // The compiler's own type of a literal of this size is of no use.
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

/** False for a namespace that was deleted before anybody asked for its roles. */
function isOpen({ store }: Server, namespace: string): boolean {
  const object = store.collection("namespaces", false).get("", namespace)?.object;
  return object !== undefined && object.metadata.deletionTimestamp === undefined;
}
