/** The objects that scripts create, and the properties by which a controller can tell pods apart. */

export type Json = Readonly<Record<string, unknown>>;

export interface OwnerRef {
  readonly kind: string;
  readonly name: string;
  readonly uid: string;
  readonly controller?: boolean;
}

export interface Meta {
  readonly name: string;
  readonly namespace?: string;
  readonly generateName?: string;
  readonly uid: string;
  readonly generation?: number;
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
  readonly finalizers?: readonly string[];
  readonly ownerReferences?: readonly OwnerRef[];
  readonly deletionTimestamp?: string;
  readonly deletionGracePeriodSeconds?: number;
}

/** An object as returned by a server, with the fields that all objects have. */
export interface AnyObject extends Json {
  readonly metadata: Meta;
}

/** A pod as returned by the API server, with the fields that are used here. */
export interface PodObject {
  readonly metadata: Meta;
  readonly spec: { readonly nodeName?: string; readonly containers: readonly { readonly image: string }[] };
  readonly status?: {
    readonly phase?: string;
    readonly conditions?: readonly {
      readonly type: string;
      readonly status: string;
      readonly lastTransitionTime?: string;
    }[];
    readonly containerStatuses?: readonly { readonly restartCount: number }[];
    readonly initContainerStatuses?: readonly { readonly restartCount: number }[];
  };
}

/** Ready according to its condition. It can have finished or be terminating. */
export const isReady = ({ status }: PodObject): boolean =>
  status?.conditions?.some(({ type, status: is }) => type === "Ready" && is === "True") === true;
/** Terminating. */
export const isGoing = ({ metadata }: PodObject): boolean => metadata.deletionTimestamp !== undefined;
/** In a terminal phase. */
export const hasEnded = ({ status }: PodObject): boolean => status?.phase === "Failed" || status?.phase === "Succeeded";

/** A ReplicaSet or a ReplicationController. */
export interface ReplicatedObject {
  readonly metadata: Meta;
  readonly spec: Json & { readonly replicas?: number; readonly selector?: object };
  readonly status?: Json & {
    readonly replicas?: number;
    readonly observedGeneration?: number;
    readonly conditions?: readonly Json[];
  };
}

export const costAnnotation = "controller.kubernetes.io/pod-deletion-cost";

/**
 * All properties of a pod that matter to a controller, and nothing that the server generated. Pods of the same class are interchangeable,
 * since kube-controller-manager also picks any of them.
 */
export function podClass(pod: PodObject): Json {
  const { metadata, spec, status } = pod;
  const owner = metadata.ownerReferences?.find(({ controller }) => controller === true);
  const ready = status?.conditions?.find(({ type }) => type === "Ready");
  const restarts = [status?.containerStatuses, status?.initContainerStatuses].map((all) =>
    (all ?? []).map(({ restartCount }) => restartCount),
  );
  return {
    name: metadata.generateName ?? metadata.name,
    owner: owner === undefined ? "none" : `${owner.kind} ${owner.name}`,
    otherOwners: (metadata.ownerReferences?.length ?? 0) - (owner === undefined ? 0 : 1),
    labels: sorted(metadata.labels),
    annotations: sorted(metadata.annotations),
    finalizers: metadata.finalizers ?? [],
    deleting: metadata.deletionTimestamp === undefined ? "no" : `grace ${metadata.deletionGracePeriodSeconds}`,
    node: spec.nodeName ?? "",
    images: spec.containers.map(({ image }) => image),
    phase: status?.phase ?? "",
    ready: ready === undefined ? "unknown" : `${ready.status} since ${ready.lastTransitionTime ?? "?"}`,
    restarts,
  };
}

function sorted(record: Readonly<Record<string, string>> = {}): Json {
  return Object.fromEntries(Object.entries(record).sort(([a], [b]) => (a < b ? -1 : 1)));
}

export interface TemplateParts {
  readonly labels?: Readonly<Record<string, string>>;
  readonly metadata?: object;
  readonly spec?: object;
}

/** A pod template whose pods have the label `app: NAME`. */
export function templateOf(name: string, { labels, metadata, spec }: TemplateParts = {}): object {
  return {
    metadata: { labels: labels ?? { app: name }, ...metadata },
    spec: { containers: [{ name: "main", image: "main:1" }], ...spec },
  };
}

export interface ReplicatedParts extends TemplateParts {
  readonly replicas?: number;
  /** Additional metadata of the object itself. */
  readonly own?: object;
  readonly selector?: object;
  readonly rest?: object;
}

export function replicaSet(name: string, parts: ReplicatedParts = {}): object {
  return {
    metadata: { name, ...parts.own },
    spec: {
      replicas: parts.replicas ?? 1,
      selector: parts.selector ?? { matchLabels: { app: name } },
      template: templateOf(name, parts),
      ...parts.rest,
    },
  };
}

export function replicationController(name: string, parts: ReplicatedParts = {}): object {
  return {
    metadata: { name, ...parts.own },
    spec: {
      replicas: parts.replicas ?? 1,
      selector: parts.selector ?? { app: name },
      template: templateOf(name, parts),
      ...parts.rest,
    },
  };
}

export function podNamed(name: string, labels: Readonly<Record<string, string>>, parts: TemplateParts = {}): object {
  return {
    metadata: { name, labels, ...parts.metadata },
    spec: { containers: [{ name: "main", image: "main:1" }], ...parts.spec },
  };
}

/** `podClass` for an object that is known to be a pod. */
export function podState(pod: object): Json {
  return podClass(pod as PodObject);
}
