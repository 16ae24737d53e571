/** Actions of users on Deployments, and of kubelets on their pods. */
import { setPodState } from "../../acts.ts";
import type { Json, Meta, PodObject } from "../../objects.ts";
import type { Step } from "../../play.ts";
import type { Stage } from "../../stage.ts";

export interface DeploymentParts {
  readonly replicas?: number;
  /** `maxSurge` and `maxUnavailable`, or `"Recreate"`. */
  readonly strategy?: "Recreate" | readonly [maxSurge: number | string, maxUnavailable: number | string];
  readonly image?: number;
  /** Additional metadata of the Deployment itself. */
  readonly metadata?: object;
  readonly spec?: object;
  readonly podSpec?: object;
  readonly podMetadata?: object;
  readonly labels?: Readonly<Record<string, string>>;
}

export function strategyOf(strategy: NonNullable<DeploymentParts["strategy"]>): object {
  if (strategy === "Recreate") return { type: "Recreate", rollingUpdate: null };
  const [maxSurge, maxUnavailable] = strategy;
  return { type: "RollingUpdate", rollingUpdate: { maxSurge, maxUnavailable } };
}

export function containersOf(image: number): object[] {
  return [{ name: "main", image: `main:${image}` }];
}

export function deploymentNamed(name: string, parts: DeploymentParts = {}): object {
  const labels = parts.labels ?? { app: name };
  return {
    metadata: { name, ...parts.metadata },
    spec: {
      replicas: parts.replicas ?? 3,
      selector: { matchLabels: labels },
      ...(parts.strategy !== undefined && { strategy: strategyOf(parts.strategy) }),
      template: {
        metadata: { labels, ...parts.podMetadata },
        spec: { containers: containersOf(parts.image ?? 1), ...parts.podSpec },
      },
      ...parts.spec,
    },
  };
}

const ready = ({ status }: PodObject): boolean =>
  status?.conditions?.some((condition) => condition.type === "Ready" && condition.status === "True") === true;

const active = ({ metadata, status }: PodObject): boolean =>
  metadata.deletionTimestamp === undefined && status?.phase !== "Failed" && status?.phase !== "Succeeded";

/** Pods of existing ReplicaSets: those of a deleted one look like its successor's, so picking one would be random. */
export async function podsOfSets(stage: Stage): Promise<readonly PodObject[]> {
  const uids = new Set((await replicaSetsOn(stage)).map(({ metadata }) => metadata.uid));
  return stage.pods(({ metadata }) => uids.has(metadata.ownerReferences?.[0]?.uid ?? ""));
}

/** The active pods among them that are ready, or not, in the same order on every side. */
export async function podsThat(stage: Stage, are: "ready" | "not ready"): Promise<readonly PodObject[]> {
  return (await podsOfSets(stage)).filter((pod) => active(pod) && ready(pod) === (are === "ready"));
}

/** ReplicaSets, sorted by revision. */
export async function replicaSetsOn(
  stage: Stage,
): Promise<readonly { readonly metadata: Meta; readonly spec: Json }[]> {
  const sets = (await stage.list("replicasets")) as unknown as readonly { metadata: Meta; spec: Json }[];
  const revision = ({ metadata }: { readonly metadata: Meta }): number =>
    Number(metadata.annotations?.["deployment.kubernetes.io/revision"] ?? 0);
  return [...sets].sort((a, b) => revision(a) - revision(b) || (a.metadata.name < b.metadata.name ? -1 : 1));
}

export function create(parts: DeploymentParts = {}, name = "web"): Step {
  return {
    name: `create ${name}`,
    order: true,
    act: (stage) => stage.create("deployments", deploymentNamed(name, parts)),
  };
}

/** Makes all existing pods ready together. If that causes more than one step of a rollout, use `oneReady` instead. */
export const allReady: Step = {
  name: "all pods become ready",
  async act(stage) {
    for (const pod of await podsThat(stage, "not ready")) await setPodState(stage, pod, { ready: true });
  },
};

export const oneReady: Step = {
  name: "a pod becomes ready",
  order: true,
  async act(stage) {
    const [pod] = await podsThat(stage, "not ready");
    if (pod !== undefined) await setPodState(stage, pod, { ready: true });
  },
};

/** Makes pods ready, one after the other, each when all is quiet. */
export function readyOneByOne(count: number): Step[] {
  return Array.from({ length: count }, (_, n) => ({ ...oneReady, name: `a pod becomes ready (${n + 1})` }));
}

/** Applies a merge patch to the Deployment. */
export function patch(name: string, body: object, more: Partial<Step> = {}): Step {
  return { name, order: true, act: (stage) => stage.patch("deployments", "web", body), ...more };
}

export function spec(name: string, body: object, more: Partial<Step> = {}): Step {
  return patch(name, { spec: body }, more);
}

export function image(version: number, more: Partial<Step> = {}): Step {
  return spec(`set image ${version}`, { template: { spec: { containers: containersOf(version) } } }, more);
}

export function replicas(count: number): Step {
  return spec(`scale to ${count}`, { replicas: count });
}

export const pause: Step = spec("pause", { paused: true });
export const resume: Step = spec("resume", { paused: false });

/** Acts on the ReplicaSet with the n-th lowest revision, counted from 0. */
export function toReplicaSet(name: string, n: number, act: (stage: Stage, name: string) => Promise<unknown>): Step {
  return {
    name,
    order: true,
    async act(stage) {
      const one = (await replicaSetsOn(stage))[n];
      if (one === undefined) throw new RangeError(`there is no ReplicaSet number ${n}`);
      await act(stage, one.metadata.name);
    },
  };
}
