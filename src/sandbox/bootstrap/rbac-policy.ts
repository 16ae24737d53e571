/** The roles and bindings that a server with RBAC begins with. Source: kubernetes v1.36 pkg/registry/rbac/rest/storage_rbac.go. */
import { loopbackRequest } from "../serving/loopback.ts";
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

/** Creates the roles and bindings. They are loaded on first use. */
export async function putBootstrapPolicy(server: Server): Promise<void> {
  const { default: json } = await import("./rbac-policy.json", { with: { type: "json" } });
  // The compiler's own type of a literal of this size is of no use.
  const policy = json as unknown as BootstrapPolicy;
  for (const plural of plurals) {
    for (const { name, namespace, labels, ...body } of policy[plural]) {
      const place = namespace === undefined ? "" : `namespaces/${namespace}/`;
      const metadata = {
        name,
        labels: { "kubernetes.io/bootstrapping": "rbac-defaults", ...labels },
        annotations: { "rbac.authorization.kubernetes.io/autoupdate": "true" },
      };
      const path = `/apis/rbac.authorization.k8s.io/v1/${place}${plural}`;
      loopbackRequest(server, { method: "POST", path, body: { metadata, ...body } });
    }
  }
}
