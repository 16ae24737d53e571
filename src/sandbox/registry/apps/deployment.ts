/** Deployments. Source: kubernetes v1.36 pkg/apis/apps/validation/validation.go. */
import { invalid, notAllowed, type FieldError } from "../../meta/field-errors.ts";
import { isFields, type Fields } from "../../meta/object.ts";
import { replicatedWarnings } from "../core/pod/template.ts";
import type { RESTStrategy } from "../strategy/rest-strategy.ts";
import { restStrategy } from "../strategy/default-strategy.ts";
import { countErrors } from "../../validation/replica-counts.ts";
import { amount, amountErrors, negativeErrors, tooMuchErrors } from "../../validation/spec-checks.ts";
import { sameSelectorErrors, selectedTemplateErrors } from "./replica-set.ts";

function rollingErrors(strategy: Fields, field: string): FieldError[] {
  const rolling = isFields(strategy["rollingUpdate"]) ? strategy["rollingUpdate"] : {};
  const { maxUnavailable, maxSurge } = rolling as { maxUnavailable?: unknown; maxSurge?: unknown };
  const errors = [
    ...amountErrors(maxUnavailable, `${field}.maxUnavailable`),
    ...amountErrors(maxSurge, `${field}.maxSurge`),
  ];
  if (amount(maxUnavailable) === 0 && amount(maxSurge) === 0) {
    errors.push(invalid(`${field}.maxUnavailable`, maxUnavailable, "may not be 0 when `maxSurge` is 0"));
  }
  return [...errors, ...tooMuchErrors(maxUnavailable, `${field}.maxUnavailable`)];
}

function strategyErrors(spec: Fields): FieldError[] {
  const strategy = isFields(spec["strategy"]) ? spec["strategy"] : {};
  switch (strategy["type"]) {
    case "Recreate":
      return strategy["rollingUpdate"] === undefined
        ? []
        : [notAllowed("spec.strategy.rollingUpdate", "may not be specified when strategy `type` is 'Recreate'")];
    case "RollingUpdate":
      return rollingErrors(strategy, "spec.strategy.rollingUpdate");
    default: {
      const listed = '"Recreate", "RollingUpdate"';
      const shown = JSON.stringify({ Type: strategy["type"], RollingUpdate: strategy["rollingUpdate"] ?? null });
      return [
        {
          reason: "FieldValueNotSupported",
          field: "spec.strategy",
          message: `Unsupported value: ${shown}: supported values: ${listed}`,
        },
      ];
    }
  }
}

function deadlineErrors(spec: Fields): FieldError[] {
  const { progressDeadlineSeconds: deadline, minReadySeconds: ready = 0 } = spec as {
    progressDeadlineSeconds?: unknown;
    minReadySeconds?: unknown;
  };
  if (typeof deadline !== "number" || typeof ready !== "number" || deadline > ready) return [];
  return [invalid("spec.progressDeadlineSeconds", deadline, "must be greater than minReadySeconds")];
}

/** Deployments: annotation changes increment their generation too. */
export const deploymentStrategy: RESTStrategy = restStrategy({
  generation: "spec and annotations",
  warningsOnCreate: replicatedWarnings,
  warningsOnUpdate: replicatedWarnings,
  validate({ spec = {} }) {
    return [
      ...negativeErrors(spec, "spec", "replicas"),
      ...selectedTemplateErrors(spec),
      ...strategyErrors(spec),
      ...negativeErrors(spec, "spec", "minReadySeconds", "revisionHistoryLimit", "progressDeadlineSeconds"),
      ...deadlineErrors(spec),
    ];
  },
  validateUpdate: sameSelectorErrors,
  status: { resetFields: [["spec"], ["metadata", "labels"]], validateUpdate: countErrors },
});
