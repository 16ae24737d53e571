/** PodTemplates. Source: kubernetes v1.36 pkg/apis/core/validation/validation.go. */
import { isFields } from "../../meta/object.ts";
import type { RESTStrategy } from "../strategy/rest-strategy.ts";
import { restStrategy } from "../strategy/default-strategy.ts";
import { templateErrors } from "./pod/template.ts";
import { templateWarnings } from "./pod/warnings/pod.ts";

/** PodTemplates. */
export const podTemplateStrategy: RESTStrategy = restStrategy({
  generation: "spec",
  returnsDeletedObject: true,
  warningsOnCreate: (object) => templateWarnings(object, undefined, ["template"]),
  warningsOnUpdate: (object, old) => templateWarnings(object, old, ["template"]),
  validate({ template }) {
    return templateErrors(isFields(template) ? template : {}, undefined, "template");
  },
});
