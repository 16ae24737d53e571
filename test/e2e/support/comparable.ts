/**
 * Reduces objects to what two clusters can have in common: without generated or measured values. It shares no code with the program, which
 * has separate rules for what it shows.
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

/** The comparable text of an object. */
export function comparable(object: object): string {
  const given = object as Like;
  return JSON.stringify(inOrder(given.kind === "Pod" ? pod(given) : whole(measured(given))));
}

/** Drops an autoscaler's status, which depends on the source of its metrics. */
function measured(given: Like): Like {
  return given.kind === "HorizontalPodAutoscaler" ? { ...given, status: {} } : given;
}

/**
 * Drops generated values; keeps the type, status, reason and message of conditions, and whether they have times. How often a ReplicaSet or
 * the target of an autoscaler was scaled is random, but not whether its controller has observed the last change.
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

/** Annotations with the Deployment's replicas at the last scaling, which an autoscaler may precede or follow. */
const rolloutSizes: ReadonlySet<string> = new Set([
  "deployment.kubernetes.io/desired-replicas",
  "deployment.kubernetes.io/max-replicas",
]);

/** The rest of a pod's status is written by another kubelet, and its node, with everything that depends on it, is random. */
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
    // kwok does not update it for a pod that has ended.
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
