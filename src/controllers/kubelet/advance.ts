/**
 * Simulates the passing of time: applies the transitions of a pod's containers that are due, in order of time, and
 * determines the time of the next one. Source: kubernetes v1.36 pkg/kubelet/kuberuntime/kuberuntime_manager.go
 * computePodActions.
 */
import type { Pod } from "../../api/types.ts";
import {
  behaviour,
  configErrorReason,
  type ContainerLife,
  graceMs,
  type LifecycleEvent,
  hasEndedForGood,
  isStarted,
  type PodLife,
} from "./life.ts";
import { end, endAndRecord, start } from "./transitions.ts";

interface PendingTransition {
  readonly at: number;
  /** Undefined if only the pod's status changes at that time. */
  readonly apply?: () => void;
  readonly event?: LifecycleEvent;
}

/**
 * Applies all transitions due by `now`, changing `life` in place.
 * @returns the events, and the time of the next transition in ms since 1970.
 */
export function advance(
  pod: Pod,
  life: PodLife,
  now: number,
): { readonly happened: readonly LifecycleEvent[]; readonly nextAt: number | undefined } {
  const happened: LifecycleEvent[] = [];
  for (;;) {
    stopIfInitFailed(pod, life);
    scheduleStarts(pod, life, life.seenAt);
    const next = earliest(pendingTransitions(pod, life, life.seenAt, happened));
    if (next === undefined || next.at > now) {
      life.seenAt = Math.max(life.seenAt, now);
      return { happened, nextAt: next?.at };
    }
    life.seenAt = Math.max(life.seenAt, next.at);
    next.apply?.();
    if (next.event !== undefined) happened.push(next.event);
  }
}

function earliest(dues: readonly PendingTransition[]): PendingTransition | undefined {
  let first: PendingTransition | undefined;
  for (const due of dues) if (first === undefined || due.at < first.at) first = due;
  return first;
}

/** If an init container failed and will not restart, nothing else starts. */
function stopIfInitFailed(pod: Pod, life: PodLife): void {
  if (life.stop !== undefined) return;
  const failed = life.containers.some(
    ({ role, state }) => role === "init" && state.is === "terminated" && state.exitCode !== 0 && hasEndedForGood(state),
  );
  if (failed) life.stop = { at: life.seenAt, deadline: life.seenAt + graceMs(pod) };
}

/** Sets the start time of each container that may start now. */
function scheduleStarts(pod: Pod, life: PodLife, now: number): void {
  if (life.stop !== undefined || life.unmounted !== undefined) return;
  for (const container of life.containers) {
    const { state, role } = container;
    const { startAfterMs, pullFails } = behaviour(pod, container);
    const isHeld =
      state.is === "waiting" &&
      (state.reason === configErrorReason || (pullFails && state.reason === "ImagePullBackOff"));
    if (state.is === "waiting" && state.startAt === undefined && !isHeld) {
      container.state = { ...state, startAt: now + startAfterMs };
    }
    // Init containers run one after the other; a sidecar only needs to have started.
    if (role === "init" && !(container.state.is === "terminated" && container.state.exitCode === 0)) return;
    if (role === "sidecar" && !isStarted(pod, container, now)) return;
  }
}

/** The next transition of each container, and of the pod as a whole. */
function pendingTransitions(pod: Pod, life: PodLife, now: number, happened: LifecycleEvent[]): PendingTransition[] {
  const dues: PendingTransition[] = [];
  const { stop } = life;
  const mains = life.containers.filter(({ role }) => role === "main");
  const mainsEnded = mains.every(
    ({ state }) => state.is !== "running" && (stop !== undefined || hasEndedForGood(state)),
  );
  if (mainsEnded) life.mainsEndedAt ??= now;
  else life.mainsEndedAt = undefined;
  for (const container of life.containers) {
    if (stop !== undefined || (container.role === "sidecar" && mainsEnded)) {
      const due = pendingStop(pod, life, container);
      if (due !== undefined) dues.push(due);
    } else dues.push(...transitionsOfContainer(pod, container, now, happened));
  }
  const deadline = activeDeadline(pod, life);
  if (deadline !== undefined && stop === undefined && !mainsEnded) dues.push(deadline);
  return dues;
}

