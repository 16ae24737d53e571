/** Validates a Job's spec, in Jobs and in the templates of CronJobs. Source: kubernetes v1.36 pkg/apis/batch/validation. */
import { invalid, notSupported, required, tooLong, type FieldError } from "../../meta/field-errors.ts";
import { isFields, type Fields } from "../../meta/object.ts";
import { failurePolicyErrors } from "./job-policies.ts";
import { isOneOf, negativeErrors, prefixedPathErrors } from "../../validation/spec-checks.ts";
import { successPolicyErrors } from "./success-policy.ts";
import { templateErrors } from "../core/pod/template.ts";

const mostIndexes = 100_000;
const modes = ["NonIndexed", "Indexed"];

function indexedErrors(spec: Fields, field: string): FieldError[] {
  const { completions, parallelism, maxFailedIndexes: failed } = spec;
  const errors: FieldError[] = [];
  if (completions === undefined) errors.push(required(`${field}.completions`, "when completion mode is Indexed"));
  if (typeof parallelism === "number" && parallelism > mostIndexes) {
    const why = `must be less than or equal to ${mostIndexes} when completion mode is Indexed`;
    errors.push(invalid(`${field}.parallelism`, parallelism, why));
  }
  if (typeof failed !== "number") return errors;
  if (typeof completions === "number" && failed > completions) {
    errors.push(invalid(`${field}.maxFailedIndexes`, failed, "must be less than or equal to completions"));
  }
  if (failed > mostIndexes) {
    errors.push(invalid(`${field}.maxFailedIndexes`, failed, `must be less than or equal to ${mostIndexes}`));
  }
  return errors;
}

function modeErrors(spec: Fields, field: string): FieldError[] {
  const mode = spec["completionMode"];
  const errors: FieldError[] = [];
  if (mode !== undefined && !isOneOf(mode, modes)) {
    errors.push(notSupported(`${field}.completionMode`, mode, modes));
  }
  if (mode === "Indexed") errors.push(...indexedErrors(spec, field));
  if (mode !== undefined && mode !== "NonIndexed") return errors;
  for (const key of ["backoffLimitPerIndex", "maxFailedIndexes"]) {
    if (spec[key] !== undefined) errors.push(invalid(`${field}.${key}`, spec[key], "requires indexed completion mode"));
  }
  return errors;
}

function replacementErrors(spec: Fields, field: string): FieldError[] {
  const policy = spec["podReplacementPolicy"];
  const known = spec["podFailurePolicy"] === undefined ? ["Failed", "TerminatingOrFailed"] : ["Failed"];
  if (policy === undefined || isOneOf(policy, known)) return [];
  return [notSupported(`${field}.podReplacementPolicy`, policy, known)];
}

function restartErrors(spec: Fields, policy: unknown, field: string): FieldError[] {
  if (policy === "Always" || policy === "" || policy === undefined) {
    return [required(field, 'valid values: "OnFailure", "Never"')];
  }
  if (policy !== "OnFailure" && policy !== "Never") return [notSupported(field, policy, ["OnFailure", "Never"])];
  return spec["podFailurePolicy"] === undefined || policy === "Never"
    ? []
    : [invalid(field, policy, 'only "Never" is supported when podFailurePolicy is specified')];
}

const longestManager = 63;

/** Validates the spec of a Job; `field` is its path. */
export function jobSpecErrors(spec: Fields, field: string): FieldError[] {
  const errors = negativeErrors(
    spec,
    field,
    "parallelism",
    "completions",
    "activeDeadlineSeconds",
    "backoffLimit",
    "ttlSecondsAfterFinished",
    "backoffLimitPerIndex",
    "maxFailedIndexes",
  );
  if (spec["maxFailedIndexes"] !== undefined && spec["backoffLimitPerIndex"] === undefined) {
    errors.push(required(`${field}.backoffLimitPerIndex`, "when maxFailedIndexes is specified"));
  }
  const manager = spec["managedBy"];
  if (typeof manager === "string") {
    errors.push(...prefixedPathErrors(manager, `${field}.managedBy`));
    if (manager.length > longestManager) errors.push(tooLong(`${field}.managedBy`, longestManager));
  }
  const template = isFields(spec["template"]) ? spec["template"] : {};
  const podSpec = isFields(template["spec"]) ? template["spec"] : {};
  return [
    ...errors,
    ...modeErrors(spec, field),
    ...failurePolicyErrors(spec, `${field}.podFailurePolicy`),
    ...successPolicyErrors(spec, `${field}.successPolicy`),
    ...replacementErrors(spec, field),
    ...templateErrors(template, undefined, `${field}.template`),
    ...restartErrors(spec, podSpec["restartPolicy"], `${field}.template.spec.restartPolicy`),
  ];
}
