/** Kinds as values that carry the type of their objects. */
import type { StoredObject } from "./object.ts";
import type {
  Deployment,
  Event,
  Lease,
  Namespace,
  Node,
  PersistentVolumeClaim,
  Pod,
  ReplicaSet,
  ReplicationController,
  ResourceQuota,
  Service,
  ServiceAccount,
} from "./types.ts";

declare const objectType: unique symbol;

/** A kind of object at one version, as a value; `T` is what its objects are. */
export interface Kind<T extends StoredObject = StoredObject> {
  /** `""` for the core group. */
  readonly group: string;
  /** `v1`. */
  readonly version: string;
  /** `ReplicaSet`. */
  readonly kind: string;
  /** The resource: `replicasets`. */
  readonly plural: string;
  /** Whether its objects live in namespaces. */
  readonly namespaced: boolean;
  /** kubectl's short names: `rs`. */
  readonly shortNames?: readonly string[];
  /** Never present at run time; carries T. */
  readonly [objectType]?: T;
}

/**
 * A kind of your own, such as a custom resource, or a built-in one that `kinds` lacks.
 *
 * @example
 * ```ts
 * import { kindOf, kinds, type StoredObject } from "kubectl-reconcile";
 *
 * interface ConfigMap extends StoredObject {
 *   readonly data?: Readonly<Record<string, string>>;
 * }
 * const ConfigMaps = kindOf<ConfigMap>({ group: "", version: "v1", kind: "ConfigMap", plural: "configmaps", namespaced: true });
 * console.log(kinds.apiVersionOf(ConfigMaps));
 * ```
 */
export function kindOf<T extends StoredObject>(kind: Omit<Kind<T>, typeof objectType>): Kind<T> {
  return kind;
}

/** `apps/v1`, or `v1` for the core group: the value of `apiVersion`. */
export function apiVersionOf(kind: Kind): string {
  return kind.group === "" ? kind.version : `${kind.group}/${kind.version}`;
}

/** `replicasets.apps`, or `pods` for the core group: unique among kinds. */
export function resourceOf(kind: Pick<Kind, "group" | "plural">): string {
  return kind.group === "" ? kind.plural : `${kind.plural}.${kind.group}`;
}

/**
 * The path of a kind's collection, of one object, or of a subresource: `/apis/apps/v1/namespaces/shop/replicasets/web/status`.
 * Without a namespace it is the collection over all namespaces. Names are escaped.
 */
export function pathOf(
  kind: Kind,
  at: { readonly namespace?: string; readonly name?: string; readonly subresource?: string },
): string {
  const root = kind.group === "" ? `/api/${kind.version}` : `/apis/${kind.group}/${kind.version}`;
  const scope =
    kind.namespaced && at.namespace !== undefined && at.namespace !== ""
      ? `/namespaces/${encodeURIComponent(at.namespace)}`
      : "";
  const name = at.name === undefined ? "" : `/${encodeURIComponent(at.name)}`;
  return `${root}${scope}/${kind.plural}${name}${at.subresource === undefined ? "" : `/${at.subresource}`}`;
}

const core = { group: "", version: "v1" } as const;
const apps = { group: "apps", version: "v1" } as const;

/** Pods (v1). */
export const Pods: Kind<Pod> = { ...core, kind: "Pod", plural: "pods", namespaced: true, shortNames: ["po"] };
/** ReplicationControllers (v1). */
export const ReplicationControllers: Kind<ReplicationController> = {
  ...core,
  kind: "ReplicationController",
  plural: "replicationcontrollers",
  namespaced: true,
  shortNames: ["rc"],
};
/** ReplicaSets (apps/v1). */
export const ReplicaSets: Kind<ReplicaSet> = {
  ...apps,
  kind: "ReplicaSet",
  plural: "replicasets",
  namespaced: true,
  shortNames: ["rs"],
};
/** Deployments (apps/v1). */
export const Deployments: Kind<Deployment> = {
  ...apps,
  kind: "Deployment",
  plural: "deployments",
  namespaced: true,
  shortNames: ["deploy"],
};
/** Namespaces (v1); cluster-scoped. */
export const Namespaces: Kind<Namespace> = {
  ...core,
  kind: "Namespace",
  plural: "namespaces",
  namespaced: false,
  shortNames: ["ns"],
};
/** Nodes (v1); cluster-scoped. */
export const Nodes: Kind<Node> = { ...core, kind: "Node", plural: "nodes", namespaced: false, shortNames: ["no"] };
/** ServiceAccounts (v1). */
export const ServiceAccounts: Kind<ServiceAccount> = {
  ...core,
  kind: "ServiceAccount",
  plural: "serviceaccounts",
  namespaced: true,
  shortNames: ["sa"],
};
/** Services (v1). */
export const Services: Kind<Service> = {
  ...core,
  kind: "Service",
  plural: "services",
  namespaced: true,
  shortNames: ["svc"],
};
/** PersistentVolumeClaims (v1). */
export const PersistentVolumeClaims: Kind<PersistentVolumeClaim> = {
  ...core,
  kind: "PersistentVolumeClaim",
  plural: "persistentvolumeclaims",
  namespaced: true,
  shortNames: ["pvc"],
};
/** ResourceQuotas (v1). */
export const ResourceQuotas: Kind<ResourceQuota> = {
  ...core,
  kind: "ResourceQuota",
  plural: "resourcequotas",
  namespaced: true,
  shortNames: ["quota"],
};
/** Events of the core group (v1). */
export const Events: Kind<Event> = { ...core, kind: "Event", plural: "events", namespaced: true, shortNames: ["ev"] };
/** Leases (coordination.k8s.io/v1). */
export const Leases: Kind<Lease> = {
  group: "coordination.k8s.io",
  version: "v1",
  kind: "Lease",
  plural: "leases",
  namespaced: true,
};
