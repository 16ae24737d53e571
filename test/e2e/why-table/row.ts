/** A row of the table of `why`: the objects, what happens to them, the target, and the required diagnosis. */
import type { Cluster } from "../../support/cluster.ts";

export type Json = Readonly<Record<string, unknown>>;

/** When a row's objects are created: while kwok runs their pods, or while it is stopped and statuses are written by hand. */
export type Phase = "run" | "by hand";

export interface Row {
  readonly name: string;
  /** `TYPE/NAME`; for the first of several pods created by a controller: `pods/app=NAME`. */
  readonly target: string;
  readonly namespace?: string;
  readonly objects?: readonly Json[];
  readonly phase?: Phase;
  /** Runs after its objects were created. */
  readonly afterwards?: (hand: Hand) => Promise<void>;
  /** The user who runs `why`; the admin if unset. */
  readonly as?: string;
}

export interface Broken extends Row {
  /** Must match the diagnosis: its first line or a cause. */
  readonly says: RegExp;
  /** The diagnosis is that it cannot be determined. */
  readonly cannotTell?: true;
  /** Must match what the diagnosis names as not seen. */
  readonly notSeen?: RegExp;
}

/** What a row can do to the cluster as admin. */
export interface Hand {
  readonly cluster: Cluster;
  /** Merges into the status. */
  status(path: string, status: Json): Promise<void>;
  patch(path: string, patch: Json): Promise<void>;
  create(path: string, object: Json): Promise<void>;
  remove(path: string, options?: Json): Promise<void>;
  /** The paths of the scheduled pods with this `app` label, once there are `count` of them. */
  pods(app: string, count?: number): Promise<readonly string[]>;
  uidOf(path: string): Promise<string>;
}

export const space = "table";
export const core: string = `/api/v1/namespaces/${space}`;
export const apps: string = `/apis/apps/v1/namespaces/${space}`;
export const batch: string = `/apis/batch/v1/namespaces/${space}`;

type Pods = Json & { readonly meta?: Json };

export const lost: Json = { nodeSelector: { disk: "ssd" } };

export function podSpec(extra: Json = {}): Json {
  const container = { name: "web", image: "web:1", ...(extra["container"] as Json | undefined) };
  const { container: _, ...rest } = extra;
  return { terminationGracePeriodSeconds: 0, containers: [container], ...rest };
}

export function pod(name: string, { meta = {}, ...spec }: Pods = {}): Json {
  return { apiVersion: "v1", kind: "Pod", metadata: { name, labels: { app: name }, ...meta }, spec: podSpec(spec) };
}

function template(app: string, { meta = {}, ...spec }: Pods): Json {
  return { metadata: { labels: { app }, ...meta }, spec: podSpec(spec) };
}

/** A Deployment, ReplicaSet, StatefulSet or DaemonSet. */
export function workload(
  kind: string,
  name: string,
  { spec = {}, pods = {}, meta = {} }: { readonly spec?: Json; readonly pods?: Pods; readonly meta?: Json } = {},
): Json {
  const own = { DaemonSet: {}, StatefulSet: { replicas: 2, serviceName: name } }[kind] ?? { replicas: 2 };
  const selector = { matchLabels: { app: name } };
  return {
    apiVersion: "apps/v1",
    kind,
    metadata: { name, ...meta },
    spec: { ...own, selector, template: template(name, pods), ...spec },
  };
}

export function controller(name: string, pods: Pods = {}): Json {
  const spec = { replicas: 1, selector: { app: name }, template: template(name, pods) };
  return { apiVersion: "v1", kind: "ReplicationController", metadata: { name }, spec };
}

export function job(
  name: string,
  { spec = {}, pods = {}, meta = {} }: { readonly spec?: Json; readonly pods?: Json; readonly meta?: Json } = {},
): Json {
  const made = { metadata: { labels: { app: name } }, spec: podSpec({ restartPolicy: "Never", ...pods }) };
  return { apiVersion: "batch/v1", kind: "Job", metadata: { name, ...meta }, spec: { template: made, ...spec } };
}

export function cronJob(name: string, spec: Json = {}): Json {
  const jobTemplate = { spec: { template: { spec: podSpec({ restartPolicy: "Never" }) } } };
  // Only in leap years, at night.
  return {
    apiVersion: "batch/v1",
    kind: "CronJob",
    metadata: { name },
    spec: { schedule: "7 3 29 2 *", jobTemplate, ...spec },
  };
}

