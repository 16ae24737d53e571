/** Actions of kubelets, schedulers and users on pods, one function each. */
import type { PodObject } from "./objects.ts";
import type { Resource, Stage } from "./stage.ts";

const hour = 3_600_000;

/** The time `agoMs` before the script's base, in the API server's format. */
export function timeAgo(stage: Stage, agoMs: number): string {
  return `${new Date(stage.base - agoMs).toISOString().slice(0, 19)}Z`;
}

export interface PodState {
  readonly phase?: string;
  readonly ready?: boolean;
  /** How long before the script's base the Ready condition changed. Default: an hour. */
  readonly readyForMs?: number;
  readonly restarts?: number;
  readonly sidecarRestarts?: number;
}

/** Writes a pod's status as a kubelet would. */
export async function setPodState(stage: Stage, pod: PodObject, state: PodState): Promise<void> {
  const { phase = "Running", ready, readyForMs = hour, restarts, sidecarRestarts } = state;
  const container = (name: string, restartCount: number): object => ({
    name,
    restartCount,
    image: "main:1",
    imageID: "",
    ready: ready ?? false,
  });
  const lastTransitionTime = timeAgo(stage, readyForMs);
  await stage.patch("pods", `${pod.metadata.name}/status`, {
    status: {
      phase,
      ...(ready !== undefined && {
        conditions: [{ type: "Ready", status: ready ? "True" : "False", lastTransitionTime }],
      }),
      ...(restarts !== undefined && { containerStatuses: [container("main", restarts)] }),
      ...(sidecarRestarts !== undefined && { initContainerStatuses: [container("side", sidecarRestarts)] }),
    },
  });
}

export async function bind(stage: Stage, pod: PodObject, node: string): Promise<void> {
  const { name } = pod.metadata;
  const body = {
    apiVersion: "v1",
    kind: "Binding",
    metadata: { name },
    target: { apiVersion: "v1", kind: "Node", name: node },
  };
  const { status, body: responseBody } = await stage.attempt("POST", `/pods/${name}/binding`, body);
  if (status >= 400) throw new Error(`Cannot bind ${name}: ${JSON.stringify(responseBody)}`);
}

/** Pods of an owner that are neither terminating nor finished, in an order that is the same on every side. */
export function activePods(stage: Stage, owner: string): Promise<readonly PodObject[]> {
  return stage.pods(
    ({ metadata, status }) =>
      metadata.deletionTimestamp === undefined &&
      status?.phase !== "Failed" &&
      status?.phase !== "Succeeded" &&
      metadata.ownerReferences?.some(({ name, controller }) => controller === true && name === owner) === true,
  );
}

/** Annotates pods so that a script can tell them apart later: the n-th pod is marked with `marks[n]`. */
export async function mark(stage: Stage, pods: readonly PodObject[], marks: readonly string[]): Promise<void> {
  const put = (pod: PodObject, text: string): Promise<unknown> =>
    stage.patch("pods", pod.metadata.name, { metadata: { annotations: { mark: text } } });
  await Promise.all(marks.map((text, n) => put(at(pods, n), text)));
}

/** Returns the n-th item. @throws RangeError if a script expects more items than there are. */
export function at<T>(items: readonly T[], n: number): T {
  const item = items[n];
  if (item === undefined) throw new RangeError(`Cannot take number ${n} of ${items.length}`);
  return item;
}

export async function scale(
  stage: Stage,
  name: string,
  replicas: number,
  resource: Resource = "replicasets",
): Promise<void> {
  await stage.patch(resource, name, { spec: { replicas } });
}

/** Deletes a pod. `at once` deletes it with a grace period of 0, as a kubelet does when a pod has terminated. */
export function removePod(stage: Stage, pod: PodObject, how: "gracefully" | "at once" = "gracefully"): Promise<void> {
  return stage.remove("pods", pod.metadata.name, how === "at once" ? { gracePeriodSeconds: 0 } : undefined);
}
