/** PodTemplates. Source: kubernetes v1.36 pkg/apis/core/validation/validation.go. */
import { isFields } from "../../meta/object.ts";
import type { KindRules } from "../strategy/kind-rules.ts";
import { templateErrors } from "./pod/template.ts";
import { templateWarnings } from "./pod/warnings/pod.ts";

export const podTemplateRules: KindRules = {
  warnings: (object, old) => templateWarnings(object, old, ["template"]),
  validate({ template }) {
    return templateErrors(isFields(template) ? template : {}, undefined, "template");
  },
};
