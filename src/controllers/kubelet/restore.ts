/** What a restarted kubelet can know about a pod: what the pod's status contains. */
import { parseTime } from "../../api/time.ts";
import type { ContainerStatus, Pod } from "../../api/types.ts";
import { newPodLife, willRestart, type ContainerLife, type Ended, nextBackoffMs, type PodLife } from "./life.ts";

/** A pod's state: restored from its status if a kubelet has written one, else new. */
export function restoreLife(pod: Pod, now: number): PodLife {
  const life = newPodLife(pod, now);
  const { startTime, containerStatuses = [], initContainerStatuses = [] } = pod.status ?? {};
  if (startTime === undefined) return life;
  for (const container of life.containers) {
    const statuses = container.role === "main" ? containerStatuses : initContainerStatuses;
    const status = statuses.find(({ name }) => name === container.spec.name);
    if (status !== undefined) restoreContainer(pod, container, status);
  }
  const startedAt = parseTime(startTime);
  return { ...life, startedAt, seenAt: Math.min(now, latest(life, startedAt)) };
}

/** The latest time in the statuses: everything after it has yet to be applied. */
function latest({ containers }: PodLife, startedAt: number): number {
  const times = containers.flatMap(({ state, last }) => [
    ...(state.is === "running" ? [state.startedAt] : []),
    ...(state.is === "terminated" ? [state.finishedAt] : []),
    ...(last === undefined ? [] : [last.finishedAt]),
  ]);
  return Math.max(startedAt, ...times);
}

function restoreContainer(pod: Pod, container: ContainerLife, status: ContainerStatus): void {
  const { state, lastState, restartCount } = status;
  container.restarts = restartCount;
  container.last = endedOf(lastState?.terminated);
  for (let n = 0; n < Math.min(restartCount, 6); n++) container.backoffMs = nextBackoffMs(container.backoffMs);
  const ended = endedOf(state?.terminated);
  if (state?.running?.startedAt !== undefined) {
    container.state = { is: "running", startedAt: parseTime(state.running.startedAt) };
  } else if (ended !== undefined) {
    const back = willRestart(pod, container, ended.exitCode);
    container.state = {
      is: "terminated",
      ...ended,
      ...(back && { restartAt: ended.finishedAt + container.backoffMs }),
    };
  } else if (state?.waiting !== undefined) {
    const { reason = "ContainerCreating", message } = state.waiting;
    const finishedAt = container.last?.finishedAt;
    container.state = {
      is: "waiting",
      reason,
      ...(message !== undefined && { message }),
      ...(finishedAt !== undefined && { startAt: finishedAt + container.backoffMs }),
    };
  }
}

function endedOf(terminated: NonNullable<ContainerStatus["state"]>["terminated"]): Ended | undefined {
  if (terminated === undefined) return undefined;
  const { exitCode, reason = "", startedAt, finishedAt } = terminated;
  const at = (text: string | undefined): number => (text === undefined ? 0 : parseTime(text));
  return { exitCode, reason, startedAt: at(startedAt), finishedAt: at(finishedAt) };
}
