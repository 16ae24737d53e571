/** Autoscalers, a Deployment without a controller, its pods, and their reported usage. */
import { timeAgo } from "../../acts.ts";
import { podNamed, templateOf } from "../../objects.ts";
import type { Step } from "../../suite.ts";
import type { Stage } from "../../stage.ts";

const labels = { app: "web" } as const;
const prefix = "sandbox.kubectl-reconcile.io/";
const hour = 3_600_000;

/** An autoscaler for the Deployment, with these metrics and bounds. */
export function autoscaler(spec: object, name = "web"): object {
  const scaleTargetRef = { apiVersion: "apps/v1", kind: "Deployment", name: "web" };
  return { metadata: { name }, spec: { scaleTargetRef, minReplicas: 1, maxReplicas: 10, ...spec } };
}

/** A CPU metric with a target utilization in percent of the requests. */
export function cpu(averageUtilization: number): object {
  return { type: "Resource", resource: { name: "cpu", target: { type: "Utilization", averageUtilization } } };
}

/** Sets the annotations with the metrics of an object, such as `services/web`. `null` removes one. */
export function say(stage: Stage, of: string, values: Readonly<Record<string, string | null>>): Promise<unknown> {
  const [resource, name = stage.namespace] = of.split("/") as [string, string?];
  const path =
    resource === "namespaces"
      ? `/api/v1/namespaces/${name}`
      : `${resource === "deployments" ? "/apis/apps/v1" : "/api/v1"}/namespaces/${stage.namespace}/${resource}/${name}`;
  const annotations = Object.fromEntries(Object.entries(values).map(([key, value]) => [`${prefix}${key}`, value]));
  return stage.cluster.request("PATCH", path, { metadata: { annotations } }, { "content-type": mergePatch });
}

const mergePatch = "application/merge-patch+json";

/** Sets the total usage of all pods of the Deployment. */
export function load(values: Readonly<Record<string, string | null>>): Step {
  return { name: `set the usage to ${JSON.stringify(values)}`, act: (stage) => say(stage, "deployments/web", values) };
}

export interface PodParts {
  readonly ready?: boolean;
  readonly phase?: string;
  /** CPU request. Default 100m; an empty string means no requests. */
  readonly request?: string;
  /** Default: an hour. */
  readonly startedMsAgo?: number;
  readonly readyMsAgo?: number;
}

/** Creates a pod of the Deployment, with the status that a kubelet would write. */
export async function runPod(stage: Stage, name: string, parts: PodParts = {}): Promise<void> {
  const { request = "100m" } = parts;
  const { metadata } = await stage.get("deployments", "web");
  const { uid } = metadata as { readonly uid: string };
  const owner = { apiVersion: "apps/v1", kind: "Deployment", name: "web", uid, controller: true };
  const resources = request === "" ? {} : { resources: { requests: { cpu: request, memory: "64Mi" } } };
  const spec = { containers: [{ name: "web", image: "web:1", ...resources }] };
  await stage.create("pods", podNamed(name, labels, { metadata: { ownerReferences: [owner] }, spec }));
  await report(stage, name, parts);
}

/** Writes a pod's status. */
export async function report(stage: Stage, name: string, parts: PodParts): Promise<void> {
  const { ready = true, phase = "Running", startedMsAgo = hour, readyMsAgo = hour } = parts;
  const lastTransitionTime = timeAgo(stage, readyMsAgo);
  const conditions = [{ type: "Ready", status: ready ? "True" : "False", lastTransitionTime }];
  const started = phase === "Running" ? { startTime: timeAgo(stage, startedMsAgo), conditions } : {};
  await stage.patch("pods", `${name}/status`, { status: { phase, ...started } });
}

/** Creates a Deployment with this number of replicas, and one pod per letter of `pods`. */
export async function workload(
  stage: Stage,
  { replicas = 2, pods = "ab", use = {} }: Readonly<{ replicas?: number; pods?: string; use?: object }>,
): Promise<void> {
  const annotations = Object.fromEntries(Object.entries(use).map(([key, value]) => [`${prefix}${key}`, value]));
  await stage.create("deployments", {
    metadata: { name: "web", annotations },
    spec: { replicas, selector: { matchLabels: labels }, template: templateOf("web", { labels }) },
  });
  await stage.patch("deployments", "web/status", { status: { replicas } });
  for (const name of pods) await runPod(stage, name);
}

/** Creates the workload and its autoscaler. */
export function begin(spec: object, parts: Parameters<typeof workload>[1] = {}): Step {
  return {
    name: `create a Deployment and its autoscaler with ${JSON.stringify(spec)}`,
    async act(stage) {
      await workload(stage, parts);
      await stage.create("horizontalpodautoscalers", autoscaler(spec));
    },
  };
}

/** Changes the autoscaler's spec. `null` removes a field. */
export function change(spec: object): Step {
  return {
    name: `change the autoscaler to ${JSON.stringify(spec)}`,
    act: (stage) => stage.patch("horizontalpodautoscalers", "web", { spec }),
  };
}

/** Scales the Deployment as another client would. */
export function scaleTo(replicas: number): Step {
  return {
    name: `another client scales to ${replicas}`,
    act: (stage) => stage.patch("deployments", "web/scale", { spec: { replicas } }),
  };
}

export function step(name: string, act: Step["act"]): Step {
  return { name, act };
}
