/**
 * The transitions of a container: it starts, terminates, and restarts or not.
 * Source: kubernetes v1.36 pkg/kubelet/kuberuntime/kuberuntime_manager.go doBackOff.
 */
import type { Pod } from "../../api/types.ts";
import { behaviour, willRestart, type ContainerLife, type Ended, type LifecycleEvent, nextBackoffMs } from "./life.ts";

/** A run of this length resets the back-off. */
const backoffForgottenMs = 600_000;

/** Sets the container to running. */
export function start(container: ContainerLife, at: number): void {
  const { state } = container;
  if (state.is === "terminated") container.last = endedOf(state);
  if (container.last !== undefined) container.restarts++;
  container.state = { is: "running", startedAt: at };
}

function endedOf({ exitCode, reason, startedAt, finishedAt }: Ended): Ended {
  return { exitCode, reason, startedAt, finishedAt };
}

interface EndOptions {
  readonly at: number;
  readonly exitCode: number;
  readonly forGood?: boolean;
}

/** Terminates a running container and schedules its restart. Returns the back-off, if there is one. */
export function end(
  pod: Pod,
  container: ContainerLife,
  { at, exitCode, forGood = false }: EndOptions,
): number | undefined {
  const { state } = container;
  if (state.is !== "running") return undefined;
  const reason = exitCode === 0 ? "Completed" : "Error";
  const ended: Ended = { exitCode, reason, startedAt: state.startedAt, finishedAt: at };
  if (forGood || !willRestart(pod, container, exitCode)) {
    container.state = { is: "terminated", ...ended };
    return undefined;
  }
  if (at - state.startedAt >= backoffForgottenMs) container.backoffMs = 0;
  const waitMs = container.backoffMs;
  container.backoffMs = nextBackoffMs(waitMs);
  if (waitMs === 0) {
    container.state = { is: "terminated", ...ended, restartAt: at + behaviour(pod, container).startAfterMs };
    return undefined;
  }
  container.last = ended;
  const { name, namespace = "", uid } = pod.metadata;
  container.state = {
    is: "waiting",
    reason: "CrashLoopBackOff",
    message: `back-off ${backoffText(waitMs)} restarting failed container=${container.spec.name} pod=${name}_${namespace}(${uid})`,
    startAt: at + waitMs,
  };
  return waitMs;
}

/** `10s`, `1m20s`, as Go prints durations. */
function backoffText(ms: number): string {
  const seconds = ms / 1000;
  return seconds < 60 ? `${seconds}s` : `${Math.floor(seconds / 60)}m${seconds % 60}s`;
}

/** Terminates a container and adds the resulting events to `happened`. */
export function endAndRecord(
  pod: Pod,
  container: ContainerLife,
  options: EndOptions,
  happened: LifecycleEvent[],
): void {
  const waitMs = end(pod, container, options);
  const { name } = container.spec;
  const { state } = container;
  const restartAt = state.is === "terminated" ? state.restartAt : state.is === "waiting" ? state.startAt : undefined;
  happened.push({
    what: "ended",
    container: name,
    exitCode: options.exitCode,
    ...(restartAt !== undefined && { restartInMs: restartAt - options.at }),
  });
  if (waitMs !== undefined) happened.push({ what: "back-off", container: name, delayMs: waitMs });
}
