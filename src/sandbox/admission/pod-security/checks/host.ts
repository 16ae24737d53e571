/**
 * Isolation from the node: no host namespaces, ports, paths or processes.
 * Source: pod-security-admission v0.36
 * policy/check_{hostNamespaces,hostPathVolumes,hostPorts,hostProbesAndhostLifecycle,windowsHostProcess}.go.
 */
import { at, fieldsIn, textOf, type Fields } from "../../../meta/object.ts";
import {
  containersNamed,
  containersOf,
  fieldsAt,
  namesWhere,
  plural,
  quoted,
  secured,
  setters,
  sortedSet,
  type Check,
  type CheckPod,
} from "./check.ts";

const namespaces: CheckPod = ({ spec }) => {
  const shared = ["hostNetwork", "hostPID", "hostIPC"].filter((key) => spec[key] === true);
  if (shared.length === 0) return undefined;
  return { reason: "host namespaces", detail: shared.map((key) => `${key}=true`).join(", ") };
};

const paths: CheckPod = ({ spec }) => {
  const names = fieldsIn(spec["volumes"])
    .filter((volume) => fieldsAt(volume, "hostPath") !== undefined)
    .map(({ name }) => textOf(name));
  if (names.length === 0) return undefined;
  return { reason: "hostPath volumes", detail: `${plural("volume", names.length)} ${quoted(names)}` };
};

const portsOf = (container: Fields): string[] =>
  fieldsIn(container["ports"]).flatMap(({ hostPort }) =>
    typeof hostPort === "number" && hostPort !== 0 ? [String(hostPort)] : [],
  );

const ports: CheckPod = (pod) => {
  const names = namesWhere(pod, (container) => portsOf(container).length > 0);
  if (names.length === 0) return undefined;
  const taken = sortedSet(containersOf(pod).flatMap(portsOf));
  const verb = names.length === 1 ? "uses" : "use";
  return {
    reason: "hostPort",
    detail: `${containersNamed(names)} ${verb} ${plural("hostPort", taken.length)} ${taken.join(", ")}`,
  };
};

const callers: readonly (readonly string[])[] = [
  ["livenessProbe"],
  ["readinessProbe"],
  ["startupProbe"],
  ["lifecycle", "postStart"],
  ["lifecycle", "preStop"],
];

/** Hosts that the node would connect to for probes and hooks of a container, other than the pod. */
const hostsOf = (container: Fields): string[] =>
  callers.flatMap((path) =>
    ["httpGet", "tcpSocket"].flatMap((handler) => {
      const host = at(container, ...path, handler, "host");
      return typeof host === "string" && host !== "" ? [host] : [];
    }),
  );

const probes: CheckPod = (pod) => {
  const names = sortedSet(namesWhere(pod, (container) => hostsOf(container).length > 0));
  if (names.length === 0) return undefined;
  const hosts = sortedSet(containersOf(pod).flatMap(hostsOf));
  const verb = names.length === 1 ? "uses" : "use";
  return {
    reason: "probe or lifecycle host",
    detail: `${containersNamed(names)} ${verb} ${plural("probe or lifecycle host", hosts.length)} ${quoted(hosts)}`,
  };
};

const windowsProcess: CheckPod = (pod) => {
  const isProcess = (of: Fields): boolean => secured(of, "windowsOptions", "hostProcess") === true;
  const names = namesWhere(pod, isProcess);
  if (!isProcess(pod.spec) && names.length === 0) return undefined;
  return {
    reason: "hostProcess",
    detail: `${setters(isProcess(pod.spec), names)} must not set securityContext.windowsOptions.hostProcess=true`,
  };
};

/** The controls of host namespaces, host ports and host processes. */
export const hostChecks: readonly Check[] = [
  { id: "hostNamespaces", level: "baseline", revisions: [{ since: 0, check: namespaces }] },
  { id: "hostPathVolumes", level: "baseline", revisions: [{ since: 0, check: paths }] },
  { id: "hostPorts", level: "baseline", revisions: [{ since: 0, check: ports }] },
  { id: "hostProbesAndHostLifecycle", level: "baseline", revisions: [{ since: 34, check: probes }] },
  { id: "windowsHostProcess", level: "baseline", revisions: [{ since: 0, check: windowsProcess }] },
];
