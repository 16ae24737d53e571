/**
 * The state of a pod's containers, as data: what a container runtime would know. `advance.ts` changes it as time
 * passes.
 */
import type { Container, Pod } from "../../api/types.ts";
import { type Behaviour, behaviourOf } from "./annotations.ts";

/** A terminated run of a container. Times are in ms since 1970. */
export interface Ended {
  readonly exitCode: number;
  /** `Completed` or `Error`. */
  readonly reason: string;
  readonly startedAt: number;
  readonly finishedAt: number;
}

/** The current state of a container. Times are in ms since 1970. */
export type ContainerState =
  /** `startAt` is unset while it must wait for other containers. */
  | { readonly is: "waiting"; readonly reason: string; readonly message?: string; readonly startAt?: number }
  | { readonly is: "running"; readonly startedAt: number }
  /** Without `restartAt` it will not restart. */
  | ({ readonly is: "terminated"; readonly restartAt?: number } & Ended);

/** Determines when a container starts, restarts and stops. */
export type Role = "init" | "sidecar" | "main";

/** One container: its state, and what its restarts depend on. */
export interface ContainerLife {
  readonly spec: Container;
  readonly role: Role;
  state: ContainerState;
  last: Ended | undefined;
  restarts: number;
  /** The delay of the next restart; 0 if immediate. */
  backoffMs: number;
}

/** A pod's containers and the state of the pod as a whole. Times are in ms since 1970. */
export interface PodLife {
  readonly uid: string;
  /** When the kubelet first saw the pod. */
  readonly startedAt: number;
  /** Init containers and sidecars first, in the order of the spec. */
  readonly containers: readonly ContainerLife[];
  /** Why its volumes cannot be set up: until then no container starts. */
  unmounted: string | undefined;
  /** It is stopping: nothing starts any more, and what still runs at `deadline` is killed. */
  stop: { readonly at: number; readonly deadline: number } | undefined;
  /** The kubelet has failed the pod: its phase is Failed whatever its containers report. */
  failed: { readonly reason: string; readonly message: string } | undefined;
  /** The time up to which everything has been applied. */
  seenAt: number;
  /** When the last main container terminated; sidecars stop after that. */
  mainsEndedAt: number | undefined;
}

/** Something that happened to a container, for decisions and Events. */
export type LifecycleEvent =
  | { readonly what: "started" | "ready" | "unready" | "stopped"; readonly container: string }
  | { readonly what: "ended"; readonly container: string; readonly exitCode: number; readonly restartInMs?: number }
  | { readonly what: "killed"; readonly container: string; readonly probe: string }
  | { readonly what: "back-off"; readonly container: string; readonly delayMs: number }
  | { readonly what: "pull-failed"; readonly container: string }
  | { readonly what: "not-configured"; readonly container: string; readonly message: string }
  | { readonly what: "not-mounted"; readonly message: string }
  | { readonly what: "deadline" };

/** The reason of a waiting container that lacks a ConfigMap or a Secret. */
export const configErrorReason = "CreateContainerConfigError";

const firstBackoffMs = 10_000;
const longestBackoffMs = 300_000;

/** The back-off after `before`: 10 s, doubling up to 5 minutes. */
export function nextBackoffMs(before: number): number {
  return before === 0 ? firstBackoffMs : Math.min(longestBackoffMs, before * 2);
}

/** An init container that restarts always is a sidecar. */
export function roleOf(container: Container, isInit: boolean): Role {
  if (!isInit) return "main";
  return container.restartPolicy === "Always" ? "sidecar" : "init";
}

/** A pod whose containers are all waiting, ready for the first `advance`. */
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
    unmounted: undefined,
    stop: undefined,
    failed: undefined,
    seenAt: now,
    mainsEndedAt: undefined,
  };
}

/** `ready` of a container status at `now`, in ms since 1970. */
export function isReady(pod: Pod, container: ContainerLife, now: number): boolean {
  const { state, role } = container;
  if (state.is === "terminated") return role === "init" && state.exitCode === 0;
  if (state.is !== "running") return false;
  if (role === "init") return false;
  const { readyAfterMs, unreadyAfterMs = Infinity } = behaviour(pod, container);
  const age = now - state.startedAt;
  return age >= readyAfterMs && age < unreadyAfterMs;
}

/** `started` of a container status at `now`, in ms since 1970. */
export function isStarted(pod: Pod, container: ContainerLife, now: number): boolean {
  const { state } = container;
  return state.is === "running" && now - state.startedAt >= behaviour(pod, container).startedAfterMs;
}

/** The behaviour of a container of the pod. */
export function behaviour(pod: Pod, { spec, role }: ContainerLife): Behaviour {
  return behaviourOf(pod, spec, role);
}

/** Whether a container that terminated with this exit code restarts. */
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

/** Whether no container is running and none will run again. */
export function hasEnded({ containers, stop }: PodLife): boolean {
  return containers.every(({ state }) => {
    if (state.is === "running") return false;
    return stop !== undefined || (state.is === "terminated" && state.restartAt === undefined);
  });
}

/** The pod's grace period. */
export function graceMs({ spec, metadata }: Pod): number {
  return (metadata.deletionGracePeriodSeconds ?? spec?.terminationGracePeriodSeconds ?? 30) * 1000;
}

/** Whether the container has terminated and will not restart. */
export function hasEndedForGood(state: ContainerState): boolean {
  return state.is === "terminated" && state.restartAt === undefined;
}
