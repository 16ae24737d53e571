/** What a pod waits for, from its conditions and its containers. */
import { readTime } from "../api/time.ts";
import type { ContainerStatus, Pod, PodCondition } from "../api/types.ts";
import { since, type Snapshot, type State, type Wait } from "./snapshot.ts";

export function podState({ object, now }: Snapshot): State {
  const pod: Pod = object;
  const wait = podWait(pod, "");
  const phase = pod.status?.phase ?? "Pending";
  const next = podNext(pod, now);
  if (wait === undefined) {
    const says = phase === "Succeeded" ? "it has succeeded" : "it is running and ready";
    return { is: "as desired", says, waits: [], next };
  }
  const is = phase === "Failed" ? "failed" : "waiting";
  const says = phase === "Failed" ? "it has failed, and is not started again" : saysWhere(pod);
  return { is, says, waits: [wait], next };
}

function saysWhere({ spec, status }: Pod): string {
  const node = spec?.nodeName;
  if (node === undefined) return "it has no node yet";
  const ready = status?.containerStatuses?.filter((each) => each.ready).length ?? 0;
  const all = spec?.containers.length ?? 0;
  return `${ready} of ${all} ${all === 1 ? "container is" : "containers are"} ready on node ${node}`;
}

/** Why the pod is not ready; undefined for one that is, or has succeeded. */
export function podWait(pod: Pod, about: string): Wait | undefined {
  const { status } = pod;
  if (pod.metadata.deletionTimestamp !== undefined) return terminating(pod, about);
  if (status?.phase === "Succeeded") return undefined;
  if (status?.phase === "Failed") return { about, why: failure(pod) };
  const ready = conditionOf(pod, "Ready");
  if (ready?.status === "True") return undefined;
  const at = timeOf(ready) ?? readTime(pod.metadata.creationTimestamp);
  return { about, why: notScheduled(pod) ?? notReady(pod), ...since(at) };
}

function terminating({ metadata, spec, status }: Pod, about: string): Wait {
  const finalizers = metadata.finalizers ?? [];
  const begun = (readTime(metadata.deletionTimestamp) ?? 0) - (metadata.deletionGracePeriodSeconds ?? 0) * 1000;
  if (finalizers.length > 0)
    return { about, since: begun, why: `being deleted, held by finalizer ${finalizers.join(", ")}` };
  const running = status?.containerStatuses?.some(({ state }) => state?.running !== undefined) === true;
  const until = running ? "until its containers have ended" : "until the kubelet confirms that it has ended";
  const where = spec?.nodeName === undefined ? "" : ` on node ${spec.nodeName}`;
  return {
    about,
    since: begun,
    why: `being deleted, ${until}${where} (grace period ${metadata.deletionGracePeriodSeconds ?? 0} s)`,
  };
}

function failure({ status }: Pod): string {
  const ended = status?.containerStatuses?.find(({ state }) => (state?.terminated?.exitCode ?? 0) !== 0);
  const said = [status?.reason, status?.message].filter((text) => text !== undefined && text !== "").join(": ");
  if (said !== "") return said;
  return ended === undefined ? "failed" : exitText(ended);
}

/** `container web ended with exit code 137 (OOMKilled)`. */
function exitText({ name, state, lastState }: ContainerStatus): string {
  const ended = state?.terminated ?? lastState?.terminated;
  const reason = ended?.reason === undefined || ended.reason === "Error" ? "" : ` (${ended.reason})`;
  return `container ${name} ended with exit code ${ended?.exitCode ?? "unknown"}${reason}`;
}

function notScheduled(pod: Pod): string | undefined {
  if ((pod.spec?.nodeName ?? "") !== "") return undefined;
  const scheduled = conditionOf(pod, "PodScheduled");
  if (scheduled?.reason === "SchedulingGated") {
    const gates = pod.spec?.schedulingGates?.map(({ name }) => name).join(", ") ?? "";
    return `held back by scheduling gates: ${gates}`;
  }
  if (scheduled?.status === "False")
    return `not scheduled: ${withoutPreemption(scheduled.message ?? "") || (scheduled.reason ?? "no reason given")}`;
  return `not scheduled: no scheduler has looked at it (its scheduler is ${pod.spec?.schedulerName ?? "default-scheduler"})`;
}

