/**
 * Actions of users on DaemonSets and nodes, and of kubelets on their pods. All DaemonSets of a script select its own nodes by a label,
 * because other scripts run on the same cluster. Which of several equal nodes a rollout begins with is random, upstream too: once nodes may
 * differ, steps identify nodes and pods by their observable properties, never by name alone.
 */
import { pathOf } from "../../../../src/api/kind.ts";
import { bind, type PodState, removePod, setPodState } from "../../acts.ts";
import { known } from "../../kinds.ts";
import { type Json, type Meta, type PodObject, hasEnded, isGoing, isReady } from "../../objects.ts";
import type { Step } from "../../play.ts";
import type { Stage } from "../../stage.ts";

export interface DaemonSetParts {
  readonly image?: number;
  readonly labels?: Readonly<Record<string, string>>;
  /** Additional metadata of the DaemonSet itself. */
  readonly metadata?: object;
  /** `maxUnavailable` and `maxSurge`. */
  readonly rolling?: readonly [maxUnavailable: number | string, maxSurge: number | string];
  readonly spec?: object;
  readonly podMetadata?: object;
  readonly podSpec?: object;
  /** In addition to the label of the script's nodes. */
  readonly nodeSelector?: Readonly<Record<string, string>>;
}

export const rollingOf = ([maxUnavailable, maxSurge]: readonly [number | string, number | string]): object => ({
  updateStrategy: { type: "RollingUpdate", rollingUpdate: { maxUnavailable, maxSurge } },
});

export function containersOf(image: number): object[] {
  return [{ name: "main", image: `main:${image}` }];
}

export function daemonSetOn(stage: Stage, name: string, parts: DaemonSetParts = {}): object {
  const labels = parts.labels ?? { app: name };
  return {
    metadata: { name, ...parts.metadata },
    spec: {
      selector: { matchLabels: labels },
      ...(parts.rolling !== undefined && rollingOf(parts.rolling)),
      template: {
        metadata: { labels, ...parts.podMetadata },
        spec: {
          containers: containersOf(parts.image ?? 1),
          nodeSelector: { stage: stage.namespace, ...parts.nodeSelector },
          ...parts.podSpec,
        },
      },
      ...parts.spec,
    },
  };
}

export function create(parts: DaemonSetParts = {}, name = "agent"): Step {
  return { name: `create ${name}`, act: (stage) => stage.create("daemonsets", daemonSetOn(stage, name, parts)) };
}

/** Applies a merge patch to the DaemonSet. */
export function patch(name: string, body: object | ((stage: Stage) => object), more: Partial<Step> = {}): Step {
  const of = (stage: Stage): object => (typeof body === "function" ? body(stage) : body);
  return { name, act: (stage) => stage.patch("daemonsets", "agent", of(stage)), ...more };
}

export function spec(name: string, body: object, more: Partial<Step> = {}): Step {
  return patch(name, { spec: body }, more);
}

export function podSpec(name: string, body: object): Step {
  return spec(name, { template: { spec: body } });
}

export function image(version: number, more: Partial<Step> = {}): Step {
  return spec(`set image ${version}`, { template: { spec: { containers: containersOf(version) } } }, more);
}

export function rolling(maxUnavailable: number | string, maxSurge: number | string): Step {
  return spec(`set maxUnavailable ${maxUnavailable}, maxSurge ${maxSurge}`, rollingOf([maxUnavailable, maxSurge]));
}

export interface Taint {
  readonly key: string;
  readonly value?: string;
  readonly effect: string;
}

export interface NodeParts {
  readonly labels?: Readonly<Record<string, string>>;
  readonly taints?: readonly Taint[];
}

const nodeName = (stage: Stage, n: number): string => `${stage.namespace}-n${n}`;

/** Adds a node and removes the taint that the API server puts on a new node, as happens when its kubelet reports. */
export async function addNode(stage: Stage, n: number, { labels = {}, taints = [] }: NodeParts = {}): Promise<void> {
  const name = nodeName(stage, n);
  await stage.create("nodes", { metadata: { name, labels: { stage: stage.namespace, ...labels } }, spec: { taints } });
  await stage.patch("nodes", name, { spec: { taints } });
}

/** Adds one node for each of these parts, numbered from 1. */
export function nodes(...all: readonly NodeParts[]): Step {
  return {
    name: `create ${all.length} nodes`,
    act: (stage) => Promise.all(all.map((parts, n) => addNode(stage, n + 1, parts))),
  };
}

export const threeNodes: Step = nodes({}, {}, {});

export const comes = (n: number, parts: NodeParts = {}): Step => ({
  name: `create node ${n}`,
  act: (stage) => addNode(stage, n, parts),
});
export const leaves = (n: number): Step => ({
  name: `delete node ${n}`,
  act: (stage) => stage.remove("nodes", nodeName(stage, n)),
});
export const tainted = (n: number, ...taints: readonly Taint[]): Step => ({
  name: `taint node ${n}: ${taints.map(({ key, effect }) => `${key}:${effect}`).join(", ") || "none"}`,
  act: (stage) => stage.patch("nodes", nodeName(stage, n), { spec: { taints } }),
});
export const labelled = (n: number, labels: Readonly<Record<string, string | null>>): Step => ({
  name: `label node ${n} with ${JSON.stringify(labels)}`,
  act: (stage) => stage.patch("nodes", nodeName(stage, n), { metadata: { labels } }),
});