/** Source: kubernetes v1.36 pkg/kubelet/active_deadline.go. */
function activeDeadline(pod: Pod, life: PodLife): PendingTransition | undefined {
  const seconds = pod.spec?.activeDeadlineSeconds;
  if (seconds === undefined || life.failed !== undefined) return undefined;
  const at = life.startedAt + seconds * 1000;
  return {
    at,
    apply() {
      const message = "Pod was active on the node longer than the specified deadline";
      life.failed = { reason: "DeadlineExceeded", message };
      life.stop = { at, deadline: at + graceMs(pod) };
    },
    event: { what: "deadline" },
  };
}

/** A running container stops once it has been signalled: sidecars after the others. */
function pendingStop(pod: Pod, life: PodLife, container: ContainerLife): PendingTransition | undefined {
  if (container.state.is !== "running") return undefined;
  const signalledAt = container.role === "sidecar" ? life.mainsEndedAt : life.stop?.at;
  if (signalledAt === undefined) return undefined;
  const deadline = life.stop?.deadline ?? Infinity;
  const stopped = signalledAt + behaviour(pod, container).stopAfterMs;
  const at = Math.max(signalledAt, Math.min(stopped, deadline));
  return {
    at,
    apply: () => end(pod, container, { at, exitCode: stopped > deadline ? 137 : 0, forGood: true }),
    event: { what: "stopped", container: container.spec.name },
  };
}

function transitionsOfContainer(
  pod: Pod,
  container: ContainerLife,
  now: number,
  happened: LifecycleEvent[],
): PendingTransition[] {
  const { state, spec } = container;
  const { name } = spec;
  switch (state.is) {
    case "waiting": {
      const at = state.startAt;
      if (at === undefined) return [];
      if (behaviour(pod, container).pullFails && container.restarts === 0 && container.last === undefined) {
        const message = `Back-off pulling image "${spec.image ?? ""}"`;
        const apply = (): void => void (container.state = { is: "waiting", reason: "ImagePullBackOff", message });
        return [{ at, apply, event: { what: "pull-failed", container: name } }];
      }
      return [{ at, apply: () => start(container, at), event: { what: "started", container: name } }];
    }
    case "terminated": {
      const at = state.restartAt;
      if (at === undefined) return [];
      return [{ at, apply: () => start(container, at), event: { what: "started", container: name } }];
    }
    case "running":
      return transitionsOfRunning(pod, container, state.startedAt, now, happened);
  }
}

/** The container's end, and the times at which a probe changes its status. */
function transitionsOfRunning(
  pod: Pod,
  container: ContainerLife,
  startedAt: number,
  now: number,
  happened: LifecycleEvent[],
): PendingTransition[] {
  const { name } = container.spec;
  const { ending, killed, startedAfterMs, readyAfterMs, unreadyAfterMs, stopAfterMs } = behaviour(pod, container);
  const dues: PendingTransition[] = [];
  const own = ending(container.restarts);
  // An annotation set after the time that it names takes effect now.
  const kill = killed === undefined ? undefined : Math.max(now, startedAt + killed.afterMs + stopAfterMs);
  const ended = own === undefined ? undefined : Math.max(now, startedAt + own.afterMs);
  if (kill !== undefined && killed !== undefined && (ended === undefined || kill < ended)) {
    const apply = (): void => {
      happened.push({ what: "killed", container: name, probe: killed.probe });
      endAndRecord(pod, container, { at: kill, exitCode: 137 }, happened);
    };
    dues.push({ at: kill, apply });
  } else if (ended !== undefined && own !== undefined) {
    dues.push({
      at: ended,
      apply: () => endAndRecord(pod, container, { at: ended, exitCode: own.exitCode }, happened),
    });
  }
  if (container.role === "init") return dues;
  const readyAt = startedAt + readyAfterMs;
  if (readyAt > now && readyAt < Infinity) {
    dues.push({ at: readyAt, event: { what: "ready", container: name } });
  }
  const startupAt = startedAt + startedAfterMs;
  if (startupAt > now && startupAt < Infinity && startupAt !== readyAt) dues.push({ at: startupAt });
  const unreadyAt = unreadyAfterMs === undefined ? undefined : startedAt + unreadyAfterMs;
  if (unreadyAt !== undefined && unreadyAt > now && unreadyAt > readyAt) {
    dues.push({ at: unreadyAt, event: { what: "unready", container: name } });
  }
  return dues;
}
