/** What can be said of an object of any kind: generations, conditions, a phase. */
import { readTime } from "../api/time.ts";
import { since, type Snapshot, type State, type Wait } from "./snapshot.ts";

interface Condition {
  readonly type?: string;
  readonly status?: string;
  readonly reason?: string;
  readonly message?: string;
  readonly lastTransitionTime?: string;
}

interface Reported {
  readonly observedGeneration?: number;
  readonly phase?: string;
  readonly conditions?: readonly Condition[];
}

/** Conditions that are good when they are True; of others True is the news. */
const good =
  /^(Ready|Available|Established|NamesAccepted|Complete|Completed|Synced|Healthy|Initialized|Bound|Progressing|Accepted|Programmed|Succeeded|SuccessCriteriaMet|ContainersReady|Approved)$/;
/** Conditions that are bad when they are True. */
const bad = /(Failed|Failure|Pressure|Unavailable|Degraded|Stalled|Terminating|Error|Denied|Blocked)$/;
const goodPhases: ReadonlySet<string> = new Set([
  "Active",
  "Bound",
  "Running",
  "Succeeded",
  "Ready",
  "Available",
  "Completed",
]);

export function genericState(snapshot: Snapshot): State {
  const { object } = snapshot;
  // Of a kind that is not known only what every status may have is read.
  const { status } = object as { readonly status?: Reported };
  const unseen = unseenGeneration(snapshot, status);
  const waits: Wait[] = [...unseen, ...conditionWaits(status?.conditions ?? [])];
  const phase = status?.phase;
  if (phase !== undefined && !goodPhases.has(phase)) waits.push({ about: "", why: `phase ${phase}` });
  if (waits.length > 0) return { is: "waiting", says: waits[0]?.why ?? "", waits: waits.slice(1), next: [] };
  const says =
    phase === undefined
      ? status === undefined
        ? "nothing in it says that it waits"
        : "all its conditions are well"
      : `phase ${phase}`;
  return { is: "as desired", says, waits: [], next: [] };
}

/** The latest change of the spec, if no controller has seen it; or a spec that nobody has ever looked at. */
export function unseenGeneration(
  { object, reconciler, kind }: Snapshot,
  status: Reported | undefined,
): readonly Wait[] {
  const { generation } = object.metadata;
  const observed = status?.observedGeneration;
  if (generation === undefined) return [];
  const spec = (object as { readonly spec?: unknown }).spec;
  if (observed !== undefined && observed < generation) {
    const who = reconciler === undefined ? "whoever reconciles it" : reconciler.who;
    const works = reconciler?.isActive === false ? `${who} is not at work here` : `is ${who} at work?`;
    return [{ about: "", why: `its controller has seen generation ${observed} of ${generation}: ${works}` }];
  }
  if (observed === undefined && spec !== undefined && (status === undefined || Object.keys(status).length === 0)) {
    if (reconciler !== undefined && !reconciler.isActive) {
      return [{ about: "", why: `nobody has written its status: ${reconciler.who} is not at work here` }];
    }
    const custom = reconciler === undefined;
    return custom && "status" in object
      ? [{ about: "", why: `nobody has written its status: no controller for ${kind} is known here` }]
      : [];
  }
  return [];
}

function conditionWaits(conditions: readonly Condition[]): readonly Wait[] {
  return conditions
    .filter(({ type = "", status }) => (good.test(type) && status !== "True") || (bad.test(type) && status === "True"))
    .map(({ type = "", status = "", reason, message, lastTransitionTime }) => ({
      about: "",
      why: `condition ${type} is ${status}${reason === undefined || reason === "" ? "" : ` (${reason})`}${message === undefined || message === "" ? "" : `: ${message}`}`,
      ...since(readTime(lastTransitionTime)),
    }));
}
