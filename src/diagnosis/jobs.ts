/** What a Job or a CronJob waits for. */
import { messageOf } from "../api/error-message.ts";
import { readTime } from "../api/time.ts";
import { Pods } from "../api/kinds.ts";
import type { CronJob, Job, Pod } from "../api/types.ts";
import { type Examined, type Finding, findingsOf, inNamespace, type Item, kubectl, refOf, since } from "./diagnosis.ts";
import { unseenGeneration } from "./generations.ts";
import { Jobs } from "../api/kinds.ts";
import { aside, isControlledBy, type Look, eventTime } from "./look.ts";
import { failure, podFindings } from "./pods.ts";
import { refusedByEvents } from "./refusals.ts";
import { missedSince, nextDue } from "./schedules.ts";
import { controlledPods } from "./replicas.ts";
import { formatAge } from "../api/duration.ts";
import { pluralize } from "../api/pluralize.ts";

import type { Unseen } from "../verdict/verdict.ts";

/** By its conditions, counts and pods. */
export function examineJob(look: Look, item: Item<Job>): Examined {
  const { spec, status } = item.object;
  const is = (type: string): boolean => conditionOf(item.object, type) !== undefined;
  const whole = { seen: ["its status"], unseen: [] };
  const done = status?.succeeded ?? 0;
  const wanted = spec?.completions ?? 1;
  if (is("Complete")) {
    return { ...whole, says: `complete: ${done} of ${pluralize(wanted, "completion")}`, reached: true, findings: [] };
  }
  const pods = controlledPods(look, item);
  const seen = ["its status", pluralize(pods.objects.length, "Pod")];
  const unseen = aside(pods.unseen);
  if (is("Failed") || is("FailureTarget")) return { ...failedJob(item, pods.objects), seen, unseen };
  if (spec?.suspend === true) {
    const { name, namespace } = item.object.metadata;
    const resume = kubectl(`patch job ${name} --type merge -p '{"spec":{"suspend":false}}'${inNamespace(namespace)}`);
    const why = "it is suspended: it starts no pods while .spec.suspend is true";
    return {
      ...whole,
      says: "it is suspended",
      reached: false,
      findings: [{ at: refOf(item), why, advice: [resume] }],
    };
  }
  const manager = spec?.managedBy;
  if (manager !== undefined && manager !== "kubernetes.io/job-controller") {
    const why = `it is managed by ${manager}, and no pod is active`;
    const findings = (status?.active ?? 0) > 0 ? podFindings(look, pods.objects) : [{ at: refOf(item), why }];
    return { says: `it is managed by ${manager}`, reached: false, findings, seen, unseen };
  }
  const active = status?.active ?? 0;
  const failed = status?.failed ?? 0;
  const parts = [
    `${done} of ${pluralize(wanted, "completion")}`,
    pluralize(active, "active pod"),
    ...(failed > 0 ? [`${failed} of at most ${pluralize((spec?.backoffLimit ?? 6) + 1, "failure")}`] : []),
  ];
  const unfinished = pods.objects.filter((pod) => pod.status?.phase !== "Failed");
  const findings = [
    ...(status === undefined || Object.keys(status).length === 0 ? unseenGeneration(look, item) : []),
    ...refusedByEvents(look, item),
    ...podFindings(look, unfinished),
    ...lastFailure(pods.objects),
    ...backOff(item, pods.objects, look.now),
  ];
  return { says: parts.join(", "), reached: false, findings, seen, unseen };
}

function conditionOf(
  object: Job,
  type: string,
): { readonly reason?: string; readonly message?: string; readonly lastTransitionTime?: string } | undefined {
  return object.status?.conditions?.find((condition) => condition.type === type && condition.status === "True");
}

