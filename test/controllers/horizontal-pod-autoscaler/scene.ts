/** An autoscaler of the Deployment web, with an API server that serves only scales and metrics. */
import { Deployments, HorizontalPodAutoscalers, Pods } from "../../../src/api/kinds.ts";
import { StatusError } from "../../../src/api/status-error.ts";
import { formatTime } from "../../../src/api/time.ts";
import type { HorizontalPodAutoscaler, Pod } from "../../../src/api/types.ts";
import type { SyncClient } from "../../../src/controller/api/sync-context.ts";
import { defineAutoscaler } from "../../../src/controllers/horizontal-pod-autoscaler/horizontal-pod-autoscaler.ts";
import type { AutoscalerSpec } from "../../../src/controllers/horizontal-pod-autoscaler/spec.ts";
import { type Scene, syncScene } from "../../support/sync-context.ts";

/** The usage of one pod's container web, measured `ageMs` ago over `window`. */
export interface Usage {
  readonly pod: string;
  readonly cpu: string;
  readonly memory?: string;
  readonly ageMs?: number;
  readonly window?: string;
}

export interface AutoscalerScene {
  readonly scene: Scene;
  /** The replicas and selector of the target's scale. */
  replicas: number;
  selector: string;
  /** The response of metrics.k8s.io; an error rejects the request. */
  usage: readonly Usage[] | StatusError;
  /** The responses for other metrics, by path and query. */
  readonly values: Map<string, readonly object[] | StatusError>;
  /** Errors for the next writes of the scale. */
  refuseScale: StatusError[];
  /** The replicas of the scale's status; if undefined, those of its spec. */
  statusReplicas: number | undefined;
  /** The resourceVersions of all scales that were sent, including rejected ones. */
  readonly sentVersions: (string | undefined)[];
  /** All values of replicas that were written. */
  readonly scaled: number[];
  autoscaler(): HorizontalPodAutoscaler;
  /** Replaces the pods. */
  putPods(...pods: readonly Pod[]): void;
  /** Syncs and delivers; returns the error if the sync failed. */
  sync(): Promise<string | undefined>;
}

export const key = "default/web";
const since = "2026-11-21T09:00:00Z";

/** 80% of the CPU requests of the pods, 1 to 10 replicas. */
export const usual: AutoscalerSpec = {
  scaleTargetRef: { apiVersion: "apps/v1", kind: "Deployment", name: "web" },
  minReplicas: 1,
  maxReplicas: 10,
  metrics: [{ type: "Resource", resource: { name: "cpu", target: { type: "Utilization", averageUtilization: 80 } } }],
};

export function autoscaler(spec: AutoscalerSpec, name = "web"): HorizontalPodAutoscaler {
  const metadata = { name, namespace: "default", uid: `uid-${name}`, resourceVersion: "1", creationTimestamp: since };
  return { metadata, spec };
}

interface PodFields {
  readonly now: number;
  readonly ready?: boolean;
  readonly startedMsAgo?: number;
  readonly changedMsAgo?: number;
  readonly request?: string;
  readonly labels?: Readonly<Record<string, string>>;
}

/** A pod that requests 100m and has been ready for an hour by default. */
export function pod(name: string, fields: PodFields): Pod {
  const { now, ready = true, startedMsAgo = 3_600_000, changedMsAgo = 3_600_000, request = "100m" } = fields;
  const object = {
    metadata: { name, namespace: "default", uid: `uid-${name}`, labels: fields.labels ?? { app: "web" } },
    spec: { containers: [{ name: "web", resources: { requests: { cpu: request, memory: "64Mi" } } }] },
    status: {
      phase: "Running",
      startTime: formatTime(now - startedMsAgo),
      conditions: [
        { type: "Ready", status: ready ? "True" : "False", lastTransitionTime: formatTime(now - changedMsAgo) },
      ],
    },
  };
  // A pod with only the fields that the controller reads.
  return object as unknown as Pod;
}

export const unavailable: StatusError = new StatusError(503, { code: 503 });