export function service(name: string, spec: Json): Json {
  return { apiVersion: "v1", kind: "Service", metadata: { name }, spec: { ports: [{ port: 80 }], ...spec } };
}

export function ingress(
  name: string,
  {
    backend = "svc-fine",
    port = 80,
    spec = {},
  }: { readonly backend?: string; readonly port?: number; readonly spec?: Json } = {},
): Json {
  const defaultBackend = { service: { name: backend, port: { number: port } } };
  return {
    apiVersion: "networking.k8s.io/v1",
    kind: "Ingress",
    metadata: { name },
    spec: { ingressClassName: "there", defaultBackend, ...spec },
  };
}

export function claim(name: string, spec: Json = {}, meta: Json = {}): Json {
  const resources = { requests: { storage: "1Gi" } };
  return {
    apiVersion: "v1",
    kind: "PersistentVolumeClaim",
    metadata: { name, ...meta },
    spec: { accessModes: ["ReadWriteOnce"], resources, ...spec },
  };
}

export function volume(name: string, spec: Json = {}): Json {
  const rest = { capacity: { storage: "1Gi" }, accessModes: ["ReadWriteOnce"], hostPath: { path: "/tmp/x" } };
  const own = { persistentVolumeReclaimPolicy: "Retain", storageClassName: `only-${name}`, ...rest };
  return { apiVersion: "v1", kind: "PersistentVolume", metadata: { name }, spec: { ...own, ...spec } };
}

export function budget(name: string, app: string, minAvailable: number): Json {
  const spec = { minAvailable, selector: { matchLabels: { app } } };
  return { apiVersion: "policy/v1", kind: "PodDisruptionBudget", metadata: { name }, spec };
}

export function data(kind: string, name: string, meta: Json = {}): Json {
  return { apiVersion: "v1", kind, metadata: { name, ...meta } };
}

export function widget(name: string, spec: Json = {}): Json {
  return { apiVersion: "example.com/v1", kind: "Widget", metadata: { name }, spec };
}

export const widgets: string = `/apis/example.com/v1/namespaces/${space}/widgets`;

/** Returns a function that writes the status of a widget. */
export function widgetStatus(name: string, status: Json): (hand: Hand) => Promise<void> {
  return (hand) => hand.status(`${widgets}/${name}`, status);
}

export function condition(type: string, status: string, rest: Json = {}): Json {
  const time = { lastTransitionTime: new Date().toISOString().replace(/\.\d+/, "") };
  return { conditions: [{ type, status, reason: "Because", message: "", ...time, ...rest }] };
}

/** The status that a kubelet would write for a pod with the container `web`. */
export function kubeletStatus(
  container: Json,
  { phase = "Running", isReady = false }: { readonly phase?: string; readonly isReady?: boolean } = {},
): Json {
  const status = isReady ? "True" : "False";
  return {
    phase,
    conditions: [
      { type: "PodScheduled", status: "True" },
      { type: "Ready", status },
      { type: "ContainersReady", status },
    ],
    containerStatuses: [
      { name: "web", ready: isReady, started: isReady, restartCount: 0, image: "web:1", imageID: "", ...container },
    ],
  };
}

/** Returns a function that writes this status to the pods of an app. */
export function podsHave(app: string, status: Json, count = 1): (hand: Hand) => Promise<void> {
  return async (hand) => {
    for (const path of await hand.pods(app, count)) await hand.status(path, status);
  };
}

export const backOff: Json = kubeletStatus({
  restartCount: 4,
  state: { waiting: { reason: "CrashLoopBackOff", message: "back-off 40s restarting failed container=web pod=x" } },
  lastState: {
    terminated: { exitCode: 3, reason: "Error", startedAt: "2026-01-01T00:00:00Z", finishedAt: "2026-01-01T00:00:01Z" },
  },
});
export const noImage: Json = kubeletStatus(
  { state: { waiting: { reason: "ImagePullBackOff", message: 'Back-off pulling image "web:1"' } } },
  { phase: "Pending" },
);
export const creating: Json = kubeletStatus(
  { state: { waiting: { reason: "ContainerCreating" } } },
  { phase: "Pending" },
);
