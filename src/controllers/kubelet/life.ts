/** The life of a pod's containers, as data: what a container runtime would know. `advance.ts` lets it go on. */
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
export type LifecycleEvent =
  | { readonly what: "started" | "ready" | "unready" | "stopped"; readonly container: string }
  | { readonly what: "ended"; readonly container: string; readonly exitCode: number; readonly restartInMs?: number }
  | { readonly what: "killed"; readonly container: string; readonly probe: string }
  | { readonly what: "back-off"; readonly container: string; readonly delayMs: number }
  | { readonly what: "pull-failed"; readonly container: string }
  | { readonly what: "deadline" };

const firstBackoffMs = 10_000;
const longestBackoffMs = 300_000;

/** The next back-off after one that was waited out: 10 s, doubling to 5 minutes. */
export function nextBackoffMs(before: number): number {
  return before === 0 ? firstBackoffMs : Math.min(longestBackoffMs, before * 2);
}

export function roleOf(container: Container, isInit: boolean): Role {
  if (!isInit) return "main";
  return container.restartPolicy === "Always" ? "sidecar" : "init";
}

/** Ready for the first `advance`. */
export function newPodLife(pod: Pod, now: number): PodLife {
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
export function willRestart(pod: Pod, { role }: Pick<ContainerLife, "role">, exitCode: number): boolean {
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

/** How long the pod's containers have to end by themselves. */
export function graceMs({ spec, metadata }: Pod): number {
  return (metadata.deletionGracePeriodSeconds ?? spec?.terminationGracePeriodSeconds ?? 30) * 1000;
}

/** Ended, and not coming back. */
export function hasEndedForGood(state: ContainerState): boolean {
  return state.is === "terminated" && state.restartAt === undefined;
}
