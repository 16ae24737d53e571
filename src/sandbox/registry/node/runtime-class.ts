/** RuntimeClasses. Source: kubernetes v1.36 pkg/apis/node/validation/validation.go. */
import { duplicate, required, type FieldError } from "../../meta/field-errors.ts";
import { at, fieldsIn, isFields, textOf, type ApiObject } from "../../meta/object.ts";
import { labelNameErrors, seenBefore } from "../../validation/checks.ts";
import type { RESTStrategy } from "../strategy/rest-strategy.ts";
import { restStrategy } from "../strategy/default-strategy.ts";
import {
  validateChange,
  validateObject,
  validateObjectMeta,
  validateObjectMetaUpdate,
} from "../strategy/validation-steps.ts";
import { labelErrors } from "../../validation/metadata.ts";
import { overheadErrors as podOverheadErrors } from "../core/pod/pod-spec/resources.ts";
import { tolerationErrors } from "../core/pod/pod-spec/tolerations.ts";
import { oldLabels, oldLabelsIn } from "../../validation/node-label-warnings.ts";
import { fixed } from "../../validation/spec-checks.ts";

function handlerErrors({ handler }: ApiObject): FieldError[] {
  return textOf(handler) === "" ? [required("handler")] : labelNameErrors(handler, "handler");
}

function schedulingErrors({ scheduling }: ApiObject): FieldError[] {
  if (!isFields(scheduling)) return [];
  const tolerations = fieldsIn(scheduling["tolerations"]);
  const field = "scheduling.tolerations";
  const isRepeated = seenBefore();
  return [
    ...labelErrors(scheduling["nodeSelector"], "scheduling.nodeSelector"),
    ...tolerationErrors(tolerations, field),
    ...tolerations.flatMap(({ key, operator, value, effect, tolerationSeconds }, index) => {
      const shown = { Key: textOf(key), Operator: textOf(operator), Value: textOf(value), Effect: textOf(effect) };
      if (!isRepeated(JSON.stringify(shown))) return [];
      return [duplicate(`${field}[${index}]`, { ...shown, TolerationSeconds: tolerationSeconds ?? null })];
    }),
  ];
}

function overheadErrors({ overhead }: ApiObject): FieldError[] {
  return isFields(overhead) ? podOverheadErrors(overhead["podFixed"], "overhead") : [];
}

const warnings = (runtimeClass: ApiObject): string[] =>
  oldLabelsIn(at(runtimeClass, "scheduling", "nodeSelector")).map(
    (label) => `scheduling.nodeSelector: ${oldLabels[label]}`,
  );

/** RuntimeClasses: their handler never changes. */
export const runtimeClassStrategy: RESTStrategy = restStrategy({
  takesAnyFinalizer: true,
  allowCreateOnUpdate: true,
  allowUnconditionalUpdate: false,
  updateSteps: [validateObjectMeta, validateObject, validateObjectMetaUpdate, validateChange],
  validate: (runtimeClass) => [
    ...handlerErrors(runtimeClass),
    ...overheadErrors(runtimeClass),
    ...schedulingErrors(runtimeClass),
  ],
  warningsOnCreate: warnings,
  warningsOnUpdate: warnings,
  validateUpdate: (runtimeClass, old) => fixed(runtimeClass["handler"], old["handler"], "handler"),
});
