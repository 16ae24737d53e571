import { isJobFinished } from "../../controller/workload/job-status.ts";
import { Jobs, Pods } from "../../api/kinds.ts";
import type { Job } from "../../api/types.ts";
import { type ControllerDefinition, defineController, type RetryOptions } from "../../controller/api/definition.ts";
import { exponentialFailureLimiter } from "../../workqueue/rate-limiters.ts";
import { podOfKey } from "../../controller/workload/pod-key.ts";
import { releaseOrphan, syncOrphan } from "./orphan-pods.ts";
import { defaultOptions, type JobOptions } from "./options.ts";
import { rules } from "./rules.ts";
import { otherManager } from "./spec.ts";
import { syncJob } from "./sync.ts";
import { watchJobs, watchPods } from "./watches.ts";

/** How failed keys are retried: 1 s · 2ⁿ, at most a minute, forever. Source: DefaultJobApiBackOff, MaxJobApiBackOff. */
const retry: RetryOptions = {
  rateLimiter: () => exponentialFailureLimiter({ baseDelayMs: 1000, maxDelayMs: 60_000 }),
};

/** Runs pods until enough of them have succeeded. */
export const job: ControllerDefinition = defineJob();

/** The controller with times and limits that differ from kube-controller-manager's. */
export function defineJob(changed: Partial<JobOptions> = {}): ControllerDefinition {
  const options = { ...defaultOptions, ...changed };
  return defineController<Job>({
    name: "job",
    aliases: ["job-controller"],
    purpose: "runs pods until enough of them have succeeded",
    component: "job-controller",
    source: "pkg/controller/job/job_controller.go",
    for: Jobs,
    watches: [watchJobs(options), watchPods(options)],
    workers: 5,
    retry,
    ifRunTwice: "both would create the pods of each Job, and delete each other's as too many",
    isLeftUndone: (job) =>
      otherManager(job) === undefined && !isJobFinished(job) && job.status?.uncountedTerminatedPods === undefined,
    rules: [...rules, releaseOrphan],
    // All granted by upstream's role too: kubernetes v1.36 plugin/pkg/auth/authorizer/rbac/bootstrappolicy/controller_policy.go.
    permissions: [
      { group: "batch", resource: "jobs", verbs: ["get"] },
      { group: "batch", resource: "jobs/status", verbs: ["update"] },
      { group: "batch", resource: "jobs/finalizers", verbs: ["update"] },
      { group: "", resource: "pods", verbs: ["create", "delete", "patch"] },
    ],
    about: (key) => {
      const pod = podOfKey(key);
      return pod === undefined ? undefined : { kind: Pods.kind, key: pod };
    },
    sync(key, context) {
      const pod = podOfKey(key);
      return pod === undefined ? syncJob(context, options) : syncOrphan(context, pod);
    },
  });
}