const groups = {
  groups: [
    { name: "apps", versions: [{ version: "v1" }] },
    { name: "custom.metrics.k8s.io", versions: [{ version: "v1beta1" }, { version: "v1beta2" }] },
  ],
};
const resources: Readonly<Record<string, object>> = {
  "/api": { versions: ["v1"] },
  "/apis": groups,
  "/api/v1": { resources: [{ name: "services", kind: "Service", namespaced: true, verbs: ["get"] }] },
  "/apis/apps/v1": { resources: [{ name: "deployments", kind: "Deployment", namespaced: true, verbs: ["get"] }] },
};

const usagePath = "/apis/metrics.k8s.io/v1beta1/namespaces/default/pods";

export function autoscalerScene(
  spec: AutoscalerSpec = usual,
  options: Parameters<typeof defineAutoscaler>[0] = {},
): AutoscalerScene {
  const scene = syncScene(defineAutoscaler(options));
  const it: AutoscalerScene = {
    scene,
    replicas: 2,
    selector: "app=web",
    usage: [],
    values: new Map(),
    refuseScale: [],
    statusReplicas: undefined,
    sentVersions: [],
    scaled: [],
    autoscaler() {
      const [found] = scene.live(HorizontalPodAutoscalers).filter(({ metadata }) => metadata.name === "web");
      if (found === undefined) throw new Error("the autoscaler is gone");
      return found;
    },
    putPods(...pods) {
      const gone = new Set(scene.cached(Pods).map(({ metadata }) => metadata.name));
      for (const each of pods) gone.delete(each.metadata.name);
      scene.put(Pods, ...pods);
      for (const name of gone) scene.deleteLive(Pods, `default/${name}`);
      scene.deliver();
    },
    async sync() {
      try {
        await scene.sync(key);
        return undefined;
      } catch (error) {
        return (error as Error).message;
      } finally {
        scene.deliver();
      }
    },
  };
  scene.beyond = { raw: rawOf(it), ...scalesOf(it) };
  scene.put(HorizontalPodAutoscalers, autoscaler(spec));
  scene.notify(HorizontalPodAutoscalers, { type: "added", object: autoscaler(spec), initial: true });
  return it;
}

function rawOf(it: AutoscalerScene): SyncClient["raw"] {
  return async (path) => {
    const bare = path.split("?")[0] ?? "";
    if (bare === usagePath) {
      if (it.usage instanceof StatusError) throw it.usage;
      return { items: it.usage.map((usage) => usageItem(usage, it.scene.now)) };
    }
    const found = resources[bare] ?? it.values.get(path);
    if (found === undefined) throw new StatusError(404, { code: 404 });
    if (found instanceof StatusError) throw found;
    return Array.isArray(found) ? { items: found } : found;
  };
}

function usageItem({ pod: name, cpu, memory, ageMs = 0, window = "30s" }: Usage, now: number): object {
  const containers = [{ name: "web", usage: { cpu, ...(memory !== undefined && { memory }) } }];
  return { metadata: { name }, timestamp: formatTime(now - ageMs), window, containers };
}

function scalesOf(it: AutoscalerScene): Pick<SyncClient, "getScale" | "updateScale"> {
  const scale = () => ({
    metadata: {
      name: "web",
      namespace: "default",
      uid: "uid",
      resourceVersion: String(it.sentVersions.length),
      creationTimestamp: since,
    },
    spec: { replicas: it.replicas },
    status: { replicas: it.statusReplicas ?? it.replicas, selector: it.selector },
  });
  const found = (kind: string, name: string): void => {
    if (kind === Deployments.kind && name === "web") return;
    throw new StatusError(404, { kind: "Status", code: 404, message: `deployments.apps "${name}" not found` });
  };
  return {
    async getScale({ kind }, { name }) {
      found(kind, name);
      return scale();
    },
    async updateScale(_kind, _at, { metadata, spec }) {
      it.sentVersions.push(metadata.resourceVersion);
      const refusal = it.refuseScale.shift();
      if (refusal !== undefined) throw refusal;
      it.replicas = spec.replicas ?? 0;
      it.scaled.push(it.replicas);
      return scale();
    },
  };
}