export const full: Taint = { key: "full", effect: "NoExecute" };
export const gpu: Taint = { key: "dedicated", value: "gpu", effect: "NoSchedule" };

interface NodeObject {
  readonly metadata: Meta;
  readonly spec: { readonly taints?: readonly Taint[] };
}

/** The properties of a node that a controller can see. */
export function nodeClass({ metadata, spec: { taints = [] } }: NodeObject): string {
  const labels = Object.entries(metadata.labels ?? {})
    .filter(([key]) => key !== "stage")
    .map(([key, value]) => `${key}=${value}`);
  return [
    metadata.labels?.["stage"] === undefined ? "elsewhere" : "here",
    ...labels.sort(),
    ...taints.map(({ key, value = "", effect }) => `${key}=${value}:${effect}`),
  ].join(" ");
}

interface Scheduled {
  readonly spec: PodObject["spec"] & {
    readonly affinity?: {
      readonly nodeAffinity?: {
        readonly requiredDuringSchedulingIgnoredDuringExecution?: {
          readonly nodeSelectorTerms: readonly {
            readonly matchFields?: readonly { readonly values?: readonly string[] }[];
          }[];
        };
      };
    };
  };
}

/** The name of the node that a pod is bound to, or will be bound to. */
export function nodeOf(pod: PodObject): string {
  const { nodeName: bound, affinity } = (pod as Scheduled).spec;
  const [term] = affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution?.nodeSelectorTerms ?? [];
  return bound ?? term?.matchFields?.[0]?.values?.[0] ?? "";
}

export type Which = "ready" | "not ready" | "going" | "ended" | "alive";

const states: Readonly<Record<Which, (pod: PodObject) => boolean>> = {
  ready: (pod) => isReady(pod) && !isGoing(pod) && !hasEnded(pod),
  "not ready": (pod) => !isReady(pod) && !isGoing(pod) && !hasEnded(pod),
  going: isGoing,
  ended: (pod) => hasEnded(pod) && !isGoing(pod),
  alive: (pod) => !isGoing(pod),
};

/** All properties that distinguish a pod, except a generated name and the name of its node. */
function podKey(pod: PodObject, classes: ReadonlyMap<string, string>): string {
  const { metadata, spec: of, status } = pod;
  const owner = metadata.ownerReferences?.[0]?.name ?? "";
  const named = metadata.generateName === undefined ? metadata.name : "";
  const images = of.containers.map((each) => each.image);
  const place = classes.get(nodeOf(pod)) ?? "";
  const app = metadata.labels?.["app"] ?? "";
  const bound = of.nodeName !== undefined;
  return JSON.stringify([owner, named, app, images, status?.phase, isReady(pod), isGoing(pod), bound, place]);
}

export async function nodesOn(stage: Stage): Promise<readonly NodeObject[]> {
  const all = (await stage.list("nodes")) as unknown as readonly NodeObject[];
  return all.filter(({ metadata }) => metadata.name.startsWith(`${stage.namespace}-`));
}

/** The pods in a state, in an order that is the same on every side except among identical pods. */
export async function podsThat(stage: Stage, are: Which): Promise<readonly PodObject[]> {
  const [nodesHere, all] = await Promise.all([nodesOn(stage), stage.pods()]);
  const classes = new Map(nodesHere.map((node) => [node.metadata.name, nodeClass(node)]));
  const besides = Map.groupBy(all, nodeOf);
  const keyed = all.filter(states[are]).map((pod) => {
    const others = (besides.get(nodeOf(pod)) ?? []).map((other) => podKey(other, classes));
    return { pod, key: `${podKey(pod, classes)} ${others.sort().join()}` };
  });
  return keyed.sort((a, b) => (a.key < b.key ? -1 : a.key > b.key ? 1 : 0)).map(({ pod }) => pod);
}

/** A node with its pods. */
export interface Place {
  readonly node: NodeObject;
  readonly pods: readonly PodObject[];
}

/** The nodes, ordered by their properties and those of their pods. */
export async function placesOn(stage: Stage): Promise<readonly Place[]> {
  const [all, pods] = await Promise.all([nodesOn(stage), stage.pods()]);
  const none: ReadonlyMap<string, string> = new Map();
  const keyed = all.map((node) => {
    const own = pods.filter((pod) => nodeOf(pod) === node.metadata.name);
    const keys = own.map((pod) => podKey(pod, none)).sort();
    return { node, pods: own, key: JSON.stringify([nodeClass(node), keys]) };
  });
  return keyed.sort((a, b) => (a.key < b.key ? -1 : a.key > b.key ? 1 : 0));
}

