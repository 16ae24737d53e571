/** What conditions, phases and counts of an unknown kind mean: clearly good, clearly bad, or unknown. */
import { readTime } from "../api/time.ts";
import { type Finding, type Item, refOf, since } from "./diagnosis.ts";

/** A condition of any kind; all of it is optional, since nothing is known of custom resources. */
export interface Condition {
  readonly type?: string;
  readonly status?: string;
  readonly reason?: string;
  readonly message?: string;
  readonly lastTransitionTime?: string;
  readonly observedGeneration?: number;
}

/** Conditions that are good when they are True. */
const good =
  /(^|[a-z])(Ready|Available|Established|Accepted|Completed?|Synced|Healthy|Initialized|Bound|Progressing|Programmed|Succeeded|Success|Successful|Met|Approved|Reconciled|Valid|Validated|Installed|Deployed|Provisioned|Running|Online|ResolvedRefs|Issued|Applied|Attached|Allocated|Scheduled|Conformant|Connected|UpToDate)$/;
/** Conditions that are bad when they are True. */
const bad =
  /(Fail|Failed|Failing|Failure|Failures|Pressure|Unavailable|Degraded|Stalled|Terminating|Error|Errors|Errored|Denied|Blocked|Invalid|Conflict|Conflicted|Unhealthy|Lost|Exceeded|Crashed|Unreachable|NotReady|Schema|Violated|Expired|Missing|Suspended|Paused|Dangling)$/;
/** Good ones that summarize the others. */
const summary = /^(Ready|Available|Healthy|Succeeded|Completed?|Reconciled|Established|Synced)$/;
/** Types of conditions of something in progress: reached once they are False. */
const underWay =
  /(Reconciling|Pending|InProgress|Creating|Updating|Upgrading|Deleting|Scaling|Provisioning|Installing|Initializing|Migrating|Waiting)$/;
/** In the reason of a condition of an unknown type. */
const badReason =
  /Err(or)?|Fail|Invalid|Denied|NotFound|Missing|Timeout|TimedOut|Unreachable|Refused|Forbidden|Unavailable/;

/** Conditions by their meaning. */
export interface ReadConditions {
  readonly findings: readonly Finding[];
  /** Of unknown meaning: neither good nor bad. */
  readonly unclear: readonly Condition[];
  /** Those that are good. */
  readonly fine: readonly Condition[];
  /** Whether a summarizing condition is good. */
  readonly isSummedUp: boolean;
}

/** Interprets conditions by the names of their types, since nothing else is known. */
export function readConditions(item: Item, conditions: readonly Condition[]): ReadConditions {
  const findings: Finding[] = [];
  const unclear: Condition[] = [];
  const fine: Condition[] = [];
  const { generation } = item.object.metadata;
  for (const condition of conditions) {
    const { type = "", observedGeneration } = condition;
    const meaning = meaningOf(condition);
    const isOld = observedGeneration !== undefined && generation !== undefined && observedGeneration < generation;
    if (meaning === "bad") findings.push(findingFor(item, condition));
    else if (isOld && summary.test(type)) {
      const why = `condition ${type} is for generation ${observedGeneration}, but the spec has generation ${generation}`;
      findings.push({ at: refOf(item), why });
    } else (meaning === "good" ? fine : unclear).push(condition);
  }
  return { findings, unclear, fine, isSummedUp: fine.some(({ type = "" }) => summary.test(type)) };
}

/** Whether the type names a state that is good. */
export function isGoodState(type: string): boolean {
  return good.test(type);
}

function meaningOf({ type = "", status, reason = "" }: Condition): "good" | "bad" | "unclear" {
  if (bad.test(type) || underWay.test(type)) return status === "False" ? "good" : "bad";
  if (good.test(type)) return status === "True" ? "good" : "bad";
  return status !== "True" && badReason.test(reason) ? "bad" : "unclear";
}

/** A bad condition as a finding. */
function findingFor(item: Item, condition: Condition): Finding {
  return { at: refOf(item), why: conditionText(condition), ...since(readTime(condition.lastTransitionTime)) };
}

/** `condition Ready is False (NoBackend): none found`. */
export function conditionText({ type = "", status = "", reason = "", message = "" }: Condition): string {
  return `condition ${type} is ${status}${reason === "" ? "" : ` (${reason})`}${message === "" ? "" : `: ${message}`}`;
}

const goodPhase =
  /^(active|bound|running|succeeded|ready|available|completed?|established|healthy|online|deployed|ok|synced|installed|provisioned|success|successful|attached|up|started|reconciled|applied|created|done|finished|enabled|operational|normal|stable)$/i;
const badPhase =
  /(fail|err|pending|creat|provision|degrad|unknown|terminat|delet|lost|unhealthy|invalid|stopped|waiting|progressing|starting|initiali|upgrading|updating|installing|unavailable|crash|stuck|block|reject|denied|suspend|paus|not)/i;

/** The meaning of a phase, by its name. */
export function meaningOfPhase(phase: string): "good" | "bad" | "unclear" {
  if (goodPhase.test(phase)) return "good";
  return badPhase.test(phase) ? "bad" : "unclear";
}
