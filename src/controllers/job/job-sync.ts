import { type FieldChange, fieldChanges } from "../../api/field-changes.ts";
import { Jobs } from "../../api/kinds.ts";
import type { Job } from "../../api/types.ts";
import type { Decision, Facts } from "../../controller/api/rule.ts";
import type { SyncContext } from "../../controller/api/sync-context.ts";
import type { JobOptions } from "./options.ts";
import type { JobStatus } from "./spec.ts";

/** One sync of one Job: what its steps share. */
export interface JobSync {
  readonly context: SyncContext;
  readonly options: JobOptions;
  /** As cached, with the status as last written. */
  job: Job;
  /** The status to be written next; the Job's own object until something changes. */
  status: JobStatus;
}

/** The status in Go's field order, omitting the zeros and empty lists that Go omits. */
export function wireStatus(status: JobStatus): JobStatus {
  const { conditions = [], startTime, completionTime, active, succeeded, failed, terminating } = status;
  const { completedIndexes, failedIndexes, ready } = status;
  const { succeeded: uncountedSucceeded = [], failed: uncountedFailed = [] } = status.uncountedTerminatedPods ?? {};
  return {
    ...(conditions.length > 0 && { conditions }),
    ...(startTime !== undefined && { startTime }),
    ...(completionTime !== undefined && { completionTime }),
    ...(active && { active }),
    ...(succeeded && { succeeded }),
    ...(failed && { failed }),
    // Pointers in Go: 0 or an empty string differs from absent.
    ...(terminating !== undefined && { terminating }),
    ...(completedIndexes && { completedIndexes }),
    ...(failedIndexes !== undefined && { failedIndexes }),
    uncountedTerminatedPods: {
      ...(uncountedSucceeded.length > 0 && { succeeded: uncountedSucceeded }),
      ...(uncountedFailed.length > 0 && { failed: uncountedFailed }),
    },
    ...(ready !== undefined && { ready }),
  };
}

/** The facts of rules about the status. */
export interface StatusChange extends Facts {
  readonly changes: readonly FieldChange[];
  /** How many pods the status lists without counting them. */
  readonly uncounted: number;
}

/** How the status to be written differs from the server's. */
export function statusChange({ job, status }: JobSync): StatusChange {
  const { succeeded = [], failed = [] } = status.uncountedTerminatedPods ?? {};
  return {
    changes: fieldChanges(wireStatus(job.status ?? {}), wireStatus(status)),
    uncounted: succeeded.length + failed.length,
  };
}

/** Writes the status, without a retry on conflict, and continues with the server's response. */
export async function writeStatus(sync: JobSync, because: Decision): Promise<void> {
  const { context, job } = sync;
  const status = wireStatus(sync.status);
  const written = await context.client.updateStatus(
    Jobs,
    { ...job, status },
    { because, basedOn: job, signal: context.signal },
  );
  const writer = { key: context.key, uid: written.metadata.uid };
  context.consistency.wrote(writer, Jobs, written.metadata.resourceVersion);
  sync.job = written;
  sync.status = written.status ?? {};
}