function failedJob(item: Item, pods: readonly Pod[]): Pick<Examined, "says" | "reached" | "findings" | "isFailed"> {
  const failed = conditionOf(item.object, "Failed") ?? conditionOf(item.object, "FailureTarget");
  const why = `${failed?.reason ?? "Failed"}: ${failed?.message ?? ""}`;
  const own: Finding = { at: refOf(item), why, ...since(readTime(failed?.lastTransitionTime)) };
  return {
    says: failed?.message ?? "it has failed",
    reached: false,
    findings: [...lastFailure(pods), own],
    isFailed: true,
  };
}

/** The pod that failed last: the others usually failed for the same reason. */
function lastFailure(pods: readonly Pod[]): readonly Finding[] {
  const failed = pods.filter(({ status }) => status?.phase === "Failed");
  const last = failed.sort((a, b) => a.metadata.creationTimestamp.localeCompare(b.metadata.creationTimestamp)).at(-1);
  if (last === undefined) return [];
  const at = refOf({ kind: Pods, object: last });
  const others = failed.length > 1 ? `, like ${failed.length - 1} before it` : "";
  const advice = [kubectl(`logs ${at.name}${inNamespace(at.namespace)}`)];
  return [{ at, why: `${failure(last)}${others}`, advice }];
}

/** The delay after the n-th failure in a row, counted from 0: 10 s · 2ⁿ, at most 10 minutes. */
const firstDelayMs = 10_000;
const maxDelayMs = 600_000;

/** While no pod is active after failures: how long the next one waits at most. A controller that was restarted has forgotten them. */
function backOff(item: Item<Job>, pods: readonly Pod[], now: number): readonly Finding[] {
  const ends = pods
    .filter(({ status }) => status?.phase === "Failed")
    .flatMap(({ status }) => readTime(status?.containerStatuses?.[0]?.state?.terminated?.finishedAt) ?? []);
  if ((item.object.status?.active ?? 0) > 0 || ends.length === 0) return [];
  const delayMs = Math.min(firstDelayMs * 2 ** (ends.length - 1), maxDelayMs);
  const leftMs = Math.max(...ends) + delayMs - now;
  if (leftMs <= 0) return [];
  return [
    {
      at: refOf(item),
      why: `back-off after ${pluralize(ends.length, "failure")}: the next pod is created within ${formatAge(leftMs)}`,
    },
  ];
}

/** By its last Job, its Events and its schedule. */
export function examineCronJob(look: Look, item: Item<CronJob>): Examined {
  const cronJob = item.object;
  const { metadata, spec, status } = cronJob;
  const { namespace = "", name } = metadata;
  const at = refOf(item);
  if (spec?.suspend === true) {
    const resume = kubectl(
      `patch cronjob ${name} --type merge -p '{"spec":{"suspend":false}}'${inNamespace(namespace)}`,
    );
    const why = "it is suspended: it starts no Jobs while .spec.suspend is true";
    return {
      says: "it is suspended",
      reached: false,
      findings: [{ at, why, advice: [resume] }],
      seen: ["its spec"],
      unseen: [],
    };
  }
  const jobs = look.list(Jobs, namespace);
  const own = jobs.objects
    .filter((job) => isControlledBy(job, cronJob))
    .sort((a, b) => a.metadata.creationTimestamp.localeCompare(b.metadata.creationTimestamp));
  const last = own.at(-1);
  const events = look.events(cronJob);
  const trouble = events.objects.findLast(({ type }) => type === "Warning");
  const findings: Finding[] = [];
  if (last !== undefined && !isRunningWell(last)) {
    const diagnosis = look.diagnose({ kind: Jobs, object: last });
    if (diagnosis !== undefined) findings.push(...findingsOf(diagnosis));
  }
  const started = events.objects.findLast(({ reason }) => reason === "SuccessfulCreate");
  // A run is tried again until it starts; its time is when it was due.
  const lastGood = Math.max(readTime(status?.lastScheduleTime) ?? 0, started === undefined ? 0 : eventTime(started));
  const isNewer = trouble !== undefined && eventTime(trouble) > lastGood;
  if (isNewer)
    findings.push({ at, why: `${trouble.reason ?? ""}: ${trouble.message ?? ""}`, ...since(eventTime(trouble)) });
  const lastAt = readTime(status?.lastScheduleTime);
  if (jobs.unseen.length === 0) findings.push(...goneWithoutSuccess(item, { last, now: look.now }));
  const missed = missedRun(cronJob, look.now);
  if (missed.is === "missed") {
    const why = `it was due ${formatAge(look.now - missed.at)} ago, and no Job was started: is its controller running?`;
    findings.push({ at, why, since: missed.at });
  }
  const when =
    lastAt === undefined ? "it has started no Job yet" : `its last Job was due ${formatAge(look.now - lastAt)} ago`;
  const due = nextDue(cronJob, look.now);
  const next = due === undefined ? "" : `, the next one is due in ${formatAge(due - look.now)}`;
  return {
    says: `${when}${next} (schedule ${spec?.schedule ?? ""})`,
    reached: findings.length === 0,
    findings,
    seen: ["its status", pluralize(own.length, "Job"), "its Events"],
    // Whether the last Job failed is decisive.
    unseen: [...jobs.unseen, ...events.unseen, ...(missed.is === "unknown" ? [missed.unseen] : [])],
  };
}

