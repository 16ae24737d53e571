/** Jobs. Source: kubernetes v1.36 pkg/registry/batch/job/strategy.go, pkg/apis/batch/validation/validation.go. */
import { deepEqual } from "../../../api/field-changes.ts";
import { matches, selectorOf, type Labels } from "../../../api/labels.ts";
import { invalid, required, sortedMap, type FieldError } from "../../meta/field-errors.ts";
import { at, child, fieldsIn, isFields, type ApiObject, type Fields } from "../../meta/object.ts";
import { jobSpecErrors } from "./job-spec.ts";
import { jobStatusErrors } from "./job-status.ts";
import type { RESTStrategy } from "../strategy/rest-strategy.ts";
import { restStrategy } from "../strategy/default-strategy.ts";
import {
  validateChange,
  validateObject,
  validateObjectMeta,
  validateObjectMetaUpdate,
} from "../strategy/validation-steps.ts";
import { hostnameWarnings, templateWarnings } from "../core/pod/warnings/pod.ts";
import { labelProblems } from "../../validation/names.ts";
import { fixed, fixedSelector, printedSelector, selectorErrors } from "../../validation/spec-checks.ts";

const prefixed = { uid: "batch.kubernetes.io/controller-uid", name: "batch.kubernetes.io/job-name" };
const legacy = { uid: "controller-uid", name: "job-name" };

/** The labels that select a Job's pods. */
const ownLabels = ({ uid = "", name = "" }: ApiObject["metadata"]): Record<string, string> => ({
  [legacy.uid]: uid,
  [legacy.name]: name,
  [prefixed.uid]: uid,
  [prefixed.name]: name,
});

/** Adds labels to the template and selects by uid, unless the client sets `manualSelector`. */
function selectOwnPods(job: ApiObject): void {
  const spec = child(job, "spec");
  if (spec["manualSelector"] === true) return;
  const template = child(child(spec, "template"), "metadata");
  // A Job without labels shares its template's labels: they are the same map inside the real server.
  const sharesLabels = deepEqual(template["labels"] ?? {}, job.metadata.labels ?? {});
  template["labels"] = { ...ownLabels(job.metadata), ...(isFields(template["labels"]) ? template["labels"] : {}) };
  if (sharesLabels) job.metadata.labels = { ...(template["labels"] as Record<string, string>) };
  const chosen = child(child(spec, "selector"), "matchLabels");
  chosen[prefixed.uid] ??= job.metadata.uid;
}

/** A generated selector must stay as the server would generate it. */
function generatedErrors(job: ApiObject): FieldError[] {
  const spec = job.spec ?? {};
  const selector = spec["selector"];
  if (spec["manualSelector"] === true || !isFields(selector)) return [];
  const labels = at(spec, "template", "metadata", "labels");
  const own = ownLabels(job.metadata);
  const keys = [legacy.uid, legacy.name, prefixed.uid, prefixed.name];
  const errors = keys.flatMap((key): FieldError[] => {
    const field = `spec.template.metadata.labels[${key}]`;
    const value = isFields(labels) ? labels[key] : undefined;
    if (value === undefined) return [required(field, `must be '${own[key]}'`)];
    return value === own[key] ? [] : [invalid(field, sortedMap(labels), `must be '${own[key]}'`)];
  });
  const expected = Object.fromEntries(keys.map((key) => [key, own[key] ?? ""]));
  if (!selects(selector, expected))
    errors.push(invalid("spec.selector", printedSelector(selector), "`selector` not auto-generated"));
  return errors;
}

/** True if a selector is invalid or matches the labels. */
function selects(selector: Fields, labels: Labels | undefined): boolean {
  return selectorErrors(selector, "").length > 0 || matches(selectorOf(selector), labels);
}

function specErrors({ spec = {} }: ApiObject): FieldError[] {
  const errors = jobSpecErrors(spec, "spec");
  const selector = spec["selector"];
  const labels = at(spec, "template", "metadata", "labels");
  if (!isFields(selector)) errors.push(required("spec.selector"));
  else errors.push(...selectorErrors(selector, "spec.selector"));
  if (!isFields(selector) || !selects(selector, isFields(labels) ? (labels as Labels) : undefined)) {
    errors.push(
      invalid("spec.template.metadata.labels", sortedMap(labels), "`selector` does not match template `labels`"),
    );
  }
  return errors;
}

function wholeErrors(job: ApiObject): FieldError[] {
  const errors = [...generatedErrors(job), ...specErrors(job)];
  const { completionMode, completions } = job.spec ?? {};
  if (completionMode === "Indexed" && typeof completions === "number" && completions > 0) {
    // The hostname of the last pod.
    const name = job.metadata.name ?? "";
    const hostname = `${name}-${completions - 1}`;
    if (labelProblems(hostname).length > 0) {
      errors.push(invalid("metadata.name", name, `will not able to create pod with invalid DNS label: ${hostname}`));
    }
  }
  return errors;
}

