/** What a dry-run knows of a cluster, and what it leaves alone: only those namespaces that are known to the last object are let go. */
import type { ObjectKey } from "../../api/key.ts";
import type { StoredObject } from "../../api/object.ts";
import { ResourceQuotas } from "../../api/kind.ts";
import type { ResourceQuota } from "../../api/types.ts";
import type { KindName } from "../../trace/names.ts";
import type { ControllerDefinition } from "../../controller/api/definition.ts";
import type { SyncContext } from "../../controller/api/sync-context.ts";
import { namespace } from "../../controllers/namespace/namespace.ts";
import { resourcequota } from "../../controllers/resourcequota/resourcequota.ts";

/** Reads one object; undefined where there is none. */
export type Lookup = (of: KindName, key: ObjectKey) => StoredObject | undefined;

/**
 * What a dry-run knows of a cluster. A snapshot holds the objects of some namespaces and next to nothing of the others, and kinds
 * that no sandbox serves are not in it at all.
 */
export interface Scope {
  /** The namespaces that were read; undefined where there are no others. */
  readonly namespaces: readonly string[] | undefined;
  /** Namespaces whose end cannot be judged, with the reason: objects in them that are not here, or may not be. */
  readonly held: ReadonlyMap<string, string>;
  /**
   * Kinds of which objects may be there that are not here, `group/Kind`, with the reason: they may not be read, or nobody has been
   * asked for them.
   */
  readonly unread: ReadonlyMap<string, string>;
  /** The same kinds as quotas name them: `secrets`, `deployments.apps`. */
  readonly uncounted: ReadonlySet<string>;
}

/** Kinds without a namespace that belong to the cluster and not to what runs on it: manifests alone do not bring them. */
const clusterKinds = [
  "scheduling.k8s.io/PriorityClass",
  "node.k8s.io/RuntimeClass",
  "storage.k8s.io/StorageClass",
  "networking.k8s.io/IngressClass",
  "/PersistentVolume",
];

/** Manifests alone: nothing but what is here, on a cluster that nobody has been asked about. */
export const wholeCluster: Scope = {
  namespaces: undefined,
  held: new Map(),
  unread: new Map(clusterKinds.map((kind) => [kind, "no cluster is asked"])),
  uncounted: new Set(),
};

/** Undefined where what is not here is not there; otherwise why nobody knows. */
export function whyUnknown(scope: Scope, { group, kind }: KindName, namespace: string): string | undefined {
  const unread = scope.unread.get(`${group}/${kind}`);
  if (unread !== undefined) return unread;
  return namespace === "" || isInScope(scope, namespace) ? undefined : "its namespace was not read";
}

export function isInScope({ namespaces }: Scope, name: string): boolean {
  return namespaces === undefined || namespaces.includes(name);
}

/** The namespace and quota controllers among these leave alone what they would judge by objects that are not all here. */
export function withinScope(controllers: readonly ControllerDefinition[], scope: Scope): ControllerDefinition[] {
  return controllers.map((controller) => {
    switch (controller.name) {
      case namespace.name:
        return unless(controller, (key) => !isInScope(scope, key) || scope.held.has(key));
      case resourcequota.name:
        return unless(controller, (key, context) => hasUncounted(context.cache(ResourceQuotas).get(key), scope));
      default:
        return controller;
    }
  });
}

function unless(
  controller: ControllerDefinition,
  isUnknown: (key: ObjectKey, context: SyncContext) => boolean,
): ControllerDefinition {
  return {
    ...controller,
    async sync(key, context) {
      return isUnknown(key, context) ? undefined : controller.sync(key, context);
    },
  };
}

/** Its figures are those of the cluster, which has counted what is not here: a new count would forget it. */
function hasUncounted(quota: ResourceQuota | undefined, { uncounted }: Scope): boolean {
  if (quota?.status?.hard === undefined) return false;
  return Object.keys(quota.spec?.hard ?? {}).some((name) => uncounted.has(name.replace(/^count\//, "")));
}
