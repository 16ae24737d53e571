import { deepEqual } from "../../api/field-changes.ts";
import { Nodes, Pods } from "../../api/kinds.ts";
import { isConflict, isNotFound } from "../../api/status-error.ts";
import { compareResourceVersions } from "../../api/resource-version.ts";
import type { Node, Pod, PodStatus } from "../../api/types.ts";
import { isPodTerminal } from "../../controller/workload/pod-status.ts";
import type { Decision } from "../../controller/api/rule.ts";
import type { SyncContext } from "../../controller/api/sync-context.ts";
import { hostAddress } from "./addresses.ts";
import { advance } from "./advance.ts";
import { annotationProblems } from "./annotations.ts";
import { holdUnconfigured, isHeld, lookAgainMs } from "./configuration.ts";
import { recordLifecycleEvents, inWords } from "./lifecycle-events.ts";
import { graceMs, hasEnded, type LifecycleEvent, type PodLife } from "./life.ts";
import { isSilent, isSimulated } from "./simulated.ts";
import { forget, type PodRecord, memory, rangeOf } from "./memory.ts";
import { restoreLife } from "./restore.ts";
import { accept, remove, report, stop } from "./rules.ts";
import { statusOf } from "./status.ts";

/**
 * Brings one pod's containers up to the current time, writes the result into its status, and requeues the key for the
 * next transition. `brief`: skips states that last only a moment, namely the waiting containers of a new pod and the
 * stopping ones of a pod being deleted.
 * Source: kubernetes v1.36 pkg/kubelet/{kubelet,pod_workers}.go; differs: no containers run, their states are computed.
 */
export async function syncPod(
  context: SyncContext,
  { brief = false }: { readonly brief?: boolean } = {},
): Promise<void> {
  const { key } = context;
  const remembered = context.state(memory);
  const pod = context.cache(Pods).get(key);
  const node = pod === undefined ? undefined : context.cache(Nodes).get(pod.spec?.nodeName ?? "");
  if (pod === undefined || node === undefined || !isSimulated(node)) {
    forget(remembered, key);
    return;
  }
  if (isSilent(node)) return;
  if (remembered.pods.get(key)?.life.uid !== pod.metadata.uid) forget(remembered, key);
  if (remembered.pods.get(key)?.removed === true) return;
  if (isPodTerminal(pod)) {
    forget(remembered, key);
    if (pod.metadata.deletionTimestamp !== undefined) await removePod(context, pod, node);
    return;
  }
  const known = remembered.pods.get(key) ?? admitPod(context, pod, node);
  stopIfDeleted(context, pod, known.life);
  // A dry run holds pods back itself: it knows which objects it could not read.
  const held = brief ? [] : await holdUnconfigured(context, { pod, life: known.life });
  const { happened: advanced, nextAt } = advance(pod, known.life, context.now());
  const happened = [...held, ...advanced];
  assignAddress(context, pod, node, known);
  recordLifecycleEvents(context, pod, known.life, happened);
  const isWaiting = happened.length === 0 && known.written === undefined && known.life.stop === undefined;
  const isGoing = pod.metadata.deletionTimestamp !== undefined;
  if (!brief || !(isWaiting || isGoing)) await writeStatus(context, pod, node, known, happened);
  if (isGoing && hasEnded(known.life)) {
    await removePod(context, pod, node);
  } else if (nextAt !== undefined) {
    context.enqueueAfter(nextAt - context.now(), "the next change of a container is due");
  }
  if (isHeld(known.life))
    context.enqueueAfter(lookAgainMs, "a ConfigMap or Secret may be there now", { background: true });
}

function admitPod(context: SyncContext, pod: Pod, node: Node): PodRecord {
  const remembered = context.state(memory);
  const podIP = pod.status?.podIP;
  if (podIP !== undefined) rangeOf(remembered, node).take(podIP);
  const known: PodRecord = {
    life: restoreLife(pod, context.now()),
    node: node.metadata.name,
    podIP,
    written: undefined,
    removed: false,
  };
  remembered.pods.set(context.key, known);
  for (const message of annotationProblems(pod)) {
    context.event(Pods, pod, { type: "Warning", reason: "InvalidAnnotation", message });
  }
  return known;
}

/** Starts stopping the containers; a later, shorter grace period takes effect too. */
function stopIfDeleted(context: SyncContext, pod: Pod, life: PodLife): void {
  if (pod.metadata.deletionTimestamp === undefined) return;
  const now = context.now();
  const deadline = (life.stop?.at ?? now) + graceMs(pod);
  if (life.stop !== undefined) {
    life.stop = { ...life.stop, deadline: Math.min(life.stop.deadline, deadline) };
    return;
  }
  life.stop = { at: now, deadline };
  const running = life.containers.filter(({ state }) => state.is === "running");
  context.decide(stop, { graceSeconds: graceMs(pod) / 1000, running: running.length });
  for (const { spec } of running) {
    context.event(Pods, pod, { type: "Normal", reason: "Killing", message: `Stopping container ${spec.name}` });
  }
}

