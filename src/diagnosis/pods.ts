/** What a pod waits for, by its conditions, its containers, and its references. */
import { Nodes, Pods } from "../api/kinds.ts";
import { readTime } from "../api/time.ts";
import type { ContainerStatus, Pod, PodCondition } from "../api/types.ts";
import {
  type Advice,
  type Examined,
  type Finding,
  findingsOf,
  inNamespace,
  type Item,
  kubectl,
  refOf,
  since,
} from "./diagnosis.ts";
import { aside, eventTime, type Look } from "./look.ts";
import { attachmentFindings } from "./attachments.ts";
import { notRunning } from "./nodes.ts";
import { missingReferences } from "./pod-references.ts";
import { formatAge } from "../api/duration.ts";
import { pluralize } from "../api/pluralize.ts";
import { ofAll, readSpan } from "./spans.ts";

/** By its phase, conditions and containers, its node, and its references. */
export function examinePod(look: Look, item: Item<Pod>): Examined {
  const pod = item.object;
  const phase = pod.status?.phase ?? "Pending";
  const next = podNext(pod, look.now);
  const whole = { next, seen: ["its status"], unseen: [] };
  if (phase === "Succeeded") return { ...whole, says: "it has succeeded", reached: true, findings: [] };
  if (phase === "Failed") {
    const advice = [logs(pod, endedContainer(pod)?.name, false)];
    const findings = [{ at: refOf(item), why: failure(pod), advice }];
    return { ...whole, says: "it has failed and will not be restarted", reached: false, findings, isFailed: true };
  }
  if (conditionOf(pod, "Ready")?.status === "True") return examineReady(look, item, pod, whole);
  return examineUnready(look, item, pod, whole);
}

type Whole = Pick<Examined, "next" | "seen" | "unseen">;

/** A container that has just restarted may only be ready between two crashes. */
function examineReady(look: Look, item: Item, pod: Pod, whole: Whole): Examined {
  const findings = (pod.status?.containerStatuses ?? []).flatMap((status): readonly Finding[] => {
    const why = unproven(status, look.now);
    return why === undefined ? [] : [{ at: refOf(item), why, advice: [logs(pod, status.name, true)] }];
  });
  const says =
    findings.length === 0 ? "it is running and ready" : "it is ready, but it was also ready before its last crash";
  return { ...whole, says, reached: findings.length === 0, findings };
}

/** After ten minutes without a crash the kubelet resets the back-off. */
const backOffForgottenMs = 600_000;

/** A container that has not yet run longer than before its last crash. */
function unproven({ name, state, lastState, restartCount }: ContainerStatus, now: number): string | undefined {
  const ended = lastState?.terminated;
  const startedAt = readTime(state?.running?.startedAt);
  if (ended === undefined || ended.exitCode === 0 || startedAt === undefined) return undefined;
  const ranMs = (readTime(ended.finishedAt) ?? 0) - (readTime(ended.startedAt) ?? 0);
  const runsMs = now - startedAt;
  if (runsMs > Math.min(backOffForgottenMs, Math.max(ranMs, 0) + 10_000)) return undefined;
  const reason = ended.reason === undefined || ended.reason === "Error" ? "" : ` (${ended.reason})`;
  return (
    `container ${name} ended with exit code ${ended.exitCode}${reason} after ${formatAge(ranMs)} the last time, ` +
    `and has now run for ${formatAge(runsMs)}, ${pluralize(restartCount, "restart")}`
  );
}

function examineUnready(look: Look, item: Item, pod: Pod, whole: Whole): Examined {
  const at = refOf(item);
  const from = readTime(conditionOf(pod, "Ready")?.lastTransitionTime) ?? readTime(pod.metadata.creationTimestamp);
  const isScheduled = (pod.spec?.nodeName ?? "") !== "";
  const isCreating = isScheduled && !hasStarted(pod);
  const named = isScheduled && !isCreating ? { findings: [], unseen: [] } : missingReferences(look, item, isCreating);
  const node = isScheduled ? nodeFindings(look, pod) : [];
  const events = look.events(pod);
  const attach = isCreating ? attachmentFindings(look, item) : { findings: [], unseen: [] };
  // Such Events repeat what the VolumeAttachment already shows.
  const mountEvents = events.objects.filter(
    ({ reason }) => attach.findings.length === 0 || reason !== "FailedAttachVolume",
  );
  const mount = isCreating ? eventFinding(item, mountEvents) : undefined;
  const [why, advice] = isScheduled ? notReady(pod) : [notScheduled(pod, named.isHeld === true), []];
  const own: Finding = { at, why, ...since(from), advice };
  const findings = [...node, ...named.findings, ...attach.findings, ...(mount === undefined ? [] : [mount]), own];
  const unseen = aside([...named.unseen, ...attach.unseen, ...events.unseen]);
  return { ...whole, says: readinessOf(pod), reached: false, findings, unseen };
}

