/**
 * Extra rights of containers: privileged mode, capabilities, an unmasked /proc.
 * Source: pod-security-admission v0.36 policy/check_{privileged,allowPrivilegeEscalation,capabilities_*,procMount_*}.go.
 */
import { textOf, type Fields } from "../../../meta/object.ts";
import {
  containersNamed,
  containersOf,
  hasUsersOfItsOwn,
  isWindows,
  namesWhere,
  quoted,
  secured,
  sortedSet,
  unless,
  type Check,
  type CheckPod,
  type PodLike,
} from "./check.ts";

const privileged: CheckPod = (pod) => {
  const names = namesWhere(pod, (container) => secured(container, "privileged") === true);
  if (names.length === 0) return undefined;
  return { reason: "privileged", detail: `${containersNamed(names)} must not set securityContext.privileged=true` };
};

const escalation: CheckPod = (pod) => {
  const names = namesWhere(pod, (container) => secured(container, "allowPrivilegeEscalation") !== false);
  if (names.length === 0) return undefined;
  return {
    reason: "allowPrivilegeEscalation != false",
    detail: `${containersNamed(names)} must set securityContext.allowPrivilegeEscalation=false`,
  };
};

const usual: ReadonlySet<string> = new Set([
  "AUDIT_WRITE",
  "CHOWN",
  "DAC_OVERRIDE",
  "FOWNER",
  "FSETID",
  "KILL",
  "MKNOD",
  "NET_BIND_SERVICE",
  "SETFCAP",
  "SETGID",
  "SETPCAP",
  "SETUID",
  "SYS_CHROOT",
]);

function capabilities(container: Fields, list: "add" | "drop"): string[] {
  const values = secured(container, "capabilities", list);
  return Array.isArray(values) ? values.map(String) : [];
}

/** The containers that add forbidden capabilities; undefined if none does. */
function added(pod: PodLike, may: (name: string) => boolean): string | undefined {
  const forbidden = (container: Fields): string[] => capabilities(container, "add").filter((name) => !may(name));
  const names = namesWhere(pod, (container) => forbidden(container).length > 0);
  if (names.length === 0) return undefined;
  const list = quoted(sortedSet(containersOf(pod).flatMap(forbidden)));
  return `${containersNamed(names)} must not include ${list} in securityContext.capabilities.add`;
}

const unusualCapabilities: CheckPod = (pod) => {
  const detail = added(pod, (name) => usual.has(name));
  return detail === undefined ? undefined : { reason: "non-default capabilities", detail };
};

const fewCapabilities: CheckPod = (pod) => {
  const keeping = namesWhere(pod, (container) => !capabilities(container, "drop").includes("ALL"));
  const adding = added(pod, (name) => name === "NET_BIND_SERVICE");
  if (keeping.length === 0 && adding === undefined) return undefined;
  const dropping =
    keeping.length === 0 ? [] : [`${containersNamed(keeping)} must set securityContext.capabilities.drop=["ALL"]`];
  return {
    reason: "unrestricted capabilities",
    detail: [...dropping, ...(adding === undefined ? [] : [adding])].join("; "),
  };
};

const procMount: CheckPod = (pod) => {
  const mountOf = (container: Fields): string => textOf(secured(container, "procMount") ?? "Default");
  const names = namesWhere(pod, (container) => mountOf(container) !== "Default");
  if (names.length === 0) return undefined;
  const mounts = sortedSet(containersOf(pod).map(mountOf)).filter((mount) => mount !== "Default");
  return {
    reason: "procMount",
    detail: `${containersNamed(names)} must not set securityContext.procMount to ${quoted(mounts)}`,
  };
};

/** The controls for privileged containers, privilege escalation and capabilities. */
export const privilegeChecks: readonly Check[] = [
  { id: "privileged", level: "baseline", revisions: [{ since: 0, check: privileged }] },
  { id: "capabilities_baseline", level: "baseline", revisions: [{ since: 0, check: unusualCapabilities }] },
  {
    id: "procMount",
    level: "baseline",
    revisions: [
      { since: 0, check: procMount },
      { since: 35, check: unless(hasUsersOfItsOwn, procMount) },
    ],
  },
  {
    id: "allowPrivilegeEscalation",
    level: "restricted",
    revisions: [
      { since: 8, check: escalation },
      { since: 25, check: unless(isWindows, escalation) },
    ],
  },
  {
    id: "capabilities_restricted",
    level: "restricted",
    inPlaceOf: "capabilities_baseline",
    revisions: [
      { since: 22, check: fewCapabilities },
      { since: 25, check: unless(isWindows, fewCapabilities) },
    ],
  },
  {
    id: "procMount_restricted",
    level: "restricted",
    inPlaceOf: "procMount",
    revisions: [{ since: 35, check: procMount }],
  },
];
