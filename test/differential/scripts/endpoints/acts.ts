/** Services, pods with addresses, and nodes with zones. Without kubelets, the status of pods is written here. */
import { EndpointSlices } from "../../../../src/api/kinds.ts";
import { bind } from "../../acts.ts";
import type { PodObject } from "../../objects.ts";
import { ownName, type Stage } from "../../stage.ts";

export const labels = { app: "web" } as const;

export interface NodeParts {
  readonly zone?: string;
  /** Only ready nodes are counted for proportional zone hints. Default false. */
  readonly ready?: boolean;
  readonly cpu?: string;
}

export async function makeNode(
  stage: Stage,
  name: string,
  { zone, ready = false, cpu }: NodeParts = {},
): Promise<void> {
  const labels = zone === undefined ? {} : { "topology.kubernetes.io/zone": zone };
  await stage.create("nodes", { metadata: { name: ownName(stage, name), labels } });
  const conditions = ready
    ? [{ type: "Ready", status: "True", reason: "Test", message: "", lastTransitionTime: timeOf(stage, 0) }]
    : [];
  const allocatable = cpu === undefined ? {} : { cpu, pods: "100" };
  await stage.patch("nodes", `${ownName(stage, name)}/status`, {
    status: { conditions, allocatable, capacity: allocatable },
  });
}

/** Creates a Service, `web` by default, for pods with `app: web`. */
export async function makeService(stage: Stage, spec: object = {}, metadata: object = {}): Promise<void> {
  await stage.create("services", {
    metadata: { name: "web", ...metadata },
    spec: { selector: labels, ports: [{ name: "http", port: 80, targetPort: 8080 }], ...spec },
  });
}

/** Patches the Service `web`. */
export async function patchService(stage: Stage, spec: object, metadata: object = {}): Promise<void> {
  await stage.patch("services", "web", { metadata, spec });
}

export interface PodParts {
  readonly labels?: Readonly<Record<string, string>>;
  /** Named ports of the pod's container. */
  readonly ports?: Readonly<Record<string, number>>;
  /** Named ports of a sidecar. */
  readonly sidecarPorts?: Readonly<Record<string, number>>;
  /** Short name of the node; empty for none. Default `one`. */
  readonly node?: string;
  /** If missing, the pod has no status. */
  readonly ips?: readonly string[];
  readonly ready?: boolean;
  /** When its readiness changed, on the scale of `timeOf`. */
  readonly at?: number;
  readonly spec?: object;
  readonly finalizers?: readonly string[];
}

/** The time `at` seconds after a moment 1000 s before the script; `at` is at most 1000. */
export function timeOf({ base }: Stage, at: number): string {
  return new Date(Math.floor(base / 1000) * 1000 - 1_000_000 + at * 1000).toISOString().replace(".000", "");
}

/** Creates a pod with its node and, if it has addresses, its status. */
export async function makePod(stage: Stage, name: string, parts: PodParts = {}): Promise<void> {
  const { node = "one", ips, ports = {}, sidecarPorts } = parts;
  const named = (of: Readonly<Record<string, number>>): object[] =>
    Object.entries(of).map(([name, containerPort]) => ({ name, containerPort }));
  await stage.create("pods", {
    metadata: { name, labels: parts.labels ?? labels, finalizers: parts.finalizers ?? [] },
    spec: {
      containers: [{ name: "main", image: "main:1", ports: named(ports) }],
      ...(sidecarPorts !== undefined && {
        initContainers: [{ name: "side", image: "main:1", restartPolicy: "Always", ports: named(sidecarPorts) }],
      }),
      ...parts.spec,
    },
  });
  if (node !== "")
    await bind(
      stage,
      { metadata: { name, uid: "" }, spec: { containers: [] } } satisfies PodObject,
      ownName(stage, node),
    );
  if (ips !== undefined) await report(stage, name, parts);
}

export interface Status extends Pick<PodParts, "ips" | "ready" | "at"> {
  readonly phase?: string;
}

/** Writes a pod's status as its kubelet would. */
export async function report(
  stage: Stage,
  name: string,
  { ips, ready = true, at = 1, phase = "Running" }: Status,
): Promise<void> {
  const condition = { type: "Ready", status: ready ? "True" : "False", lastTransitionTime: timeOf(stage, at) };
  const addresses = ips === undefined ? {} : { podIP: ips[0], podIPs: ips.map((ip) => ({ ip })) };
  await stage.patch("pods", `${name}/status`, { status: { phase, conditions: [condition], ...addresses } });
}

/** Completes a pod's deletion, or deletes it immediately. */
export function endPod(stage: Stage, name: string): Promise<void> {
  return stage.remove("pods", name, { gracePeriodSeconds: 0 });
}

/** Name of the stage's only slice, or of the first that matches a predicate. */
export async function sliceName(stage: Stage, takes: (slice: SliceObject) => boolean = () => true): Promise<string> {
  const slice = ((await stage.list(EndpointSlices)) as unknown as SliceObject[]).find(takes);
  if (slice === undefined) throw new Error("there is no such EndpointSlice");
  return slice.metadata.name;
}

export interface SliceObject {
  readonly metadata: {
    readonly name: string;
    readonly labels?: Readonly<Record<string, string>>;
    readonly ownerReferences?: readonly { readonly uid: string }[];
  };
  readonly addressType: string;
  readonly endpoints?: readonly SliceEndpoint[] | null;
}

export interface SliceEndpoint {
  readonly addresses: readonly string[];
  readonly conditions: { readonly ready?: boolean; readonly serving?: boolean; readonly terminating?: boolean };
  readonly zone?: string;
  readonly nodeName?: string;
  readonly hints?: {
    readonly forZones?: readonly { readonly name: string }[];
    readonly forNodes?: readonly { readonly name: string }[];
  };
}
