/** Replica counts in a status. Source: kubernetes v1.36 pkg/apis/{apps,core}/validation. */
import { invalid, type FieldError } from "../meta/field-errors.ts";
import type { ApiObject } from "../meta/object.ts";
import { negativeErrors } from "./spec-checks.ts";

const counts = [
  "replicas",
  "fullyLabeledReplicas",
  "updatedReplicas",
  "readyReplicas",
  "availableReplicas",
  "unavailableReplicas",
];

/** Rejects negative counts, and parts that exceed the total. */
export function countErrors(object: ApiObject): FieldError[] {
  const status = object.status ?? {};
  const of = (key: string): number => (typeof status[key] === "number" ? status[key] : 0);
  const errors = negativeErrors(
    status,
    "status",
    ...counts,
    "observedGeneration",
    "terminatingReplicas",
    "collisionCount",
  );
  const labelled = object.kind === "Deployment" ? "updatedReplicas" : "fullyLabeledReplicas";
  for (const key of [labelled, "readyReplicas", "availableReplicas"]) {
    if (of(key) > of("replicas"))
      errors.push(invalid(`status.${key}`, of(key), "cannot be greater than status.replicas"));
  }
  if (of("availableReplicas") > of("readyReplicas")) {
    errors.push(invalid("status.availableReplicas", of("availableReplicas"), "cannot be greater than readyReplicas"));
  }
  return errors;
}
