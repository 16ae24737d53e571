/** What the controls of the Pod Security Standards have in common. */
import { at, fieldsIn, isFields, textOf, type Fields } from "../../../meta/object.ts";
import type { Level } from "./policy.ts";

/** A pod, or the pod that a template would make. */
export interface PodLike {
  readonly annotations: Readonly<Record<string, string>>;
  readonly spec: Fields;
}

/** What a pod is refused for. */
export interface Violation {
  /** A few words, for warnings about many pods. */
  readonly reason: string;
  /** In detail, for this pod. */
  readonly detail: string;
}

/** Returns undefined for a pod that passes. */
export type CheckPod = (pod: PodLike) => Violation | undefined;

/** The check, but for pods of which something holds. */
export const unless =
  (holds: (pod: PodLike) => boolean, check: CheckPod): CheckPod =>
  (pod) =>
    holds(pod) ? undefined : check(pod);

/** A check as it is from one version of the Pod Security Standards on. */
export interface Revision {
  /** The first minor version of Kubernetes 1.x whose policy has it. */
  readonly since: number;
  readonly check: CheckPod;
}

/** One control of the Pod Security Standards. Source: pod-security-admission v0.36 policy/registry.go. */
export interface Check {
  readonly id: string;
  /** A `baseline` control belongs to `restricted` too, unless a restricted one replaces it. */
  readonly level: Exclude<Level, "privileged">;
  /** Oldest first: from each on until the next. */
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

/** The names of the containers for which something holds. */
export function namesWhere(pod: PodLike, holds: (container: Fields) => boolean): string[] {
  return containersOf(pod)
    .filter(holds)
    .map(({ name }) => textOf(name));
}

/** A field of the security context of a pod or a container; undefined where it, or one above it, is not set. */
export function secured(of: Fields, ...path: readonly string[]): unknown {
  return at(of, "securityContext", ...path) ?? undefined;
}

/** The containers of the Windows kind have none of what the Linux ones must set. Source: the 1.25 revisions of the checks. */
export function isWindows({ spec }: PodLike): boolean {
  return at(spec, "os", "name") === "windows";
}

/** True for a pod with a user namespace of its own. */
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

/** Who set something: `pod`, `container "a"`, `pod and containers "a", "b"`. */
export function setters(pod: boolean, containers: readonly string[]): string {
  return [...(pod ? ["pod"] : []), ...(containers.length > 0 ? [containersNamed(containers)] : [])].join(" and ");
}

/** Without repetitions, in order. */
export function sortedSet(values: Iterable<string>): string[] {
  return [...new Set(values)].sort();
}

/** An object at a key; undefined for anything else. */
export function fieldsAt(of: Fields, key: string): Fields | undefined {
  const value = of[key];
  return isFields(value) ? value : undefined;
}
