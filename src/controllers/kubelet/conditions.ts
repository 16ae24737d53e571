/**
 * The conditions of a pod that its kubelet writes.
 * Source: kubernetes v1.36 pkg/kubelet/status/generate.go, pkg/kubelet/kubelet_pods.go generateAPIPodStatus.
 */
import { formatTime } from "../../api/time.ts";
import type { Pod, PodCondition } from "../../api/types.ts";
import { type ContainerLife, isReady, isStarted, type PodLife } from "./life.ts";
import type { Phase } from "./phase.ts";

interface Verdict {
  readonly status: "True" | "False";
  readonly reason?: string;
  readonly message?: string;
}

const yes: Verdict = { status: "True" };

/**
 * In the order in which a kubelet writes them. A condition keeps its transition time while its status stays the same.
 */
export function conditionsOf(pod: Pod, life: PodLife, phase: Phase, now: number): PodCondition[] {
  const containersReady = containersReadyVerdict(pod, life, phase, now);
  const verdicts: readonly (readonly [type: string, verdict: Verdict])[] = [
    ["PodReadyToStartContainers", readyToStart(life, phase)],
    ["Initialized", initialized(pod, life, phase, now)],
    ["Ready", containersReady.status === "True" ? gatesVerdict(pod) : containersReady],
    ["ContainersReady", containersReady],
    ["PodScheduled", yes],
  ];
  return verdicts.map(([type, verdict]) => conditionOf(pod, type, verdict, now));
}

function conditionOf(pod: Pod, type: string, verdict: Verdict, now: number): PodCondition {
  const before = pod.status?.conditions?.find((condition) => condition.type === type);
  const kept = before?.status === verdict.status ? before.lastTransitionTime : undefined;
  const { generation } = pod.metadata;
  return {
    type,
    ...verdict,
    lastTransitionTime: kept ?? formatTime(now),
    ...(generation !== undefined && { observedGeneration: generation }),
  };
}

function readyToStart({ containers }: PodLife, phase: Phase): Verdict {
  const hasSandbox = containers.some(({ state, last }) => state.is !== "waiting" || last !== undefined);
  const gone = phase === "Succeeded" || phase === "Failed";
  return { status: hasSandbox && !gone ? "True" : "False" };
}

/** `containers with unready status: [web db]` */
function namesOf(what: string, containers: readonly ContainerLife[]): string {
  return `containers with ${what} status: [${containers.map(({ spec }) => spec.name).join(" ")}]`;
}

function initialized(pod: Pod, life: PodLife, phase: Phase, now: number): Verdict {
  if (phase === "Succeeded") return { status: "True", reason: "PodCompleted" };
  const begun = life.containers.some(
    ({ role, state, last }) => role === "main" && (state.is !== "waiting" || last !== undefined),
  );
  const incomplete = life.containers.filter(
    (container) =>
      (container.role === "init" && !(container.state.is === "terminated" && container.state.exitCode === 0)) ||
      (container.role === "sidecar" && !isStarted(pod, container, now)),
  );
  if (begun || incomplete.length === 0) return yes;
  return { status: "False", reason: "ContainersNotInitialized", message: namesOf("incomplete", incomplete) };
}

function containersReadyVerdict(pod: Pod, life: PodLife, phase: Phase, now: number): Verdict {
  if (phase === "Succeeded") return { status: "False", reason: "PodCompleted" };
  if (phase === "Failed") return { status: "False", reason: "PodFailed" };
  const unready = life.containers.filter((container) => container.role !== "init" && !isReady(pod, container, now));
  if (unready.length === 0) return yes;
  return { status: "False", reason: "ContainersNotReady", message: namesOf("unready", unready) };
}

function gatesVerdict({ spec, status }: Pod): Verdict {
  const messages = (spec?.readinessGates ?? []).flatMap(({ conditionType }) => {
    const gate = status?.conditions?.find(({ type }) => type === conditionType);
    if (gate === undefined) return [`corresponding condition of pod readiness gate "${conditionType}" does not exist.`];
    if (gate.status === "True") return [];
    return [`the status of pod readiness gate "${conditionType}" is not "True", but ${gate.status}`];
  });
  if (messages.length === 0) return yes;
  return { status: "False", reason: "ReadinessGatesNotReady", message: messages.join(", ") };
}
