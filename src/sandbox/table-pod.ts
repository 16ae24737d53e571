/** The cells of pods. Source: kubernetes v1.36 pkg/printers/internalversion/printers.go printPod. */
import { ageOf } from "./age.ts";
import { at, fieldsIn, type ApiObject, type Fields } from "./object.ts";

interface Seen {
  readonly ready: number;
  readonly restarts: number;
  readonly reason: string;
}

/** What an init container that is not done says of the pod; undefined when all are. */
function initReason(pod: ApiObject): string | undefined {
  const statuses = fieldsIn(pod.status?.["initContainerStatuses"]);
  const total = fieldsIn(pod.spec?.["initContainers"]).length;
  for (const [index, status] of statuses.entries()) {
    const exitCode = at(status, "state", "terminated", "exitCode");
    if (exitCode === 0) continue;
    if (exitCode !== undefined)
      return `Init:${reasonOf(status, "terminated") ?? `ExitCode:${JSON.stringify(exitCode)}`}`;
    const waiting = reasonOf(status, "waiting");
    if (waiting !== undefined && waiting !== "PodInitializing") return `Init:${waiting}`;
    return `Init:${index}/${total}`;
  }
  return undefined;
}

function reasonOf(status: Fields, state: "waiting" | "terminated"): string | undefined {
  const reason = at(status, "state", state, "reason");
  return typeof reason === "string" && reason !== "" ? reason : undefined;
}

function seen(pod: ApiObject): Seen {
  const statuses = fieldsIn(pod.status?.["containerStatuses"]);
  const phase = pod.status?.["phase"];
  let reason =
    typeof pod.status?.["reason"] === "string" ? pod.status["reason"] : typeof phase === "string" ? phase : "";
  let ready = 0;
  let restarts = 0;
  let running = false;
  for (const status of statuses.toReversed()) {
    restarts += typeof status["restartCount"] === "number" ? status["restartCount"] : 0;
    const terminated = at(status, "state", "terminated");
    const why = reasonOf(status, "waiting") ?? reasonOf(status, "terminated");
    if (why !== undefined) reason = why;
    else if (terminated !== undefined) {
      const signal = at(terminated, "signal");
      reason =
        typeof signal === "number" && signal !== 0
          ? `Signal:${signal}`
          : `ExitCode:${JSON.stringify(at(terminated, "exitCode"))}`;
    } else if (status["ready"] === true && at(status, "state", "running") !== undefined) {
      running = true;
      ready++;
    }
  }
  if (reason === "Completed" && running) reason = "Running";
  return { ready, restarts, reason: initReason(pod) ?? reason };
}

/** The cells behind the name. */
export function podCells(pod: ApiObject, now: number): unknown[] {
  const { ready, restarts, reason } = seen(pod);
  const total = fieldsIn(pod.spec?.["containers"]).length;
  const gated = fieldsIn(pod.spec?.["schedulingGates"]).length > 0;
  const status = pod.metadata.deletionTimestamp !== undefined ? "Terminating" : gated ? "SchedulingGated" : reason;
  const text = (value: unknown): string => (typeof value === "string" && value !== "" ? value : "<none>");
  const conditions = fieldsIn(pod.status?.["conditions"]);
  const gates = fieldsIn(pod.spec?.["readinessGates"]);
  const met = gates.filter((gate) =>
    conditions.some(({ type, status: state }) => type === gate["conditionType"] && state === "True"),
  );
  return [
    `${ready}/${total}`,
    status,
    String(restarts),
    ageOf(pod.metadata.creationTimestamp, now),
    text(pod.status?.["podIP"]),
    text(pod.spec?.["nodeName"]),
    text(pod.status?.["nominatedNodeName"]),
    gates.length === 0 ? "<none>" : `${met.length}/${gates.length}`,
  ];
}