/** A pod gets its address when its first container runs; with hostNetwork it is the host's. */
function assignAddress(context: SyncContext, pod: Pod, node: Node, known: PodRecord): void {
  if (known.podIP !== undefined) return;
  if (pod.spec?.hostNetwork === true) {
    known.podIP = hostAddress(node);
    return;
  }
  const begun = known.life.containers.some(({ state }) => state.is !== "waiting");
  if (begun) known.podIP = rangeOf(context.state(memory), node).allocate();
}

async function writeStatus(
  context: SyncContext,
  pod: Pod,
  node: Node,
  known: PodRecord,
  happened: readonly LifecycleEvent[],
): Promise<void> {
  const addresses = { hostIP: hostAddress(node), podIP: known.podIP };
  const wanted = withKnownTimes(statusOf(pod, known.life, addresses, context.now()), known.written?.status);
  if (isWritten(pod, wanted, known.written)) return;
  const because = decisionFor(context, node, known, wanted, happened);
  const { namespace = "", name, uid } = pod.metadata;
  try {
    const stored = await context.client.patch(
      Pods,
      { namespace, name },
      { type: "strategic", body: { metadata: { uid }, status: withRemovals(wanted, pod, known) } },
      { subresource: "status", because, basedOn: pod, signal: context.signal },
    );
    known.written = { status: wanted, resourceVersion: stored.metadata.resourceVersion };
  } catch (error) {
    // It has been deleted, or another pod has its name: the delta will follow.
    if (!isNotFound(error) && !isConflict(error)) throw error;
  }
}

/** A merge patch keeps fields that it omits: a reason or message that a condition loses is sent as null. */
function withRemovals(wanted: PodStatus, pod: Pod, { written }: PodRecord): unknown {
  const before = [...(pod.status?.conditions ?? []), ...(written?.status.conditions ?? [])];
  const conditions = (wanted.conditions ?? []).map((condition) => {
    const removals = (["reason", "message"] as const).filter(
      (field) =>
        condition[field] === undefined &&
        before.some((other) => other.type === condition.type && other[field] !== undefined),
    );
    return { ...condition, ...Object.fromEntries(removals.map((field) => [field, null])) };
  });
  return { ...wanted, conditions };
}

/** The cache may be older than the last write: transition times of unchanged conditions are taken from that write. */
function withKnownTimes(wanted: PodStatus, written: PodStatus | undefined): PodStatus {
  if (written === undefined) return wanted;
  const conditions = (wanted.conditions ?? []).map((condition) => {
    const before = written.conditions?.find(({ type }) => type === condition.type);
    if (before?.status !== condition.status || before.lastTransitionTime === undefined) return condition;
    return { ...condition, lastTransitionTime: before.lastTransitionTime };
  });
  return { ...wanted, conditions };
}

/** Whether the API server has this status: it was written last, and the cache shows no change since. */
function isWritten(pod: Pod, wanted: PodStatus, written: PodRecord["written"]): boolean {
  if (written === undefined) return covers(pod.status, wanted);
  if (!deepEqual(written.status, wanted)) return false;
  const newer = compareResourceVersions(pod.metadata.resourceVersion, written.resourceVersion);
  return newer === undefined || newer <= 0 || covers(pod.status, wanted);
}

/** Whether `status` has everything in `wanted`; what others added is ignored. */
export function covers(status: unknown, wanted: unknown): boolean {
  if (Array.isArray(wanted)) {
    if (!Array.isArray(status)) return false;
    return wanted.every((item: unknown, index) => {
      const name = nameOf(item);
      const other: unknown = name === undefined ? status[index] : status.find((each) => nameOf(each) === name);
      return covers(other, item);
    });
  }
  if (wanted !== null && typeof wanted === "object") {
    if (status === null || typeof status !== "object") return false;
    const fields = status as Readonly<Record<string, unknown>>;
    return Object.entries(wanted).every(([key, value]) => covers(fields[key], value));
  }
  return status === wanted;
}

function nameOf(item: unknown): unknown {
  const { type, name } = (item ?? {}) as { readonly type?: unknown; readonly name?: unknown };
  return type ?? name;
}

function decisionFor(
  context: SyncContext,
  node: Node,
  { life, written }: PodRecord,
  { phase = "", conditions = [] }: PodStatus,
  happened: readonly LifecycleEvent[],
): Decision {
  if (happened.length === 0 && written === undefined && life.stop === undefined) {
    return context.decide(accept, { node: node.metadata.name, containers: life.containers.length });
  }
  const ready = conditions.some(({ type, status }) => type === "Ready" && status === "True");
  return context.decide(report, { happened: happened.flatMap((each) => inWords(each) ?? []), phase, ready });
}

/** Source: kubernetes v1.36 pkg/kubelet/status/status_manager.go syncPod. */
async function removePod(context: SyncContext, pod: Pod, node: Node): Promise<void> {
  const because = context.decide(remove, { node: node.metadata.name });
  const { namespace = "", name, uid } = pod.metadata;
  try {
    await context.client.delete(
      Pods,
      { namespace, name },
      { gracePeriodSeconds: 0, preconditions: { uid }, because, signal: context.signal },
    );
  } catch (error) {
    if (!isNotFound(error) && !isConflict(error)) throw error;
  }
  const known = context.state(memory).pods.get(context.key);
  if (known !== undefined) known.removed = true;
}
