/** Jobs choose their pods by their own uid. Source: kubernetes v1.36 pkg/registry/batch/job/strategy.go. */
import { deepEqual } from "../../api/field-changes.ts";
import { child, isFields, type ApiObject, type Fields } from "../object.ts";
import type { KindRules } from "./kind-rules.ts";

/** Labels the template and selects by the uid, unless the client selects by itself. */
function selectOwnPods(job: ApiObject): void {
  const spec = child(job, "spec");
  if (spec["manualSelector"] === true) return;
  const { uid = "", name = "" } = job.metadata;
  const own: Fields = {
    "controller-uid": uid,
    "job-name": name,
    "batch.kubernetes.io/controller-uid": uid,
    "batch.kubernetes.io/job-name": name,
  };
  // A Job without labels has taken over its template's: one and the same map inside the real server.
  const template = child(child(spec, "template"), "metadata");
  const sharesLabels = deepEqual(template["labels"] ?? {}, job.metadata.labels ?? {});
  template["labels"] = { ...own, ...(isFields(template["labels"]) ? template["labels"] : {}) };
  if (sharesLabels) job.metadata.labels = { ...(template["labels"] as Record<string, string>) };
  if (spec["selector"] !== undefined) return;
  spec["selector"] = { matchLabels: { "batch.kubernetes.io/controller-uid": uid } };
}

export const jobRules: KindRules = {
  prepareCreate: selectOwnPods,
};
