import { keyOf, splitKey } from "../../api/key.ts";
import { Jobs } from "../../api/kinds.ts";
import { isNotFound } from "../../api/status-error.ts";
import type { Job } from "../../api/types.ts";
import { type ControllerDefinition, defineController, watch } from "../../controller/api/definition.ts";
import type { SyncContext } from "../../controller/api/sync-context.ts";
import { type Expiry, expiryOf, needsCleanup } from "./expiry.ts";
import { expired, notExpired, rules } from "./rules.ts";

/** Deletes finished Jobs when their TTL expires. */
export const ttlAfterFinished: ControllerDefinition = defineController<Job>({
  name: "ttl-after-finished",
  aliases: ["ttl-after-finished-controller"],
  purpose: "deletes Jobs some time after they have finished",
  component: "ttl-after-finished-controller",
  source: "pkg/controller/ttlafterfinished/ttlafterfinished_controller.go",
  for: Jobs,
  watches: [
    watch<Job>({
      kind: Jobs,
      on({ type, object }, context) {
        if (type !== "deleted" && needsCleanup(object)) context.enqueue(keyOf(object));
      },
    }),
  ],
  workers: 5,
  ifRunTwice: "the second of two deletions would be refused",
  rules,
  recordsEvents: false,
  // Granted by upstream's role too: kubernetes v1.36 plugin/pkg/auth/authorizer/rbac/bootstrappolicy/controller_policy.go.
  permissions: [{ group: "batch", resource: "jobs", verbs: ["get", "delete"] }],
  sync: (_key, context) => syncFinishedJob(context),
});

/**
 * Deletes the Job if its TTL has expired, or requeues it for then. The cache may be behind a changed TTL: the Job is read from the API
 * server before it is deleted.
 * Source: kubernetes v1.36 pkg/controller/ttlafterfinished/ttlafterfinished_controller.go processJob, processTTL.
 */
async function syncFinishedJob(context: SyncContext): Promise<void> {
  const cached = context.cache(Jobs).get(context.key);
  if (cached === undefined || overdue(context, cached) === undefined) return;
  const { signal } = context;
  let live: Job;
  try {
    live = await context.client.get(Jobs, splitKey(context.key), { signal });
  } catch (error) {
    if (isNotFound(error)) return;
    throw error;
  }
  const expiry = overdue(context, live);
  if (expiry === undefined) return;
  const ttlSeconds = live.spec?.ttlSecondsAfterFinished ?? 0;
  const because = context.decide(expired, { ttlSeconds, agoMs: context.now() - expiry.finishedAt });
  const preconditions = { uid: live.metadata.uid };
  await context.client.delete(Jobs, splitKey(context.key), {
    because,
    basedOn: live,
    preconditions,
    propagationPolicy: "Foreground",
    metadataSuffices: true,
    signal,
  });
}

/** The Job's times if its TTL has expired; otherwise requeues the Job for then, unless it needs no cleanup. */
function overdue(context: SyncContext, job: Job): Expiry | undefined {
  const expiry = expiryOf(job);
  if (expiry === undefined) return undefined;
  const inMs = expiry.expiresAt - context.now();
  if (inMs <= 0) return expiry;
  const { sentence } = context.decide(notExpired, { ttlSeconds: job.spec?.ttlSecondsAfterFinished ?? 0, inMs });
  // In the background, like a schedule: a process that exits when nothing is left to do does not wait for it.
  context.enqueueAfter(inMs, sentence, { background: true });
  return undefined;
}
