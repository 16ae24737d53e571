/** Containers must not run as root. Source: pod-security-admission v0.36 policy/check_{runAsNonRoot,runAsUser}.go. */
import {
  containersNamed,
  hasUsersOfItsOwn,
  namesWhere,
  secured,
  setters,
  unless,
  type Check,
  type CheckPod,
} from "./check.ts";

const asNonRoot: CheckPod = (pod) => {
  const reason = "runAsNonRoot != true";
  const podValue = secured(pod.spec, "runAsNonRoot");
  const rooted = namesWhere(pod, (container) => secured(container, "runAsNonRoot") === false);
  if (podValue === false || rooted.length > 0) {
    const who = setters(podValue === false, rooted);
    return { reason, detail: `${who} must not set securityContext.runAsNonRoot=false` };
  }
  if (podValue === true) return undefined;
  const silent = namesWhere(pod, (container) => secured(container, "runAsNonRoot") === undefined);
  if (silent.length === 0) return undefined;
  return { reason, detail: `pod or ${containersNamed(silent)} must set securityContext.runAsNonRoot=true` };
};

const asRoot: CheckPod = (pod) => {
  const podIsRoot = secured(pod.spec, "runAsUser") === 0;
  const names = namesWhere(pod, (container) => secured(container, "runAsUser") === 0);
  if (!podIsRoot && names.length === 0) return undefined;
  return { reason: "runAsUser=0", detail: `${setters(podIsRoot, names)} must not set runAsUser=0` };
};

/** The controls for users: not root, neither by name nor by UID. */
export const userChecks: readonly Check[] = [
  {
    id: "runAsNonRoot",
    level: "restricted",
    revisions: [
      { since: 0, check: asNonRoot },
      { since: 35, check: unless(hasUsersOfItsOwn, asNonRoot) },
    ],
  },
  {
    id: "runAsUser",
    level: "restricted",
    revisions: [
      { since: 23, check: asRoot },
      { since: 35, check: unless(hasUsersOfItsOwn, asRoot) },
    ],
  },
];
