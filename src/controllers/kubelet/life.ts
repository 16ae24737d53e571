/**
 * The life of a pod's containers on virtual or real time: what a container runtime would know. `advance` is the whole of it:
 * it takes the changes that are due, in the order of their times, and says when the next one is.
 *
 * Source: kubernetes v1.36 pkg/kubelet/kuberuntime/kuberuntime_manager.go computePodActions, doBackOff.
 */
import type { Container, Pod } from "../../api/types.ts";
import { type Behaviour, behaviourOf } from "./annotations.ts";

export interface Ended {
  readonly exitCode: number;
  /** `Completed` or `Error`. */
  readonly reason: string;
  readonly startedAt: number;
  readonly finishedAt: number;
}

/** Times are in ms since 1970. */
export type ContainerState =
  /** `startAt` is unset while something else must come first. */
  | { readonly is: "waiting"; readonly reason: string; readonly message?: string; readonly startAt?: number }
  | { readonly is: "running"; readonly startedAt: number }
  /** Without `restartAt` it has ended for good. */
  | ({ readonly is: "terminated"; readonly restartAt?: number } & Ended);

export type Role = "init" | "sidecar" | "main";

export interface ContainerLife {
  readonly spec: Container;
  readonly role: Role;
  state: ContainerState;
  last: Ended | undefined;
  restarts: number;
  /** How long the next restart waits; 0: it comes at once. */
  backoffMs: number;
}

export interface PodLife {
  readonly uid: string;
  /** When the kubelet first saw the pod. */
  readonly startedAt: number;
  /** Init containers and sidecars first, each in its order. */
  readonly containers: readonly ContainerLife[];
  /** It is to end: nothing starts any more, what still runs at `deadline` is killed. */
  stop: { readonly at: number; readonly deadline: number } | undefined;
  /** The kubelet has given the pod up: its phase is Failed whatever its containers say. */
  failed: { readonly reason: string; readonly message: string } | undefined;
  /** Up to when everything has been applied. */
  seenAt: number;
  /** When the last of the containers that are neither init containers nor sidecars ended: sidecars follow. */
  mainsEndedAt: number | undefined;
}

/** Something that happened to a container, for decisions and Events. */
export type Happening =
  | { readonly what: "started" | "ready" | "unready" | "stopped"; readonly container: string }
  | { readonly what: "ended"; readonly container: string; readonly exitCode: number; readonly restartInMs?: number }
  | { readonly what: "killed"; readonly container: string; readonly probe: string }
  | { readonly what: "back-off"; readonly container: string; readonly delayMs: number }
  | { readonly what: "pull-failed"; readonly container: string }
  | { readonly what: "deadline" };

const firstBackoffMs = 10_000;
const longestBackoffMs = 300_000;
/** A run so long makes up for earlier crashes. */
const backoffForgottenMs = 600_000;

/** The next back-off after one that was waited out: 10 s, doubling to 5 minutes. */
export function nextBackoffMs(before: number): number {
  return before === 0 ? firstBackoffMs : Math.min(longestBackoffMs, before * 2);
}

export function roleOf(container: Container, isInit: boolean): Role {
  if (!isInit) return "main";
  return container.restartPolicy === "Always" ? "sidecar" : "init";
}

/** Ready for the first `advance`. */
export function beginLife(pod: Pod, now: number): PodLife {
  const { initContainers = [], containers = [] } = pod.spec ?? {};
  const fresh = (spec: Container, isInit: boolean): ContainerLife => ({
    spec,
    role: roleOf(spec, isInit),
    state: { is: "waiting", reason: initContainers.length > 0 ? "PodInitializing" : "ContainerCreating" },
    last: undefined,
    restarts: 0,
    backoffMs: 0,
  });
  return {
    uid: pod.metadata.uid,
    startedAt: now,
    containers: [...initContainers.map((c) => fresh(c, true)), ...containers.map((c) => fresh(c, false))],
    stop: undefined,
    failed: undefined,
    seenAt: now,
    mainsEndedAt: undefined,
  };
}

export function isReady(pod: Pod, container: ContainerLife, now: number): boolean {
  const { state, role } = container;
  if (state.is === "terminated") return role === "init" && state.exitCode === 0;
  if (state.is !== "running") return false;
  if (role === "init") return false;
  const { readyAfterMs, unreadyAfterMs = Infinity } = behaviour(pod, container);
  const age = now - state.startedAt;
  return age >= readyAfterMs && age < unreadyAfterMs;
}

export function isStarted(pod: Pod, container: ContainerLife, now: number): boolean {
  const { state } = container;
  return state.is === "running" && now - state.startedAt >= behaviour(pod, container).startedAfterMs;
}

