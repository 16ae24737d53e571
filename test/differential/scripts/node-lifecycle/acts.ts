/** Nodes that report, stop reporting and resume, and pods on them. Each stage has its own zones. */
import { pathOf } from "../../../../src/api/kind.ts";
import { Nodes } from "../../../../src/api/kinds.ts";
import { bind, timeAgo } from "../../acts.ts";
import type { PodObject } from "../../objects.ts";
import { ownName, type Stage } from "../../stage.ts";
import type { Step } from "../../suite.ts";
import { dropAnchor, startBeating, stopBeating } from "./heartbeats.ts";

export type Ready = "True" | "False" | "Unknown";

export interface NodeParts {
  readonly labels?: Readonly<Record<string, string>>;
  readonly zone?: string;
  readonly unschedulable?: boolean;
  /** The Ready status that its kubelet has reported; undefined: none yet. Default True. */
  readonly ready?: Ready | undefined;
  /** Whether its Lease is renewed from now on. Default true. */
  readonly beats?: boolean;
}

const reasons: Readonly<Record<string, string>> = {
  True: "KubeletReady",
  False: "KubeletNotReady",
  Unknown: "Unclear",
};

/** The conditions that a kubelet reports, with the current time. */
export function conditions(ready: Ready, more: Readonly<Record<string, string>> = {}): object {
  const lastHeartbeatTime = new Date().toISOString();
  const all = { MemoryPressure: "False", DiskPressure: "False", PIDPressure: "False", Ready: ready, ...more };
  return {
    status: {
      conditions: Object.entries(all).map(([type, status]) => ({
        type,
        status,
        reason: type === "Ready" ? reasons[status] : `Kubelet${status}`,
        message: `${type} is ${status}`,
        lastHeartbeatTime,
        lastTransitionTime: lastHeartbeatTime,
      })),
    },
  };
}

/** Reports a node's status, as its kubelet would. */
export function report(
  stage: Stage,
  node: string,
  [ready, more]: readonly [Ready, Record<string, string>?],
): Promise<unknown> {
  return stage.patch("nodes", `${ownName(stage, node)}/status`, conditions(ready, more));
}

export async function makeNode(stage: Stage, node: string, parts: NodeParts = {}): Promise<void> {
  const { labels = {}, zone = "a", unschedulable, beats = true } = parts;
  const ready = "ready" in parts ? parts.ready : "True";
  const name = ownName(stage, node);
  await dropAnchor(stage.cluster);
  if (beats) await startBeating(stage.cluster, name);
  await stage.create("nodes", {
    metadata: { name, labels: { "topology.kubernetes.io/zone": `${stage.namespace}-${zone}`, ...labels } },
    spec: { ...(unschedulable !== undefined && { unschedulable }) },
  });
  if (ready !== undefined) await report(stage, node, [ready]);
}

export const beat = (stage: Stage, node: string): Promise<void> => startBeating(stage.cluster, ownName(stage, node));

export async function fallSilent(stage: Stage, ...nodes: readonly string[]): Promise<void> {
  await Promise.resolve();
  for (const node of nodes) stopBeating(stage.cluster, ownName(stage, node));
}

export async function comeBack(stage: Stage, node: string, ready: Ready = "True"): Promise<void> {
  await beat(stage, node);
  await report(stage, node, [ready]);
}

export async function removeNode(stage: Stage, node: string): Promise<void> {
  await fallSilent(stage, node);
  await stage.remove("nodes", ownName(stage, node));
}

export interface PodParts {
  /** Status of the condition Ready; undefined: no such condition. */
  readonly ready?: Ready | undefined;
}

/** Creates a running pod on a node. It is bound last. */
export async function makePod(stage: Stage, name: string, node: string, { ready }: PodParts): Promise<void> {
  await stage.create("pods", {
    metadata: { name, labels: { pod: name } },
    spec: { containers: [{ name: "main", image: "main:1" }] },
  });
  const time = timeAgo(stage, 3_600_000);
  const condition = { type: "Ready", status: ready, reason: "Given", message: "as it is", lastTransitionTime: time };
  await stage.patch("pods", `${name}/status`, {
    status: { phase: "Running", ...(ready !== undefined && { conditions: [condition] }) },
  });
  await bind(
    stage,
    { metadata: { name, uid: "" }, spec: { containers: [] } } satisfies PodObject,
    ownName(stage, node),
  );
}

interface NodeObject {
  readonly spec: { readonly taints?: readonly { readonly key: string; readonly effect: string }[] };
  readonly status: { readonly conditions?: readonly { readonly type: string; readonly status: string }[] };
}

/** Until the node's condition Ready has this status, and the node has exactly this NoExecute taint of its own state, or none. */
export function nodeIs(
  node: string,
  ready: Ready | undefined,
  taint?: "not-ready" | "unreachable",
): NonNullable<Step["until"]> {
  return async (stage) => {
    const { status, body } = await stage.cluster.request("GET", pathOf(Nodes, { name: ownName(stage, node) }));
    if (status !== 200) return false;
    const { spec, status: of } = body as NodeObject;
    const taints = (spec.taints ?? []).filter(({ effect }) => effect === "NoExecute").map(({ key }) => key);
    const is = of.conditions?.find(({ type }) => type === "Ready")?.status;
    return is === ready && taints.join() === (taint === undefined ? "" : `node.kubernetes.io/${taint}`);
  };
}

export const allOf =
  (...untils: readonly NonNullable<Step["until"]>[]): NonNullable<Step["until"]> =>
  async (stage) =>
    (await Promise.all(untils.map((until) => until(stage)))).every(Boolean);

/** A step with several actions, one after the other. */
export function step(name: string, acts: (stage: Stage) => Promise<unknown>, more: Partial<Step> = {}): Step {
  return { name, act: acts, ...more };
}

/** The end of a script, which stops its heartbeats. */
export const endOf = (...nodes: readonly string[]): Step =>
  step("stop all heartbeats", (stage) => fallSilent(stage, ...nodes));
