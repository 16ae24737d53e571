/**
 * Evaluates a pod against a policy: which checks a level has at a version, and their results. Source: pod-security-admission v0.36
 * policy/registry.go.
 */
import type { Check, PodLike, Revision, Violation } from "./checks/check.ts";
import { hostChecks } from "./checks/host.ts";
import { privilegeChecks } from "./checks/privileges.ts";
import { profileChecks } from "./checks/profiles.ts";
import { sysctlChecks } from "./checks/sysctls.ts";
import { userChecks } from "./checks/users.ts";
import { volumeChecks } from "./checks/volumes.ts";
import type { LevelVersion, Version } from "./checks/policy.ts";

/** In the order of messages: baseline first, each level sorted by ID. */
export const checks: readonly Check[] = [
  ...hostChecks,
  ...privilegeChecks,
  ...profileChecks,
  ...sysctlChecks,
  ...userChecks,
  ...volumeChecks,
].sort((a, b) => order(a, b));

function order(a: Check, b: Check): number {
  return a.level === b.level ? (a.id < b.id ? -1 : 1) : a.level === "baseline" ? -1 : 1;
}

/** The revision of a check at a version; undefined before its first. */
function revisionIn({ revisions }: Check, version: Version): Revision | undefined {
  return version === "latest" ? revisions.at(-1) : revisions.findLast(({ since }) => since <= version);
}

/** The checks of a level at a version, in order. */
function revisionsOf({ level, version }: LevelVersion): Revision[] {
  if (level === "privileged") return [];
  const there = checks.filter(
    (check) => (level === "restricted" || check.level === "baseline") && revisionIn(check, version) !== undefined,
  );
  const replaced = new Set(there.map(({ inPlaceOf }) => inPlaceOf));
  return there.filter(({ id }) => !replaced.has(id)).flatMap((check) => revisionIn(check, version) ?? []);
}

/** All violations of a policy by a pod; empty if the pod is allowed. */
export function violationsOf(pod: PodLike, policy: LevelVersion): Violation[] {
  return revisionsOf(policy).flatMap(({ check }) => check(pod) ?? []);
}

/** `host namespaces (hostPID=true), privileged (container "c" must not …)`. */
export function inDetail(violations: readonly Violation[]): string {
  return violations.map(({ reason, detail }) => `${reason} (${detail})`).join(", ");
}

/** `host namespaces, privileged`. */
export function inShort(violations: readonly Violation[]): string {
  return violations.map(({ reason }) => reason).join(", ");
}