function hasStarted({ status }: Pod): boolean {
  const all = [...(status?.initContainerStatuses ?? []), ...(status?.containerStatuses ?? [])];
  const notYet = /^(ContainerCreating|PodInitializing|CreateContainerConfigError|CreateContainerError)$/;
  return all.some(({ state }) => state?.waiting === undefined || !notYet.test(state.waiting.reason ?? ""));
}

function readinessOf({ spec, status }: Pod): string {
  const node = spec?.nodeName;
  if (node === undefined || node === "") return "it has no node yet";
  const ready = status?.containerStatuses?.filter((each) => each.ready).length ?? 0;
  return ofAll(ready, spec?.containers.length ?? 0, "container", `ready on node ${node}`);
}

/** Problems of the pod's node. */
function nodeFindings(look: Look, { spec }: Pod): readonly Finding[] {
  const name = spec?.nodeName ?? "";
  const node = look.get(Nodes, "", name);
  if (node.is === "missing") return [{ at: { kind: Nodes, namespace: "", name }, why: "there is no such node" }];
  if (node.is === "unseen") return [];
  // A cordoned node keeps running its pods.
  return notRunning(look, { kind: Nodes, object: node.object });
}

const setupFailures =
  /^(FailedMount|FailedAttachVolume|FailedMapVolume|FailedCreatePodSandBox|NetworkNotReady|FailedPreStart.*)$/;

/** The reason why the kubelet cannot start containers, which only Events show. */
function eventFinding(item: Item, events: ReturnType<Look["events"]>["objects"]): Finding | undefined {
  const event = events.findLast(({ type, reason = "" }) => type === "Warning" && setupFailures.test(reason));
  if (event === undefined) return undefined;
  return { at: refOf(item), why: `${event.reason ?? ""}: ${(event.message ?? "").trim()}`, ...since(eventTime(event)) };
}

function logs({ metadata, spec }: Pod, container: string | undefined, previous: boolean): Advice {
  const only = (spec?.containers.length ?? 0) + (spec?.initContainers?.length ?? 0) === 1;
  const which = container === undefined || only ? "" : ` -c ${container}`;
  return kubectl(`logs ${metadata.name}${which}${previous ? " --previous" : ""}${inNamespace(metadata.namespace)}`);
}

function describePod({ metadata }: Pod): Advice {
  return kubectl(`describe pod ${metadata.name}${inNamespace(metadata.namespace)}`);
}

function endedContainer({ status }: Pod): ContainerStatus | undefined {
  const all = [...(status?.initContainerStatuses ?? []), ...(status?.containerStatuses ?? [])];
  return all.find(({ state }) => (state?.terminated?.exitCode ?? 0) !== 0);
}

/** Why a pod has failed: the kubelet's reason, or the exit code of a container. */
export function failure(pod: Pod): string {
  const { status } = pod;
  const ended = endedContainer(pod);
  const statusText = [status?.reason, status?.message].filter((text) => text !== undefined && text !== "").join(": ");
  if (statusText !== "") return statusText;
  return ended === undefined ? "failed" : exitText(ended);
}

/** `container web ended with exit code 137 (OOMKilled)`. */
function exitText({ name, state, lastState }: ContainerStatus): string {
  const ended = state?.terminated ?? lastState?.terminated;
  const reason = ended?.reason === undefined || ended.reason === "Error" ? "" : ` (${ended.reason})`;
  return `container ${name} ended with exit code ${ended?.exitCode ?? "unknown"}${reason}`;
}

function notScheduled(pod: Pod, isHeld: boolean): string {
  const scheduled = conditionOf(pod, "PodScheduled");
  if (scheduled?.reason === "SchedulingGated") {
    const gates = pod.spec?.schedulingGates?.map(({ name }) => name).join(", ") ?? "";
    return `held back by scheduling gates: ${gates}`;
  }
  if (scheduled?.status === "False")
    return `not scheduled: ${withoutPreemption(scheduled.message ?? "") || (scheduled.reason ?? "no reason given")}`;
  // Source: kubernetes v1.36 pkg/scheduler/backend/queue/scheduling_queue.go runPreEnqueuePlugin: neither a condition nor an Event reports it.
  if (isHeld) return "not scheduled: the scheduler does not try a pod before its ResourceClaims exist";
  return `not scheduled: no scheduler has looked at it (its scheduler is ${pod.spec?.schedulerName ?? "default-scheduler"})`;
}

/**
 * The scheduler's message without its last part about preemption, if preemption would not help: the reasons are before
 * it.
 */
export function withoutPreemption(message: string): string {
  return message.replace(
    /\.? ((no new claims to deallocate|still not schedulable), )?preemption: .*not helpful.*$/,
    "",
  );
}

