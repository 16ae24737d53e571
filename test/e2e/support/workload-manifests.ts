/** The objects of the workload scene, as they are sent. */

export type Phase = "Succeeded" | "Failed";

/** The scheduler name of pods that only the scene ends: no scheduler has it. */
const byHand = "by-hand";
/** A node that no scene changes. */
const steadyNode = "fake-0";

const storage = { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } };

const container = (image: number): object => ({ name: "main", image: `main:${image}` });
/** A patch of the containers of a template. */
export const templateOf = (image: number): object => ({ template: { spec: { containers: [container(image)] } } });

const podTemplate = (name: string, image: number, rest: object = {}): object => ({
  metadata: { labels: { app: name } },
  spec: { terminationGracePeriodSeconds: 1, containers: [container(image)], ...rest },
});

/** `ordered` creates one pod after another, `parallel` all at once. Their claims have opposite retention policies. */
export function statefulSet(name: string, { replicas, image }: { replicas: number; image: number }): object {
  const isOrdered = name === "ordered";
  return {
    metadata: { name },
    spec: {
      replicas,
      serviceName: name,
      selector: { matchLabels: { app: name } },
      podManagementPolicy: isOrdered ? "OrderedReady" : "Parallel",
      persistentVolumeClaimRetentionPolicy: isOrdered
        ? { whenDeleted: "Delete", whenScaled: "Retain" }
        : { whenDeleted: "Retain", whenScaled: "Delete" },
      // Claims are never bound here, and the scheduler would wait for that.
      template: podTemplate(name, image, { nodeName: steadyNode }),
      volumeClaimTemplates: [{ metadata: { name: "data" }, spec: storage }],
    },
  };
}

/** `everywhere` runs on each node, `gold` on the nodes of that pool. */
export function daemonSet(name: string, image: number): object {
  const rest = name === "gold" ? { nodeSelector: { pool: "gold" } } : {};
  return {
    metadata: { name },
    spec: { selector: { matchLabels: { app: name } }, template: podTemplate(name, image, rest) },
  };
}

export interface JobParts {
  readonly completions: number;
  readonly parallelism: number;
  readonly isIndexed: boolean;
  /** It fails with its first pod, which the scene makes fail. */
  readonly fails: boolean;
  /** It is deleted soon after it finishes. */
  readonly isShort: boolean;
}

export function job(name: string, { completions, parallelism, isIndexed, fails, isShort }: JobParts): object {
  return {
    metadata: { name, labels: { by: "hand", ...(fails && { fails: "yes" }) } },
    spec: {
      completions,
      parallelism,
      completionMode: isIndexed ? "Indexed" : "NonIndexed",
      backoffLimit: fails ? 0 : 1000,
      ...(isShort && { ttlSecondsAfterFinished: 1 }),
      template: podTemplate(name, 0, { restartPolicy: "Never", schedulerName: byHand }),
    },
  };
}

/** kwok runs its pods, which end by themselves. */
export function cronJob(name: string): object {
  const spec = { template: podTemplate(name, 0, { restartPolicy: "Never", nodeName: steadyNode }) };
  return { metadata: { name }, spec: { schedule: "* * * * *", successfulJobsHistoryLimit: 1, jobTemplate: { spec } } };
}

/** Applies to the pods of the StatefulSet with that name. */
export function budget(name: string, limit: object): object {
  return { metadata: { name }, spec: { selector: { matchLabels: { app: name } }, ...limit } };
}

export function deployment(name: string, replicas: number): object {
  const template = podTemplate(name, 0, { nodeName: steadyNode });
  return { metadata: { name }, spec: { replicas, selector: { matchLabels: { app: name } }, template } };
}

/** There are no metrics here: the autoscaler only enforces its bounds. */
export function autoscaler(name: string, [minReplicas, maxReplicas]: readonly [number, number]): object {
  const scaleTargetRef = { apiVersion: "apps/v1", kind: "Deployment", name };
  return { metadata: { name }, spec: { minReplicas, maxReplicas, scaleTargetRef } };
}

/** A node for DaemonSet pods only: other pods would have to be garbage-collected when it is deleted. */
export function node(name: string): object {
  const room = { cpu: "32", memory: "256Gi", pods: "1100" };
  return {
    metadata: {
      name,
      annotations: { "kwok.x-k8s.io/node": "fake" },
      labels: { "kubernetes.io/hostname": name, "kubernetes.io/os": "linux", pool: "gold" },
    },
    spec: { unschedulable: true },
    status: { allocatable: room, capacity: room },
  };
}

/** The status that a kubelet reports for a pod that ended `ms` after 1970. */
export function ended(phase: Phase, ms: number): object {
  const at = `${new Date(ms).toISOString().slice(0, 19)}Z`;
  const terminated = { exitCode: phase === "Failed" ? 1 : 0, startedAt: at, finishedAt: at };
  const status = { name: "main", image: "", imageID: "", ready: false, restartCount: 0, state: { terminated } };
  return { status: { phase, containerStatuses: [status] } };
}