function completionErrors(spec: Fields, old: Fields): FieldError[] {
  const { completions, parallelism, completionMode } = spec;
  if (completionMode !== "Indexed") return fixed(completions, old["completions"], "spec.completions");
  if (completions === old["completions"] || completions === undefined || completions === parallelism) return [];
  return [invalid("spec.completions", completions, "can only be modified in tandem with spec.parallelism")];
}

/** While a Job is suspended and has not started, scheduling directives and resources of its template may change. */
function isPliable({ spec = {}, status = {} }: ApiObject): boolean {
  const suspended = fieldsIn(status["conditions"]).some(
    ({ type, status: is }) => type === "Suspended" && is === "True",
  );
  const active = status["active"] ?? 0;
  return spec["suspend"] === true && (status["startTime"] === undefined || suspended) && active === 0;
}

function templateErrors(job: ApiObject, old: ApiObject): FieldError[] {
  const [now, before] = [job.spec?.["template"], old.spec?.["template"]];
  if (!isPliable(old)) return fixed(now, before, "spec.template");
  const part = (template: unknown): Fields => {
    const spec = isFields(template) && isFields(template["spec"]) ? { ...template["spec"] } : {};
    for (const key of ["nodeSelector", "tolerations", "schedulingGates"]) delete spec[key];
    if (isFields(spec["affinity"])) {
      const { nodeAffinity: _node, ...affinity } = spec["affinity"];
      if (Object.keys(affinity).length === 0) delete spec["affinity"];
      else spec["affinity"] = affinity;
    }
    for (const key of ["containers", "initContainers"]) {
      if (spec[key] !== undefined)
        spec[key] = fieldsIn(spec[key]).map(({ resources: _resources, ...container }) => container);
    }
    return spec;
  };
  return deepEqual(part(now), part(before))
    ? []
    : [invalid("spec.template.spec", at(now, "spec"), "field is immutable")];
}

function updateErrors(job: ApiObject, old: ApiObject): FieldError[] {
  const [spec, before] = [job.spec ?? {}, old.spec ?? {}];
  return [
    // The real server validates the spec again on update.
    ...specErrors(job),
    ...completionErrors(spec, before),
    ...fixedSelector(spec["selector"], before["selector"]),
    ...templateErrors(job, old),
    ...["completionMode", "podFailurePolicy", "backoffLimitPerIndex", "managedBy", "successPolicy"].flatMap((key) =>
      fixed(spec[key], before[key], `spec.${key}`),
    ),
  ];
}

const hardToTrack =
  "In Indexed Jobs with a number of completions higher than 10^5 and a parallelism higher than 10^4, Kubernetes might not be able to track completedIndexes when a big number of indexes fail";

/** Warnings about the spec of a Job, and about its pod template at `path`. */
export function jobWarnings(object: ApiObject, old: ApiObject | undefined, path: readonly string[]): string[] {
  const changed = old === undefined || old.metadata.generation !== object.metadata.generation;
  const spec = at(object, ...path);
  const { completionMode, completions, parallelism } = isFields(spec) ? spec : {};
  const isLarge = completionMode === "Indexed" && Number(completions) > 100_000 && Number(parallelism) > 10_000;
  return [
    ...(old === undefined ? hostnameWarnings(object) : []),
    ...(changed && isLarge ? [`${path.join(".")}: ${hardToTrack}`] : []),
    ...templateWarnings(object, old, [...path, "template"]),
  ];
}

/** Jobs: their selector is generated, and their dependents are orphaned by default. */
export const jobStrategy: RESTStrategy = restStrategy({
  generation: "spec",
  updateSteps: [validateObjectMeta, validateObject, validateObjectMetaUpdate, validateChange],
  defaultGarbageCollectionPolicy: "orphan dependents",
  // A Job gets its template's labels on every read; when it is created, the labels that select its pods are not set yet.
  isDefaultedOnRead: ({ metadata, spec }) =>
    Object.keys(metadata.labels ?? {}).length === 0 &&
    spec?.["manualSelector"] !== true &&
    at(spec, "template", "metadata", "labels") === undefined,
  prepareForCreate: selectOwnPods,
  validate: wholeErrors,
  warningsOnCreate: (job) => jobWarnings(job, undefined, ["spec"]),
  warningsOnUpdate: (job, old) => jobWarnings(job, old, ["spec"]),
  validateUpdate: updateErrors,
  status: { validateUpdate: jobStatusErrors },
});