function notReady(pod: Pod): readonly [why: string, advice: readonly Advice[]] {
  const { status, spec } = pod;
  const statuses = status?.containerStatuses;
  const init = status?.initContainerStatuses?.find((each) => !isInitDone(each));
  if (init !== undefined) {
    const [why, advice] = containerWait(pod, init);
    return init.state?.running === undefined
      ? [`init ${why}`, advice]
      : [`init container ${init.name} has not finished`, [logs(pod, init.name, false)]];
  }
  const blocked =
    statuses?.find((each) => !each.ready && each.state?.running === undefined) ?? statuses?.find((each) => !each.ready);
  if (blocked !== undefined) {
    const [why, advice] = containerWait(pod, blocked);
    const others = (statuses ?? []).filter((each) => !each.ready && each !== blocked).map(({ name }) => name);
    const more =
      others.length === 0 ? "" : `; ${others.join(", ")} ${others.length === 1 ? "is" : "are"} not ready either`;
    return [`${why}${more}`, advice];
  }
  const gate = spec?.readinessGates?.find(({ conditionType }) => conditionOf(pod, conditionType)?.status !== "True");
  if (gate !== undefined) return [`readiness gate ${gate.conditionType} is not True`, []];
  if (statuses === undefined || statuses.length === 0) {
    return [`waits for the kubelet of node ${spec?.nodeName ?? ""}`, [describePod(pod)]];
  }
  const ready = conditionOf(pod, "Ready");
  return [ready?.message ?? ready?.reason ?? "not ready, and no reason is given", [describePod(pod)]];
}

function isInitDone({ state, ready }: ContainerStatus): boolean {
  // A sidecar keeps running, and is ready.
  return state?.terminated?.exitCode === 0 || ready;
}

/** `container web: CrashLoopBackOff, ended with exit code 1, 5 restarts`. */
function containerWait(pod: Pod, status: ContainerStatus): readonly [why: string, advice: readonly Advice[]] {
  const { name, state, restartCount } = status;
  const restarts = pluralize(restartCount, "restart");
  if (state?.waiting !== undefined) {
    const { reason = "waiting", message } = state.waiting;
    if (reason === "CrashLoopBackOff") {
      const ended = exitText(status).replace(`container ${name} `, "");
      return [`container ${name}: CrashLoopBackOff, ${ended}, ${restarts}`, [logs(pod, name, true)]];
    }
    const plain = reason === "ContainerCreating" || reason === "PodInitializing";
    return [`container ${name}: ${reason}${message === undefined || plain ? "" : `: ${message}`}`, [describePod(pod)]];
  }
  if (state?.terminated !== undefined) return [`${exitText(status)}, ${restarts}`, [logs(pod, name, false)]];
  const container = [...(pod.spec?.containers ?? []), ...(pod.spec?.initContainers ?? [])].find(
    (each) => each.name === name,
  );
  const after = restartCount > 0 ? `, ${restarts}` : "";
  const advice = [logs(pod, name, restartCount > 0), describePod(pod)];
  if (status.started === false && container?.startupProbe !== undefined)
    return [`startup probe of container ${name} has not succeeded${after}`, advice];
  if (container?.readinessProbe !== undefined)
    return [`readiness probe of container ${name} does not succeed${after}`, advice];
  return [`container ${name} is running and not ready${after}`, advice];
}

/** What will change by itself, and when. */
function podNext({ status }: Pod, now: number): string[] {
  return (status?.containerStatuses ?? []).flatMap(({ name, state, lastState }) => {
    const backOff = /back-off (\S+) restarting/.exec(state?.waiting?.message ?? "")?.[1];
    const backOffMs = backOff === undefined ? undefined : readSpan(backOff);
    const endedAt = readTime(lastState?.terminated?.finishedAt);
    if (backOffMs === undefined) return [];
    if (endedAt === undefined) return [`container ${name} restarts within ${formatAge(backOffMs)}`];
    const leftMs = endedAt + backOffMs - now;
    return leftMs >= 0
      ? [`container ${name} restarts in ${formatAge(leftMs)}`]
      : [`container ${name} should have restarted ${formatAge(-leftMs)} ago`];
  });
}

/** A condition of a pod. */
export function conditionOf({ status }: Pod, type: string): PodCondition | undefined {
  return status?.conditions?.find((condition) => condition.type === type);
}

/** Whether its condition Ready is True. */
export function isReady(pod: Pod): boolean {
  return conditionOf(pod, "Ready")?.status === "True";
}

/** The diagnoses of pods as findings of their owner. Pods being deleted come last. */
export function podFindings(look: Look, pods: readonly Pod[]): readonly Finding[] {
  const staying = pods.filter(({ metadata }) => metadata.deletionTimestamp === undefined);
  const going = pods.filter(({ metadata }) => metadata.deletionTimestamp !== undefined);
  return [...staying, ...going].flatMap((object) => {
    const diagnosis = look.diagnose({ kind: Pods, object });
    return diagnosis === undefined ? [] : findingsOf(diagnosis);
  });
}

/** Whether the pod counts: neither terminating nor terminal. */
export function isServing({ metadata, status }: Pod): boolean {
  return metadata.deletionTimestamp === undefined && status?.phase !== "Failed" && status?.phase !== "Succeeded";
}