/** The scheduler's words up to what it says of preemption where that would not help: why no node fits stands before it. */
export function withoutPreemption(message: string): string {
  return message.replace(/\.? (no new claims to deallocate, )?preemption: .*not helpful.*$/, "");
}

function notReady(pod: Pod): string {
  const { status, spec } = pod;
  const statuses = status?.containerStatuses;
  const init = status?.initContainerStatuses?.find((each) => !isInitDone(each));
  if (init !== undefined) return `init ${containerWait(pod, init)}`;
  const blocked = statuses?.find((each) => !each.ready && each.state?.running === undefined);
  if (blocked !== undefined) return containerWait(pod, blocked);
  const unready = statuses?.find((each) => !each.ready);
  if (unready !== undefined) return containerWait(pod, unready);
  const gate = spec?.readinessGates?.find(({ conditionType }) => conditionOf(pod, conditionType)?.status !== "True");
  if (gate !== undefined) return `readiness gate ${gate.conditionType} is not True`;
  if (statuses === undefined || statuses.length === 0) return `waits for the kubelet of node ${spec?.nodeName ?? ""}`;
  const ready = conditionOf(pod, "Ready");
  return ready?.message ?? ready?.reason ?? "not ready, and no reason is given";
}

function isInitDone({ state, ready }: ContainerStatus): boolean {
  // A sidecar goes on running and is ready then.
  return state?.terminated?.exitCode === 0 || ready;
}

/** `container web: CrashLoopBackOff, ended with exit code 1, 5 restarts`. */
function containerWait(pod: Pod, status: ContainerStatus): string {
  const { name, state, restartCount } = status;
  const restarts = restartCount === 1 ? "1 restart" : `${restartCount} restarts`;
  if (state?.waiting !== undefined) {
    const { reason = "waiting", message } = state.waiting;
    if (reason === "CrashLoopBackOff") {
      return `container ${name}: CrashLoopBackOff, ${exitText(status).replace(`container ${name} `, "")}, ${restarts}`;
    }
    const plain = reason === "ContainerCreating" || reason === "PodInitializing";
    return `container ${name}: ${reason}${message === undefined || plain ? "" : `: ${message}`}`;
  }
  if (state?.terminated !== undefined) return `${exitText(status)}, ${restarts}`;
  const container = [...(pod.spec?.containers ?? []), ...(pod.spec?.initContainers ?? [])].find(
    (each) => each.name === name,
  );
  const after = restartCount > 0 ? `, ${restarts}` : "";
  if (status.started === false && container?.startupProbe !== undefined)
    return `startup probe of container ${name}${after}`;
  if (container?.readinessProbe !== undefined) return `readiness probe of container ${name}${after}`;
  return `container ${name} is running and not ready${after}`;
}

/** When something will change by itself. */
function podNext({ status }: Pod, now: number): string[] {
  return (status?.containerStatuses ?? []).flatMap(({ name, state, lastState }) => {
    const backoff = /back-off (\S+) restarting/.exec(state?.waiting?.message ?? "")?.[1];
    if (backoff === undefined) return [];
    const endedAt = lastState?.terminated?.finishedAt;
    const ended =
      endedAt === undefined
        ? ""
        : `, ${Math.max(0, Math.round((now - (readTime(endedAt) ?? now)) / 1000))} s of them gone`;
    return [`container ${name} is started again ${backoff} after it ended${ended}`];
  });
}

export function conditionOf({ status }: Pod, type: string): PodCondition | undefined {
  return status?.conditions?.find((condition) => condition.type === type);
}

function timeOf(condition: PodCondition | undefined): number | undefined {
  return readTime(condition?.lastTransitionTime);
}
