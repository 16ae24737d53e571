/** Defaults of the workload kinds. Source: kubernetes v1.36 pkg/apis/{apps,batch}/v1/defaults.go. */
import { child, isFields, type Fields } from "../../meta/object.ts";
import { fill, type Filler } from "../strategy/fill.ts";

/** RollingUpdate, unless the object sets another strategy. */
function rolling(spec: Fields, key: string, values: Readonly<Record<string, unknown>>): void {
  const strategy = child(spec, key);
  fill(strategy, { type: "RollingUpdate" });
  if (strategy["type"] === "RollingUpdate") fill(child(strategy, "rollingUpdate"), values);
}

function job(fields: Fields): void {
  const spec = child(fields, "spec");
  if (spec["completions"] === undefined && spec["parallelism"] === undefined) spec["completions"] = 1;
  fill(spec, {
    parallelism: 1,
    backoffLimit: spec["backoffLimitPerIndex"] === undefined ? 6 : 2 ** 31 - 1,
    completionMode: "NonIndexed",
    suspend: false,
    podReplacementPolicy: spec["podFailurePolicy"] === undefined ? "TerminatingOrFailed" : "Failed",
    manualSelector: false,
  });
  const template = spec["template"];
  const metadata = isFields(template) ? template["metadata"] : undefined;
  const labels = isFields(metadata) ? metadata["labels"] : undefined;
  const own = child(fields, "metadata");
  const ownLabels = own["labels"];
  if (isFields(labels) && (!isFields(ownLabels) || Object.keys(ownLabels).length === 0)) own["labels"] = { ...labels };
}

/** The defaults of the workload kinds, by type. */
export const workloadDefaults: Readonly<Record<string, Filler>> = {
  "batch.v1.PodFailurePolicyOnPodConditionsPattern": (pattern) => fill(pattern, { status: "True" }),
  "apps.v1.Deployment": (deployment) => {
    const spec = child(deployment, "spec");
    fill(spec, { replicas: 1, revisionHistoryLimit: 10, progressDeadlineSeconds: 600 });
    rolling(spec, "strategy", { maxUnavailable: "25%", maxSurge: "25%" });
  },
  "apps.v1.ReplicaSet": (replicaSet) => fill(child(replicaSet, "spec"), { replicas: 1 }),
  "apps.v1.DaemonSet": (daemonSet) => {
    const spec = child(daemonSet, "spec");
    fill(spec, { revisionHistoryLimit: 10 });
    rolling(spec, "updateStrategy", { maxUnavailable: 1, maxSurge: 0 });
  },
  "apps.v1.StatefulSet": (statefulSet) => {
    const spec = child(statefulSet, "spec");
    fill(spec, { replicas: 1, revisionHistoryLimit: 10, podManagementPolicy: "OrderedReady" });
    const strategy = child(spec, "updateStrategy");
    if ((strategy["type"] ?? "") === "") {
      strategy["type"] = "RollingUpdate";
      child(strategy, "rollingUpdate");
    }
    if (strategy["type"] === "RollingUpdate" && isFields(strategy["rollingUpdate"])) {
      fill(strategy["rollingUpdate"], { partition: 0 });
    }
    fill(child(spec, "persistentVolumeClaimRetentionPolicy"), { whenDeleted: "Retain", whenScaled: "Retain" });
    for (const claim of Array.isArray(spec["volumeClaimTemplates"])
      ? (spec["volumeClaimTemplates"] as unknown[])
      : []) {
      if (isFields(claim)) fill(claim, { kind: "PersistentVolumeClaim", apiVersion: "v1" });
    }
  },
  "batch.v1.Job": job,
  "batch.v1.CronJob": (cronJob) =>
    fill(child(cronJob, "spec"), {
      concurrencyPolicy: "Allow",
      suspend: false,
      successfulJobsHistoryLimit: 3,
      failedJobsHistoryLimit: 1,
    }),
};
