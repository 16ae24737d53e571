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
  readonly apiVersion?: string;
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
  readonly data?: Json;
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
  return JSON.stringify(inOrder(formOf(given)));
}

function formOf(given: Like): unknown {
  switch (given.kind ?? "") {
    case "Pod":
      return pod(given);
    case "EndpointSlice":
      return slice(given);
    case "Endpoints":
      return endpoints(given);
    case "PersistentVolumeClaim":
      return whole(ofPod(given));
    default:
      return whole(measured(addressed(given)));
  }
}

/** The claim of a pod's ephemeral volume has the pod's generated name in its own. */
function ofPod(given: Like): Like {
  const { ownerReferences = [], name, ...meta } = given.metadata;
  if (!ownerReferences.some(({ kind }) => kind === "Pod")) return given;
  const shown = (text: string): string => text.replace(/-[bcdfghjklmnpqrstvwxz2456789]{5}(?=-|$)/, "-…");
  const owners = ownerReferences.map((owner) => ({ ...owner, name: shown(owner.name) }));
  return { ...given, metadata: { ...meta, name: shown(name), ownerReferences: owners } };
}

/** A Service without the addresses that the server draws for it. */
function addressed(given: Like): Like {
  if (given.kind !== "Service") return given;
  const { clusterIP, clusterIPs: _, ...spec } = given.spec ?? {};
  return { ...given, spec: { ...spec, clusterIP: clusterIP === "None" ? "None" : "drawn" } };
}

interface Endpoint extends Json {
  readonly targetRef?: { readonly kind: string };
}

/**
 * The names of slices are generated, and so are those of most pods, whose addresses and nodes are chance: of an endpoint that is a pod, its
 * conditions and ports are compared. How often a slice was written on the way is chance too.
 */
function slice(given: Like & { readonly endpoints?: readonly Endpoint[] | null }): unknown {
  const { apiVersion: _, metadata, endpoints, ...rest } = given;
  const { name: _name, generation: _generation, generateName, ...meta } = withoutTrigger(metadata);
  const all = (endpoints ?? []).map(({ addresses, nodeName, zone: _zone, deprecatedTopology: _topology, ...each }) =>
    each.targetRef === undefined ? { ...each, addresses, nodeName } : { ...each, targetRef: each.targetRef.kind },
  );
  return { metadata: without(meta), generateName, ...rest, endpoints: sorted(all) };
}

interface Subset extends Json {
  readonly addresses?: readonly Endpoint[];
  readonly notReadyAddresses?: readonly Endpoint[];
}

/** The same for Endpoints. */
function endpoints(given: Like & { readonly subsets?: readonly Subset[] | null }): unknown {
  const { apiVersion: _, metadata, subsets, ...rest } = given;
  const shown = (list: readonly Endpoint[] = []): readonly unknown[] =>
    sorted(list.map((each) => (each.targetRef === undefined ? each : { targetRef: each.targetRef.kind })));
  const all = (subsets ?? []).map(({ addresses, notReadyAddresses, ...each }) => {
    return { ...each, addresses: shown(addresses), notReadyAddresses: shown(notReadyAddresses) };
  });
  return { metadata: without(withoutTrigger(metadata)), ...rest, subsets: sorted(all) };
}

/** Without the annotation that is present or not, depending on which change the object was last written for. */
function withoutTrigger({ annotations, ...meta }: Like["metadata"]): Like["metadata"] {
  const { "endpoints.kubernetes.io/last-change-trigger-time": _, ...others } = (annotations ?? {}) as Json;
  return { ...meta, annotations: others };
}

function sorted(list: readonly unknown[]): readonly unknown[] {
  return list.map(inOrder).toSorted((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1));
}

/** The status of an autoscaler depends on the metrics server, so it is not compared. */
function measured(given: Like): Like {
  return given.kind === "HorizontalPodAutoscaler" ? { ...given, status: {} } : given;
}

/**
 * Everything except generated values; conditions keep type, status, reason and message, and of a time only whether it is set. How often a
 * ReplicaSet, or the target of an autoscaler, was scaled on the way is chance; that its controller has observed the last generation is not.
 */
function whole({ kind, metadata, spec, data, status }: Like): unknown {
  const { generation, ...given } = metadata;
  const meta = kind === "ReplicaSet" ? { ...given, annotations: without(given["annotations"], rolloutSizes) } : given;
  const seen = status?.observedGeneration;
  const isAutoscaled = metadata.labels?.["autoscaled"] === "yes";
  const isChance = kind === "ReplicaSet" || kind === "ReplicationController" || isAutoscaled;
  return {
    kind,
    metadata: without(meta),
    spec: without(spec),
    data,
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
