/** DaemonSets. Source: kubernetes v1.36 pkg/apis/apps/validation/validation.go, pkg/registry/apps/daemonset/strategy.go. */
import { deepEqual } from "../../../api/field-changes.ts";
import { matches, matchesEverything, selectorOf, type Labels, type Selector } from "../../../api/labels.ts";
import { invalid, required, sortedMap, type FieldError } from "../../meta/field-errors.ts";
import { at, isFields, type ApiObject, type Fields } from "../../meta/object.ts";
import type { RESTStrategy } from "../strategy/rest-strategy.ts";
import { restStrategy } from "../strategy/default-strategy.ts";
import { validateChange, validateObject, validateObjectMetaUpdate } from "../strategy/validation-steps.ts";
import {
  amount,
  amountErrors,
  fixedSelector,
  negativeErrors,
  printedSelector,
  selectorErrors,
  tooMuchErrors,
} from "../../validation/spec-checks.ts";
import { decrementErrors } from "./stateful-set.ts";
import { templateWarnings } from "../core/pod/warnings/pod.ts";
import { alwaysErrors, templateErrors } from "../core/pod/template.ts";

const generation = "deprecated.daemonset.template.generation";

function strategyErrors(strategy: Fields): FieldError[] {
  const field = "spec.updateStrategy";
  const { type, rollingUpdate: rolling } = strategy as { type?: unknown; rollingUpdate?: unknown };
  if (type === "OnDelete") return [];
  if (type !== "RollingUpdate") {
    const shown = JSON.stringify({ Type: type, RollingUpdate: rolling ?? null });
    const message = `Unsupported value: ${shown}: supported values: "RollingUpdate", "OnDelete"`;
    return [{ reason: "FieldValueNotSupported", field, message }];
  }
  if (!isFields(rolling)) return [required(`${field}.rollingUpdate`)];
  const { maxUnavailable, maxSurge } = rolling as { maxUnavailable?: unknown; maxSurge?: unknown };
  const [unavailableAt, surgeAt] = [`${field}.rollingUpdate.maxUnavailable`, `${field}.rollingUpdate.maxSurge`];
  const errors = [
    ...amountErrors(maxUnavailable, unavailableAt),
    ...amountErrors(maxSurge, surgeAt),
    ...tooMuchErrors(maxUnavailable, unavailableAt),
    ...tooMuchErrors(maxSurge, surgeAt),
  ];
  const [hasUnavailable, hasSurge] = [amount(maxUnavailable) !== 0, amount(maxSurge) !== 0];
  if (hasUnavailable && hasSurge) {
    errors.push(invalid(surgeAt, maxSurge, "may not be set when maxUnavailable is non-zero"));
  }
  if (!hasUnavailable && !hasSurge) errors.push(required(unavailableAt, "cannot be 0 when maxSurge is 0"));
  return errors;
}

function specErrors({ spec = {} }: ApiObject): FieldError[] {
  const selector = spec["selector"];
  const template = isFields(spec["template"]) ? spec["template"] : {};
  const labels = at(template, "metadata", "labels");
  const errors: FieldError[] = isFields(selector) ? selectorErrors(selector, "spec.selector") : [];
  let chosen: Selector | undefined = "nothing";
  if (isFields(selector)) chosen = errors.length > 0 ? undefined : selectorOf(selector);
  if (chosen !== undefined && !matches(chosen, isFields(labels) ? (labels as Labels) : undefined)) {
    errors.push(
      invalid("spec.template.metadata.labels", sortedMap(labels), "`selector` does not match template `labels`"),
    );
  }
  if (chosen !== undefined && matchesEverything(chosen)) {
    errors.push(invalid("spec.selector", printedSelector(selector), "empty selector is invalid for daemonset"));
  }
  return [
    ...errors,
    ...templateErrors(template, undefined, "spec.template"),
    ...alwaysErrors(template, "spec.template", "DaemonSet"),
    ...negativeErrors(spec, "spec", "minReadySeconds"),
    ...strategyErrors(isFields(spec["updateStrategy"]) ? spec["updateStrategy"] : {}),
    ...negativeErrors(spec, "spec", "revisionHistoryLimit"),
  ];
}

/** Sets the template generation, which is stored as an annotation. */
function noteGeneration(daemonSet: ApiObject, count: string): void {
  daemonSet.metadata.annotations = { ...daemonSet.metadata.annotations, [generation]: count };
}

/** DaemonSets: their template generation is stored as an annotation. */
export const daemonSetStrategy: RESTStrategy = restStrategy({
  generation: "spec",
  updateSteps: [validateObjectMetaUpdate, validateChange, validateObject],
  warningsOnCreate: (daemonSet) => templateWarnings(daemonSet, undefined),
  warningsOnUpdate: (daemonSet, old) =>
    old.metadata.annotations?.[generation] === daemonSet.metadata.annotations?.[generation]
      ? []
      : templateWarnings(daemonSet, undefined),
  // It is a number in storage, written even when it is 0.
  setDefaults: (daemonSet) => noteGeneration(daemonSet, daemonSet.metadata.annotations?.[generation] ?? "0"),
  prepareForCreate(daemonSet) {
    const requested = Number(daemonSet.metadata.annotations?.[generation]);
    noteGeneration(daemonSet, String(Math.max(1, requested || 0)));
  },
  prepareForUpdate(daemonSet, old) {
    const before = Number(old.metadata.annotations?.[generation] ?? "1");
    const same = deepEqual(daemonSet.spec?.["template"], old.spec?.["template"]);
    noteGeneration(daemonSet, String(same ? before : before + 1));
  },
  validate: specErrors,
  validateUpdate: (daemonSet, old) => fixedSelector(daemonSet.spec?.["selector"], old.spec?.["selector"]),
  status: {
    // Part of the spec in the real server's types, so a status update does not change it.
    prepareForUpdate: (daemonSet, old) => noteGeneration(daemonSet, old.metadata.annotations?.[generation] ?? "0"),
    validateUpdate: ({ status = {} }, old) => [
      ...negativeErrors(
        status,
        "status",
        "currentNumberScheduled",
        "numberMisscheduled",
        "desiredNumberScheduled",
        "numberReady",
        "observedGeneration",
        "updatedNumberScheduled",
        "numberAvailable",
        "numberUnavailable",
        "collisionCount",
      ),
      ...decrementErrors(status, old.status),
    ],
  },
});
