/** Actions of users on StatefulSets, and of kubelets on their pods. */
import { bind, removePod, setPodState } from "../../acts.ts";
import { type Json, type Meta, type PodObject, hasEnded, isGoing, isReady } from "../../objects.ts";
import type { Step } from "../../play.ts";
import type { Stage } from "../../stage.ts";

export interface StatefulSetParts {
  readonly replicas?: number;
  readonly image?: number;
  /** Whether podManagementPolicy is Parallel. */
  readonly parallel?: boolean;
  /** Names of the claims of each pod. */
  readonly claims?: readonly string[];
  /** `whenDeleted` and `whenScaled`. */
  readonly retention?: readonly [whenDeleted: string, whenScaled: string];
  /** Additional metadata of the StatefulSet itself. */
  readonly metadata?: object;
  readonly spec?: object;
  readonly podMetadata?: object;
  readonly podSpec?: object;
  readonly labels?: Readonly<Record<string, string>>;
}

export function containersOf(image: number): object[] {
  return [{ name: "main", image: `main:${image}` }];
}

export function claimTemplate(name: string): object {
  return {
    metadata: { name },
    spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } },
  };
}

export const retentionOf = ([whenDeleted, whenScaled]: readonly [string, string]): object => ({
  persistentVolumeClaimRetentionPolicy: { whenDeleted, whenScaled },
});

export function statefulSetNamed(name: string, parts: StatefulSetParts = {}): object {
  const labels = parts.labels ?? { app: name };
  return {
    metadata: { name, ...parts.metadata },
    spec: {
      replicas: parts.replicas ?? 3,
      serviceName: name,
      selector: { matchLabels: labels },
      ...(parts.parallel === true && { podManagementPolicy: "Parallel" }),
      ...(parts.claims !== undefined && { volumeClaimTemplates: parts.claims.map(claimTemplate) }),
      ...(parts.retention !== undefined && retentionOf(parts.retention)),
      template: {
        metadata: { labels, ...parts.podMetadata },
        spec: { containers: containersOf(parts.image ?? 1), ...parts.podSpec },
      },
      ...parts.spec,
    },
  };
}

export function create(parts: StatefulSetParts = {}, name = "db"): Step {
  return {
    name: `create ${name}`,
    order: parts.parallel !== true,
    act: (stage) => stage.create("statefulsets", statefulSetNamed(name, parts)),
  };
}

/** Applies a merge patch to the StatefulSet. */
export function patch(name: string, body: object, more: Partial<Step> = {}): Step {
  return { name, order: true, act: (stage) => stage.patch("statefulsets", "db", body), ...more };
}

export function spec(name: string, body: object, more: Partial<Step> = {}): Step {
  return patch(name, { spec: body }, more);
}

export function image(version: number, more: Partial<Step> = {}): Step {
  return spec(`set image ${version}`, { template: { spec: { containers: containersOf(version) } } }, more);
}

export function replicas(count: number, more: Partial<Step> = {}): Step {
  return spec(`scale to ${count}`, { replicas: count }, more);
}

export function partition(count: number): Step {
  return spec(`set partition ${count}`, {
    updateStrategy: { type: "RollingUpdate", rollingUpdate: { partition: count } },
  });
}

const ordinal = ({ metadata }: PodObject): number => Number(/\d+$/.exec(metadata.name)?.[0] ?? -1);

export type Which = "ready" | "not ready" | "going" | "ended" | "alive";

const states: Readonly<Record<Which, (pod: PodObject) => boolean>> = {
  ready: (pod) => isReady(pod) && !isGoing(pod) && !hasEnded(pod),
  "not ready": (pod) => !isReady(pod) && !isGoing(pod) && !hasEnded(pod),
  going: isGoing,
  ended: hasEnded,
  alive: (pod) => !isGoing(pod),
};

/** The pods in a state, lowest ordinal first. */
export async function podsThat(stage: Stage, are: Which): Promise<readonly PodObject[]> {
  return [...(await stage.pods(states[are]))].sort((a, b) => ordinal(a) - ordinal(b));
}

/** Binds a pod and makes it ready, so that its deletion is graceful. */
export async function run(stage: Stage, pod: PodObject, readyForMs?: number): Promise<void> {
  if (pod.spec.nodeName === undefined) await bind(stage, pod, "one");
  await setPodState(stage, pod, { ready: true, ...(readyForMs !== undefined && { readyForMs }) });
}

/** Acts on the pod with this name, if it exists. */
export function toPod(name: string, pod: string, act: (stage: Stage, pod: PodObject) => Promise<unknown>): Step {
  return {
    name,
    order: true,
    async act(stage) {
      const [found] = await stage.pods(({ metadata }) => metadata.name === pod);
      if (found !== undefined) await act(stage, found);
    },
  };
}

export const ready = (pod: string): Step => toPod(`${pod} becomes ready`, pod, run);
export const unready = (pod: string): Step =>
  toPod(`${pod} becomes unready`, pod, (stage, found) => setPodState(stage, found, { ready: false }));
export const fails = (pod: string, phase: "Failed" | "Succeeded" = "Failed"): Step =>
  toPod(`set ${pod} to ${phase}`, pod, (stage, found) => setPodState(stage, found, { phase, ready: false }));
export const deleted = (pod: string): Step => toPod(`delete ${pod}`, pod, removePod);

/** Completes the deletion of a pod, as the kubelet does: it is gone. */
export const ends = (pod: string): Step =>
  toPod(`remove ${pod}`, pod, (stage, found) => removePod(stage, found, "at once"));

/** Makes all existing pods run and become ready. */
export const allReady: Step = {
  name: "all pods become ready",
  async act(stage) {
    for (const pod of await podsThat(stage, "not ready")) await run(stage, pod);
  },
};

/** Removes all pods that are being deleted. */
export const allEnd: Step = {
  name: "remove the terminating pods",
  async act(stage) {
    for (const pod of await podsThat(stage, "going")) await removePod(stage, pod, "at once");
  },
};

/** ControllerRevisions, sorted by revision number. */
export async function revisionsOn(
  stage: Stage,
): Promise<readonly { readonly metadata: Meta; readonly revision: number }[]> {
  const revisions = (await stage.list("controllerrevisions")) as unknown as readonly {
    metadata: Meta;
    revision: number;
  }[];
  return [...revisions].sort((a, b) => a.revision - b.revision || (a.metadata.name < b.metadata.name ? -1 : 1));
}

export async function claimsOn(stage: Stage): Promise<readonly (Json & { readonly metadata: Meta })[]> {
  const claims = (await stage.list("persistentvolumeclaims")) as unknown as readonly (Json & { metadata: Meta })[];
  return [...claims].sort((a, b) => (a.metadata.name < b.metadata.name ? -1 : 1));
}

/** Removes a claim, as if a garbage collector ran and no protection controller. */
export function removeClaim(name: string): Step {
  return {
    name: `remove ${name}`,
    async act(stage) {
      await stage.patch("persistentvolumeclaims", name, { metadata: { finalizers: null } });
      await stage.remove("persistentvolumeclaims", name);
    },
  };
}