/** Binds a pod and makes it ready, so that its deletion is graceful. A pod that its controller has just deleted is ignored. */
export async function run(stage: Stage, pod: PodObject, state: PodState = {}): Promise<void> {
  const node = nodeOf(pod);
  // A pod that specifies no node waits for a scheduler, and one whose node is gone waits forever.
  const { status } = await stage.cluster.request("GET", pathOf(known.nodes, { namespace: "", name: node || "none" }));
  if (status !== 200 && node !== "") return;
  try {
    if (pod.spec.nodeName === undefined && node !== "") await bind(stage, pod, node);
    await setPodState(stage, pod, { ready: true, ...state });
  } catch (error) {
    const there = await stage.pods(({ metadata }) => metadata.name === pod.metadata.name);
    if (there.length > 0) throw error;
  }
}

/** Acts on all pods in a state, or on the first `count` of them. */
export function each(
  name: string,
  are: Which,
  act: (stage: Stage, pod: PodObject) => Promise<unknown>,
  more: Partial<Step> & { readonly count?: number } = {},
): Step {
  const { count = Infinity, ...rest } = more;
  return {
    name,
    async act(stage) {
      for (const pod of (await podsThat(stage, are)).slice(0, count)) await act(stage, pod);
    },
    ...rest,
  };
}

/** Makes `count` of the unready pods run and become ready. */
export const runSome = (count: number): Step =>
  each(`${count} pods become ready`, "not ready", (stage, pod) => run(stage, pod), { count });
/** Makes all existing pods run and become ready, oldest first: a pod of an earlier template stays until its successor is ready. */
export const allReady: Step = {
  name: "all pods become ready",
  async act(stage) {
    const made = ({ metadata }: PodObject): string =>
      (metadata as { creationTimestamp?: string }).creationTimestamp ?? "";
    const pods = [...(await podsThat(stage, "not ready"))].sort((a, b) =>
      made(a) < made(b) ? -1 : made(a) > made(b) ? 1 : 0,
    );
    for (const pod of pods) await run(stage, pod);
  },
};
/** Removes all pods that are being deleted. */
export const allEnd: Step = each("remove the terminating pods", "going", (stage, pod) =>
  removePod(stage, pod, "at once"),
);
/** Removes terminating pods, and makes their replacements ready. */
export const nextRound: readonly Step[] = [allEnd, allReady];

/** Acts on the pods of a node given by its number. Usable as long as the nodes cannot differ randomly. */
export function onNode(
  name: string,
  n: number,
  act: (stage: Stage, pod: PodObject) => Promise<unknown>,
  more: Partial<Step> = {},
): Step {
  return {
    name,
    async act(stage) {
      const pods = await stage.pods((pod) => nodeOf(pod) === nodeName(stage, n) && !isGoing(pod));
      for (const pod of pods) await act(stage, pod);
    },
    ...more,
  };
}

export const fails = (n: number, more: Partial<Step> = {}): Step =>
  onNode(
    `the pod of node ${n} fails`,
    n,
    (stage, pod) => setPodState(stage, pod, { phase: "Failed", ready: false }),
    more,
  );
export const succeeds = (n: number): Step =>
  onNode(`the pod of node ${n} succeeds`, n, (stage, pod) =>
    setPodState(stage, pod, { phase: "Succeeded", ready: false }),
  );
export const unready = (n: number): Step =>
  onNode(`the pod of node ${n} becomes unready`, n, (stage, pod) => setPodState(stage, pod, { ready: false }));
export const deleted = (n: number): Step => onNode(`delete the pod of node ${n}`, n, removePod);
export const relabelled = (n: number, labels: Readonly<Record<string, string | null>>): Step =>
  onNode(`label the pod of node ${n} with ${JSON.stringify(labels)}`, n, (stage, { metadata }) =>
    stage.patch("pods", metadata.name, { metadata: { labels } }),
  );

/** Creates a pod as another client would, on a node of the script. */
export async function addPod(
  stage: Stage,
  name: string,
  {
    n,
    labels,
    ownerReferences,
  }: { readonly n: number; readonly labels: object; readonly ownerReferences?: readonly object[] },
): Promise<void> {
  const nodeAt = n === 0 ? {} : { nodeName: nodeName(stage, n) };
  await stage.create("pods", {
    metadata: { name, labels, ...(ownerReferences !== undefined && { ownerReferences }) },
    spec: { containers: containersOf(1), ...nodeAt },
  });
}

/** ControllerRevisions, sorted by revision number. */
export async function revisionsOn(
  stage: Stage,
): Promise<readonly (Json & { readonly metadata: Meta; readonly revision: number })[]> {
  const revisions = (await stage.list("controllerrevisions")) as unknown as readonly (Json & {
    metadata: Meta;
    revision: number;
  })[];
  return [...revisions].sort((a, b) => a.revision - b.revision);
}

/** Acts on the n-th of these revisions. */
export function toRevision(
  name: string,
  n: number,
  act: (stage: Stage, revision: Json & { readonly metadata: Meta; readonly revision: number }) => Promise<unknown>,
): Step {
  return {
    name,
    async act(stage) {
      const revision = (await revisionsOn(stage))[n];
      if (revision !== undefined) await act(stage, revision);
    },
  };
}
