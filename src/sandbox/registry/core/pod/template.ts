/** Pod templates of the workload kinds. Source: kubernetes v1.36 pkg/apis/{apps,core,batch}/validation. */
import { matches, matchesEverything, type Labels, type Selector } from "../../../../api/labels.ts";
import { invalid, notAllowed, notSupported, sortedMap, type FieldError } from "../../../meta/field-errors.ts";
import { at, isFields, type ApiObject, type Fields } from "../../../meta/object.ts";
import { templateErrors as anyTemplateErrors } from "./pod-spec/pod-spec.ts";
import { hostnameWarnings, templateWarnings } from "./warnings/pod.ts";

/** The labels must match the selector, if there is one, and the spec must be valid. */
export function templateErrors(template: Fields, selector: Selector | undefined, field: string): FieldError[] {
  const labels = at(template, "metadata", "labels");
  const errors: FieldError[] = [];
  if (
    selector !== undefined &&
    !matchesEverything(selector) &&
    !matches(selector, isFields(labels) ? (labels as Labels) : undefined)
  ) {
    errors.push(invalid(`${field}.metadata.labels`, sortedMap(labels), "`selector` does not match template `labels`"));
  }
  return [...errors, ...anyTemplateErrors(template, field)];
}

/** A template whose restart policy must be Always. */
export function alwaysErrors(template: Fields, field: string, kind: string): FieldError[] {
  const spec = isFields(template["spec"]) ? template["spec"] : {};
  const errors: FieldError[] = [];
  if (spec["restartPolicy"] !== "Always") {
    errors.push(notSupported(`${field}.spec.restartPolicy`, spec["restartPolicy"] ?? "", ["Always"]));
  }
  if (spec["activeDeadlineSeconds"] !== undefined) {
    errors.push(notAllowed(`${field}.spec.activeDeadlineSeconds`, `activeDeadlineSeconds in ${kind} is not Supported`));
  }
  return errors;
}

/** Warnings for a kind that manages replicas of one pod. */
export function replicatedWarnings(object: ApiObject, old?: ApiObject): string[] {
  return [...(old === undefined ? hostnameWarnings(object) : []), ...templateWarnings(object, old)];
}
