/** Tainted nodes, and pods that tolerate some taints for some time. Without kubelets, deleted pods keep terminating. */
import { bind } from "../../acts.ts";
import type { PodObject } from "../../objects.ts";
import { ownName, type Stage } from "../../stage.ts";
import type { Step } from "../../suite.ts";

export interface Taint {
  readonly key: string;
  readonly value?: string;
  readonly effect: string;
}

export interface Toleration {
  readonly key?: string;
  readonly operator?: string;
  readonly value?: string;
  readonly effect?: string;
  readonly tolerationSeconds?: number;
}

export const noExecute = (key: string, value?: string): Taint => ({
  key,
  ...(value !== undefined && { value }),
  effect: "NoExecute",
});
export const tolerating = (key: string, tolerationSeconds?: number): Toleration => ({
  key,
  operator: "Exists",
  effect: "NoExecute",
  ...(tolerationSeconds !== undefined && { tolerationSeconds }),
});

export async function makeNode(stage: Stage, node: string, taints: readonly Taint[] = []): Promise<void> {
  await stage.create("nodes", { metadata: { name: ownName(stage, node) } });
  await stage.patch("nodes", ownName(stage, node), { spec: { taints } });
}

export function setTaints(stage: Stage, node: string, taints: readonly Taint[]): Promise<unknown> {
  return stage.patch("nodes", ownName(stage, node), { spec: { taints } });
}

export interface PodParts {
  /** Default n1; null: it waits for a scheduler. */
  readonly node?: string | null;
  readonly tolerations?: readonly Toleration[];
  readonly finalizers?: readonly string[];
  readonly conditions?: readonly object[];
}

/** Creates a running pod. It is bound last, so that it is complete when it is evaluated. */
export async function makePod(stage: Stage, name: string, parts: PodParts = {}): Promise<void> {
  const { node = "n1", tolerations = [], finalizers = [], conditions = [] } = parts;
  await stage.create("pods", {
    metadata: { name, labels: { pod: name }, finalizers },
    spec: { containers: [{ name: "main", image: "main:1" }], tolerations },
  });
  await stage.patch("pods", `${name}/status`, { status: { phase: "Running", conditions } });
  if (node !== null) await bindTo(stage, name, node);
}

/** Binds the pod to a node, as a scheduler does. */
export function bindTo(stage: Stage, name: string, node: string): Promise<void> {
  return bind(
    stage,
    { metadata: { name, uid: "" }, spec: { containers: [] } } satisfies PodObject,
    ownName(stage, node),
  );
}

/** A step with several actions, one after the other. */
export function step(name: string, acts: (stage: Stage) => Promise<unknown>, more: Partial<Step> = {}): Step {
  return { name, act: acts, ...more };
}

/** Until these pods are being deleted or are gone. */
export function going(...names: readonly string[]): (stage: Stage) => Promise<boolean> {
  return async (stage) => {
    const staying = await stage.pods(({ metadata }) => metadata.deletionTimestamp === undefined);
    return staying.every(({ metadata }) => !names.includes(metadata.name));
  };
}
