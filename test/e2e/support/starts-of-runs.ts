/** Which runs of CronJobs were started, and how often, from the audit log of the API server. */
import { type AuditEvent, effectsOf } from "../../support/audit-log.ts";

interface Job {
  readonly metadata?: {
    readonly name: string;
    readonly annotations?: Readonly<Record<string, string>>;
    readonly ownerReferences?: readonly { readonly kind: string; readonly uid: string }[];
  };
}

/** Names of the Jobs created for each scheduled time of each CronJob, including deleted ones. */
export function startsOfRuns(events: readonly AuditEvent[], namespace: string): ReadonlyMap<string, readonly string[]> {
  const runs = new Map<string, string[]>();
  for (const { verb, resource, code, response, ...effect } of effectsOf(events)) {
    if (verb !== "create" || resource !== "jobs.batch" || code >= 300 || effect.namespace !== namespace) continue;
    const { name = "", annotations, ownerReferences = [] } = ((response ?? {}) as Job).metadata ?? {};
    const owner = ownerReferences.find(({ kind }) => kind === "CronJob")?.uid;
    if (owner === undefined) continue;
    const run = `${owner} at ${annotations?.["batch.kubernetes.io/cronjob-scheduled-timestamp"] ?? "no time"}`;
    runs.set(run, [...(runs.get(run) ?? []), name]);
  }
  return runs;
}