interface LastRun {
  /** The newest Job that is left. */
  readonly last: Job | undefined;
  readonly now: number;
}

/** Its last run did not succeed, and its Job is gone: that of a failed run is removed at once where failedJobsHistoryLimit is 0. */
function goneWithoutSuccess(item: Item<CronJob>, { last, now }: LastRun): readonly Finding[] {
  const { spec, status } = item.object;
  const dueAt = readTime(status?.lastScheduleTime);
  const isRunning = (status?.active ?? []).length > 0;
  if (dueAt === undefined || isRunning || (readTime(status?.lastSuccessfulTime) ?? 0) >= dueAt) return [];
  if (last !== undefined && (readTime(last.metadata.creationTimestamp) ?? 0) >= dueAt) return [];
  const kept = spec?.failedJobsHistoryLimit === 0 ? "; failedJobsHistoryLimit 0 keeps no failed Job" : "";
  const why = `its last run, due ${formatAge(now - dueAt)} ago, did not succeed, and its Job is gone${kept}`;
  return [{ at: refOf(item), why, since: dueAt }];
}

type MissedRun =
  | { readonly is: "none" }
  | { readonly is: "missed"; readonly at: number }
  | { readonly is: "unknown"; readonly unseen: Unseen };

/** Whether the CronJob was due, but its controller started no Job. */
function missedRun(cronJob: CronJob, now: number): MissedRun {
  const { metadata, spec, status } = cronJob;
  // While its Job runs, no other is started.
  if (spec?.concurrencyPolicy === "Forbid" && (status?.active ?? []).length > 0) return { is: "none" };
  const last = readTime(status?.lastScheduleTime);
  // Runs past their starting deadline are skipped.
  const deadlineMs = (spec?.startingDeadlineSeconds ?? Infinity) * 1000;
  const after = Math.max(last ?? readTime(metadata.creationTimestamp) ?? now, now - deadlineMs);
  try {
    const at = missedSince(cronJob, { after, now });
    return at === undefined ? { is: "none" } : { is: "missed", at };
  } catch (error) {
    const why = `its schedule cannot be parsed here: ${messageOf(error)}`;
    // The Jobs that it has started show that it works.
    return { is: "unknown", unseen: { what: "whether it is due", why, isDecisive: last === undefined } };
  }
}

/** Whether the Job is running without failures. */
function isRunningWell({ status }: Job): boolean {
  const active = status?.active ?? 0;
  const over =
    status?.conditions?.some(({ type, status: is }) => is === "True" && type !== "SuccessCriteriaMet") === true;
  return !over && active > 0 && (status?.ready ?? 0) === active && (status?.failed ?? 0) === 0;
}
