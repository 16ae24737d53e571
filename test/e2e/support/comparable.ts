/**
 * Objects in a form that can be compared between two clusters: without generated or measured values. It shares no code with the program,
 * which has its own rules about what is worth showing.
 */

type Json = Readonly<Record<string, unknown>>;

interface Conditioned {
  readonly type: string;
  readonly status: string;
}

interface Like {
  readonly kind?: string;
  readonly metadata: Json & {
    readonly name: string;
    readonly generateName?: string;
    readonly generation?: number;
    readonly labels?: Json;
    readonly ownerReferences?: readonly {
      readonly kind: string;
      readonly name: string;
      readonly controller?: boolean;
    }[];
  };
  readonly spec?: Json;
  readonly status?: Json & { readonly observedGeneration?: number; readonly conditions?: readonly Conditioned[] };
}

const madeUp: ReadonlySet<string> = new Set([
  "uid",
  "resourceVersion",
  "managedFields",
  "generation",
  "observedGeneration",
  "controller-uid",
  "batch.kubernetes.io/controller-uid",
]);

/** Serializes one object. */
export function comparable(object: object): string {
  const given = object as Like;
  return JSON.stringify(inOrder(given.kind === "Pod" ? pod(given) : whole(measured(given))));
}

/** The status of an autoscaler depends on the metrics server, so it is not compared. */
function measured(given: Like): Like {
  return given.kind === "HorizontalPodAutoscaler" ? { ...given, status: {} } : given;
}

/**
 * Everything except generated values; conditions keep type, status, reason and message, and of a time only whether it is set. How often a
 * ReplicaSet, or the target of an autoscaler, was scaled on the way is chance; that its controller has observed the last generation is not.
 */
function whole({ kind, metadata, spec, status }: Like): unknown {
  const { generation, ...given } = metadata;
  const meta = kind === "ReplicaSet" ? { ...given, annotations: without(given["annotations"], rolloutSizes) } : given;
  const seen = status?.observedGeneration;
  const isAutoscaled = metadata.labels?.["autoscaled"] === "yes";
  const isChance = kind === "ReplicaSet" || kind === "ReplicationController" || isAutoscaled;
  return {
    kind,
    metadata: without(meta),
    spec: without(spec),
    status: without(status),
    unseenGenerations: generation === undefined || seen === undefined ? undefined : generation - seen,
    generation: isChance ? undefined : generation,
  };
}

/** Annotations with a Deployment's replicas when its ReplicaSet was last scaled; an autoscaler may have acted before or after that. */
const rolloutSizes: ReadonlySet<string> = new Set([
  "deployment.kubernetes.io/desired-replicas",
  "deployment.kubernetes.io/max-replicas",
]);

/** Different kubelets write the rest of a pod's status differently; a pod's node, and the labels copied from that node, are chance. */
function pod({ kind, metadata, spec, status }: Like): unknown {
  const { generateName, name, labels = {}, ownerReferences = [], ...meta } = metadata;
  const own = Object.entries(labels).filter(([label]) => !label.startsWith("topology.kubernetes.io/"));
  const { nodeName, ...rest } = spec ?? {};
  const phase = status?.["phase"];
  return {
    kind,
    metadata: without(meta),
    name: generateName ?? name,
    labels: without(Object.fromEntries(own)),
    owners: ownerReferences.map((owner) => `${owner.kind} ${owner.name} ${owner.controller}`),
    spec: without(rest),
    isPlaced: nodeName !== undefined,
    phase,
    // kwok does not update the Ready condition of a pod that has ended.
    ready: phase === "Succeeded" || status?.conditions?.find(({ type }) => type === "Ready")?.status,
  };
}

function without(value: unknown, left: ReadonlySet<string> = madeUp): unknown {
  if (Array.isArray(value)) return value.map((item) => without(item, left));
  if (typeof value === "string") return value.replace(/^kube-api-access-[a-z0-9]{5}$/, "kube-api-access-…");
  if (typeof value !== "object" || value === null) return value;
  const kept = Object.entries(value).filter(([key]) => !left.has(key));
  return Object.fromEntries(
    kept.map(([key, item]) => [
      key,
      /(Time|Timestamp)$/.test(key) && typeof item === "string" ? "TIME" : without(item, left),
    ]),
  );
}

function inOrder(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(inOrder);
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(entries.map(([key, item]) => [key, inOrder(item)]));
}