export function behaviour(pod: Pod, { spec, role }: ContainerLife): Behaviour {
  return behaviourOf(pod, spec, role);
}

/** Whether a container that ended so comes back. */
export function comesBack(pod: Pod, { role }: Pick<ContainerLife, "role">, exitCode: number): boolean {
  const policy = pod.spec?.restartPolicy ?? "Always";
  switch (role) {
    case "sidecar":
      return true;
    case "init":
      return exitCode !== 0 && policy !== "Never";
    case "main":
      return policy === "Always" || (policy === "OnFailure" && exitCode !== 0);
  }
}

/** Whether no container runs or will run any more. */
export function hasEnded({ containers, stop }: PodLife): boolean {
  return containers.every(({ state }) => {
    if (state.is === "running") return false;
    return stop !== undefined || (state.is === "terminated" && state.restartAt === undefined);
  });
}

interface Due {
  readonly at: number;
  /** Undefined: only the pod's status changes at that time. */
  readonly apply?: () => void;
  readonly happening?: Happening;
}

/**
 * Applies all that is due by `now`. Changes `life` in place.
 * @returns what happened, and when the next thing will, in ms since 1970.
 */
export function advance(
  pod: Pod,
  life: PodLife,
  now: number,
): { readonly happened: readonly Happening[]; readonly nextAt: number | undefined } {
  const happened: Happening[] = [];
  for (;;) {
    giveUpIfNotInitialized(pod, life);
    arm(pod, life, life.seenAt);
    const next = earliest(dueNext(pod, life, life.seenAt, happened));
    if (next === undefined || next.at > now) {
      life.seenAt = Math.max(life.seenAt, now);
      return { happened, nextAt: next?.at };
    }
    life.seenAt = Math.max(life.seenAt, next.at);
    next.apply?.();
    if (next.happening !== undefined) happened.push(next.happening);
  }
}

function earliest(dues: readonly Due[]): Due | undefined {
  let first: Due | undefined;
  for (const due of dues) if (first === undefined || due.at < first.at) first = due;
  return first;
}

/** An init container that failed and does not come back: nothing else starts. */
function giveUpIfNotInitialized(pod: Pod, life: PodLife): void {
  if (life.stop !== undefined) return;
  const failed = life.containers.some(
    ({ role, state }) => role === "init" && state.is === "terminated" && state.exitCode !== 0 && isOver(state),
  );
  if (failed) life.stop = { at: life.seenAt, deadline: life.seenAt + graceMs(pod) };
}

/** How long the pod's containers have to end by themselves. */
export function graceMs({ spec, metadata }: Pod): number {
  return (metadata.deletionGracePeriodSeconds ?? spec?.terminationGracePeriodSeconds ?? 30) * 1000;
}

/** Gives each container that may start now the time at which it does. */
function arm(pod: Pod, life: PodLife, now: number): void {
  if (life.stop !== undefined) return;
  for (const container of life.containers) {
    const { state, role } = container;
    const { startAfterMs, pullFails } = behaviour(pod, container);
    if (state.is === "waiting" && state.startAt === undefined && !(pullFails && state.reason === "ImagePullBackOff")) {
      container.state = { ...state, startAt: now + startAfterMs };
    }
    // Init containers run one after the other; a sidecar only has to have started.
    if (role === "init" && !(container.state.is === "terminated" && container.state.exitCode === 0)) return;
    if (role === "sidecar" && !isStarted(pod, container, now)) return;
  }
}

/** The next change of each container, and of the pod as a whole. */
function dueNext(pod: Pod, life: PodLife, now: number, happened: Happening[]): Due[] {
  const dues: Due[] = [];
  const { stop } = life;
  const mains = life.containers.filter(({ role }) => role === "main");
  const mainsEnded = mains.every(({ state }) => state.is !== "running" && (stop !== undefined || isOver(state)));
  if (mainsEnded) life.mainsEndedAt ??= now;
  else life.mainsEndedAt = undefined;
  for (const container of life.containers) {
    if (stop !== undefined || (container.role === "sidecar" && mainsEnded)) {
      const due = dueToStop(pod, life, container);
      if (due !== undefined) dues.push(due);
    } else dues.push(...dueOfContainer(pod, container, now, happened));
  }
  const deadline = activeDeadline(pod, life);
  if (deadline !== undefined && stop === undefined && !mainsEnded) dues.push(deadline);
  return dues;
}

function isOver(state: ContainerState): boolean {
  return state.is === "terminated" && state.restartAt === undefined;
}

