/** Types and helpers for the controls of the Pod Security Standards. */
import { at, fieldsIn, isFields, textOf, type Fields } from "../../../meta/object.ts";
import type { Level } from "./policy.ts";

/** A pod, or the pod template of a workload. */
export interface PodLike {
  readonly annotations: Readonly<Record<string, string>>;
  readonly spec: Fields;
}

/** Why a pod violates a control. */
export interface Violation {
  /** Short, for warnings about many pods. */
  readonly reason: string;
  /** Detailed, for this pod. */
  readonly detail: string;
}

/** Returns undefined if the pod passes. */
export type CheckPod = (pod: PodLike) => Violation | undefined;

/** The check, skipped for pods that meet a condition. */
export const unless =
  (holds: (pod: PodLike) => boolean, check: CheckPod): CheckPod =>
  (pod) =>
    holds(pod) ? undefined : check(pod);

/** A check, as of one version of the Pod Security Standards. */
export interface Revision {
  /** The first minor version of Kubernetes 1.x with this revision. */
  readonly since: number;
  readonly check: CheckPod;
}

/** One control of the Pod Security Standards. Source: pod-security-admission v0.36 policy/registry.go. */
export interface Check {
  readonly id: string;
  /** A `baseline` control also belongs to `restricted`, unless a restricted one replaces it. */
  readonly level: Exclude<Level, "privileged">;
  /** Oldest first; each is valid until the next. */
  readonly revisions: readonly Revision[];
  /** The baseline control that it replaces. */
  readonly inPlaceOf?: string;
}

/** All containers: init containers first, ephemeral ones last. */
export function containersOf({ spec }: PodLike): Fields[] {
  return [
    ...fieldsIn(spec["initContainers"]),
    ...fieldsIn(spec["containers"]),
    ...fieldsIn(spec["ephemeralContainers"]),
  ];
}

/** The names of the containers that meet a condition. */
export function namesWhere(pod: PodLike, holds: (container: Fields) => boolean): string[] {
  return containersOf(pod)
    .filter(holds)
    .map(({ name }) => textOf(name));
}

/** A field of the security context of a pod or a container; undefined if it, or a parent, is not set. */
export function secured(of: Fields, ...path: readonly string[]): unknown {
  return at(of, "securityContext", ...path) ?? undefined;
}

/** Windows containers lack the fields that Linux ones must set. Source: the 1.25 revisions of the checks. */
export function isWindows({ spec }: PodLike): boolean {
  return at(spec, "os", "name") === "windows";
}

/** True for a pod with its own user namespace. */
export function hasUsersOfItsOwn({ spec }: PodLike): boolean {
  return spec["hostUsers"] === false;
}

/** `"a", "b"`. */
export function quoted(items: readonly string[]): string {
  return items.map((item) => `"${item}"`).join(", ");
}

/** `one` with an s, unless `count` is 1. */
export function plural(one: string, count: number): string {
  return count === 1 ? one : `${one}s`;
}

/** `container "a"`, `containers "a", "b"`. */
export function containersNamed(names: readonly string[]): string {
  return `${plural("container", names.length)} ${quoted(names)}`;
}

/** Where a field is set: `pod`, `container "a"`, `pod and containers "a", "b"`. */
export function setters(pod: boolean, containers: readonly string[]): string {
  return [...(pod ? ["pod"] : []), ...(containers.length > 0 ? [containersNamed(containers)] : [])].join(" and ");
}

/** Without duplicates, sorted. */
export function sortedSet(values: Iterable<string>): string[] {
  return [...new Set(values)].sort();
}

/** The object at a key; undefined for anything else. */
export function fieldsAt(of: Fields, key: string): Fields | undefined {
  const value = of[key];
  return isFields(value) ? value : undefined;
}
