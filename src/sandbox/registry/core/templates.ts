/** PodTemplates and ControllerRevisions. Source: kubernetes v1.36 pkg/apis/{core,apps}/validation/validation.go. */
import { invalid, required } from "../../field-errors.ts";
import { isFields } from "../../object.ts";
import { isEqual, nonNegativeErrors } from "../checks.ts";
import type { KindRules } from "../kind-rules.ts";
import { templateWarnings } from "../warnings/pod.ts";
import { templateErrors } from "../workload-validation.ts";

export const podTemplateRules: KindRules = {
  warnings: (object, old) => templateWarnings(object, old, ["template"]),
  validate({ template }) {
    return templateErrors(isFields(template) ? template : {}, undefined, "template");
  },
};

export const controllerRevisionRules: KindRules = {
  validate({ data, revision }) {
    return [
      ...nonNegativeErrors(revision, "revision"),
      ...(data === undefined || data === null ? [required("data", "data is mandatory")] : []),
    ];
  },
  wholeUpdate: true,
  validateUpdate: ({ data, revision }, old) => [
    ...nonNegativeErrors(revision, "revision"),
    ...(isEqual(data, old["data"]) ? [] : [invalid("data", data ?? null, "field is immutable")]),
  ],
};