/** Source: kubernetes v1.36 pkg/kubelet/active_deadline.go. */
function activeDeadline(pod: Pod, life: PodLife): Due | undefined {
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
    happening: { what: "deadline" },
  };
}

/** A running container ends once it has been told to: sidecars after the others. */
function dueToStop(pod: Pod, life: PodLife, container: ContainerLife): Due | undefined {
  if (container.state.is !== "running") return undefined;
  const told = container.role === "sidecar" ? life.mainsEndedAt : life.stop?.at;
  if (told === undefined) return undefined;
  const deadline = life.stop?.deadline ?? Infinity;
  const stopped = told + behaviour(pod, container).stopAfterMs;
  const at = Math.max(told, Math.min(stopped, deadline));
  return {
    at,
    apply: () => end(pod, container, { at, exitCode: stopped > deadline ? 137 : 0, forGood: true }),
    happening: { what: "stopped", container: container.spec.name },
  };
}

function dueOfContainer(pod: Pod, container: ContainerLife, now: number, happened: Happening[]): Due[] {
  const { state, spec } = container;
  const { name } = spec;
  switch (state.is) {
    case "waiting": {
      const at = state.startAt;
      if (at === undefined) return [];
      if (behaviour(pod, container).pullFails && container.restarts === 0 && container.last === undefined) {
        const message = `Back-off pulling image "${spec.image ?? ""}"`;
        const apply = (): void => void (container.state = { is: "waiting", reason: "ImagePullBackOff", message });
        return [{ at, apply, happening: { what: "pull-failed", container: name } }];
      }
      return [{ at, apply: () => start(container, at), happening: { what: "started", container: name } }];
    }
    case "terminated": {
      const at = state.restartAt;
      if (at === undefined) return [];
      return [{ at, apply: () => start(container, at), happening: { what: "started", container: name } }];
    }
    case "running":
      return dueOfRunning(pod, container, state.startedAt, now, happened);
  }
}

/** Its end, or the next time at which a probe changes what the status says. */
function dueOfRunning(
  pod: Pod,
  container: ContainerLife,
  startedAt: number,
  now: number,
  happened: Happening[],
): Due[] {
  const { name } = container.spec;
  const { ending, killed, startedAfterMs, readyAfterMs, unreadyAfterMs, stopAfterMs } = behaviour(pod, container);
  const dues: Due[] = [];
  const own = ending(container.restarts);
  // An annotation that comes later than what it asks for counts from then.
  const kill = killed === undefined ? undefined : Math.max(now, startedAt + killed.afterMs + stopAfterMs);
  const ended = own === undefined ? undefined : Math.max(now, startedAt + own.afterMs);
  if (kill !== undefined && killed !== undefined && (ended === undefined || kill < ended)) {
    const apply = (): void => {
      happened.push({ what: "killed", container: name, probe: killed.probe });
      endAndTell(pod, container, { at: kill, exitCode: 137 }, happened);
    };
    dues.push({ at: kill, apply });
  } else if (ended !== undefined && own !== undefined) {
    dues.push({ at: ended, apply: () => endAndTell(pod, container, { at: ended, exitCode: own.exitCode }, happened) });
  }
  if (container.role === "init") return dues;
  const readyAt = startedAt + readyAfterMs;
  if (readyAt > now && readyAt < Infinity) {
    dues.push({ at: readyAt, happening: { what: "ready", container: name } });
  }
  const startupAt = startedAt + startedAfterMs;
  if (startupAt > now && startupAt < Infinity && startupAt !== readyAt) dues.push({ at: startupAt });
  const unreadyAt = unreadyAfterMs === undefined ? undefined : startedAt + unreadyAfterMs;
  if (unreadyAt !== undefined && unreadyAt > now && unreadyAt > readyAt) {
    dues.push({ at: unreadyAt, happening: { what: "unready", container: name } });
  }
  return dues;
}

function start(container: ContainerLife, at: number): void {
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

/** Ends a running container, and settles when it comes back. Answers the back-off that it has to wait out, if there is one. */
function end(pod: Pod, container: ContainerLife, { at, exitCode, forGood = false }: EndOptions): number | undefined {
  const { state } = container;
  if (state.is !== "running") return undefined;
  const reason = exitCode === 0 ? "Completed" : "Error";
  const ended: Ended = { exitCode, reason, startedAt: state.startedAt, finishedAt: at };
  if (forGood || !comesBack(pod, container, exitCode)) {
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

function endAndTell(pod: Pod, container: ContainerLife, options: EndOptions, happened: Happening[]): void {
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
