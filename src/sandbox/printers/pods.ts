/** The cells of pods. Source: kubernetes v1.36 pkg/printers/internalversion/printers.go printPod. */
import { parseTime } from "../../api/time.ts";
import { at, fieldsIn, type ApiObject, type Fields } from "../meta/object.ts";
import { humanDuration } from "./age.ts";
import { age, type Cells, isTrue, numberAt, textAt } from "./cells.ts";

/** The pod's state, derived from its containers. */
interface Seen {
  readonly ready: number;
  readonly restarts: number;
  /** When the last restarted container terminated; undefined if there is none. */
  readonly lastRestart: number | undefined;
  readonly reason: string;
}

const reasonOf = (status: Fields, state: "waiting" | "terminated"): string =>
  textAt(status, ["state", state, "reason"], "");

/** `Error`, `Signal:9`, `ExitCode:1`: why a container terminated; empty if it has not. */
function endOf(status: Fields): string {
  if (at(status, "state", "terminated") === undefined) return "";
  const signal = numberAt(status, "state", "terminated", "signal");
  return (
    reasonOf(status, "terminated") ||
    (signal === 0 ? `ExitCode:${numberAt(status, "state", "terminated", "exitCode")}` : `Signal:${signal}`)
  );
}

function restartsOf(statuses: readonly Fields[]): Pick<Seen, "restarts" | "lastRestart"> {
  const ends = statuses.map((status) => at(status, "lastState", "terminated", "finishedAt"));
  const times = ends.filter((end) => typeof end === "string").map(parseTime);
  return {
    restarts: statuses.reduce((sum, status) => sum + numberAt(status, "restartCount"), 0),
    lastRestart: times.length === 0 ? undefined : Math.max(...times),
  };
}

interface InitSeen {
  /** Why the pod has not passed its init containers; empty if it has. */
  readonly reason: string;
  /** The number of ready sidecars. */
  readonly ready: number;
  readonly looked: readonly Fields[];
}

/** Walks through the init containers up to the first that is still running. */
function initSeen(pod: ApiObject, sidecars: ReadonlySet<unknown>): InitSeen {
  const statuses = fieldsIn(pod.status?.["initContainerStatuses"]);
  let ready = 0;
  for (const [index, status] of statuses.entries()) {
    const looked = statuses.slice(0, index + 1);
    const end = endOf(status);
    if (end !== "" && numberAt(status, "state", "terminated", "exitCode") === 0) continue;
    if (sidecars.has(status["name"]) && status["started"] === true) {
      if (status["ready"] === true) ready++;
      continue;
    }
    if (end !== "") return { reason: `Init:${end}`, ready, looked };
    const waiting = reasonOf(status, "waiting");
    if (waiting !== "" && waiting !== "PodInitializing") return { reason: `Init:${waiting}`, ready, looked };
    const total = fieldsIn(pod.spec?.["initContainers"]).length;
    return { reason: `Init:${index}/${total}`, ready, looked };
  }
  return { reason: "", ready, looked: statuses };
}

/** The reason of the first container that has one. */
function containersSeen(pod: ApiObject, before: string): Pick<Seen, "ready" | "reason"> {
  let [reason, error, ready] = [before, "", 0];
  for (const status of fieldsIn(pod.status?.["containerStatuses"]).toReversed()) {
    const waiting = reasonOf(status, "waiting");
    const end = endOf(status);
    if (waiting !== "") reason = waiting;
    else if (end !== "") {
      reason = end;
      if (numberAt(status, "state", "terminated", "exitCode") !== 0) error = end;
    } else if (status["ready"] === true && at(status, "state", "running") !== undefined) ready++;
  }
  if (reason !== "Completed") return { ready, reason };
  if (ready > 0 && isTrue(pod, "Ready")) return { ready, reason: "Running" };
  return { ready, reason: error !== "" ? error : ready > 0 ? "NotReady" : reason };
}

function seen(pod: ApiObject, sidecars: ReadonlySet<unknown>): Seen {
  const gated = fieldsIn(pod.status?.["conditions"]).some(
    ({ type, reason }) => type === "PodScheduled" && reason === "SchedulingGated",
  );
  const before = gated ? "SchedulingGated" : textAt(pod, ["status", "reason"], textAt(pod, ["status", "phase"], ""));
  const init = initSeen(pod, sidecars);
  if (init.reason !== "" && !isTrue(pod, "Initialized")) {
    return { ready: init.ready, reason: init.reason, ...restartsOf(init.looked) };
  }
  const own = containersSeen(pod, init.reason === "" ? before : init.reason);
  const counted = init.looked.filter((status) => sidecars.has(status["name"]));
  return {
    ready: init.ready + own.ready,
    reason: own.reason,
    ...restartsOf([...counted, ...fieldsIn(pod.status?.["containerStatuses"])]),
  };
}

function statusOf(pod: ApiObject, reason: string): string {
  if (pod.metadata.deletionTimestamp === undefined) return reason;
  if (pod.status?.["reason"] === "NodeLost") return "Unknown";
  const phase = pod.status?.["phase"];
  return phase === "Succeeded" || phase === "Failed" ? reason : "Terminating";
}

function gatesText(pod: ApiObject): string {
  const gates = fieldsIn(pod.spec?.["readinessGates"]);
  const met = gates.filter((gate) => isTrue(pod, textAt(gate, ["conditionType"], "")));
  return gates.length === 0 ? "<none>" : `${met.length}/${gates.length}`;
}

/** The columns of Pods. */
export const podCells: Cells = (pod, now) => {
  const inits = fieldsIn(pod.spec?.["initContainers"]);
  const sidecars = new Set(inits.filter((each) => each["restartPolicy"] === "Always").map(({ name }) => name));
  const { ready, restarts, lastRestart, reason } = seen(pod, sidecars);
  const ago = restarts === 0 || lastRestart === undefined ? "" : ` (${humanDuration(now - lastRestart)} ago)`;
  return [
    pod.metadata.name,
    `${ready}/${fieldsIn(pod.spec?.["containers"]).length + sidecars.size}`,
    statusOf(pod, reason),
    `${restarts}${ago}`,
    age(pod, now),
    textAt(fieldsIn(pod.status?.["podIPs"])[0], ["ip"], textAt(pod, ["status", "podIP"], "<none>")),
    textAt(pod, ["spec", "nodeName"], "<none>"),
    textAt(pod, ["status", "nominatedNodeName"], "<none>"),
    gatesText(pod),
  ];
};

const ends: Readonly<Record<string, string>> = {
  Succeeded: "The pod has completed successfully.",
  Failed: "The pod failed.",
};

/** Conditions of a row: that the pod has terminated. */
export function podConditions(pod: ApiObject): readonly Fields[] | undefined {
  const phase = textAt(pod, ["status", "phase"], "");
  const message = ends[phase];
  return message === undefined ? undefined : [{ type: "Completed", status: "True", reason: phase, message }];
}
