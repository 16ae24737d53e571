/** What the workload kinds must be. Source: kubernetes v1.36 pkg/apis/{apps,core,batch}/validation. */
import {
  matches,
  matchesEverything,
  selectorOf,
  selectorOfLabels,
  type Labels,
  type Selector,
} from "../../api/labels.ts";
import { invalid, notAllowed, notSupported, required, sortedMap, type FieldError } from "../field-errors.ts";
import { at, isFields, type ApiObject, type Fields } from "../object.ts";
import type { KindRules } from "./kind-rules.ts";
import { templateErrors as anyTemplateErrors } from "./pod-spec/pod-spec.ts";
import {
  amount,
  amountErrors,
  fixedSelector,
  printedSelector,
  negativeErrors,
  selectorErrors,
  tooMuchErrors,
} from "./spec-checks.ts";
import { hostnameWarnings, templateWarnings } from "./warnings/pod.ts";

/** A template with labels that its selector chooses, where one is given, and a spec that is one. */
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

/** A template whose pods run for ever. */
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

function templated(spec: Fields, kind: string, emptySelector: string): FieldError[] {
  const errors: FieldError[] = [];
  const selector = spec["selector"];
  let chosen: Selector = "nothing";
  if (isFields(selector)) {
    errors.push(...selectorErrors(selector, "spec.selector"));
    if (errors.length > 0)
      return [...errors, invalid("spec.selector", printedSelector(selector), "invalid label selector")];
    chosen = selectorOf(selector);
    if (matchesEverything(chosen)) errors.push(invalid("spec.selector", printedSelector(selector), emptySelector));
  } else errors.push(required("spec.selector"));
  const template = isFields(spec["template"]) ? spec["template"] : {};
  return [
    ...errors,
    ...templateErrors(template, chosen, "spec.template"),
    ...alwaysErrors(template, "spec.template", kind),
  ];
}

const specOf = (object: ApiObject): Fields => object.spec ?? {};

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

const counts = [
  "replicas",
  "fullyLabeledReplicas",
  "updatedReplicas",
  "readyReplicas",
  "availableReplicas",
  "unavailableReplicas",
];

/** Counts of a status that cannot be: negative ones, and more of a part than of the whole. */
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

const sameSelector = (object: ApiObject, old: ApiObject): FieldError[] =>
  fixedSelector(specOf(object)["selector"], specOf(old)["selector"]);

function replicatedWarnings(object: ApiObject, old?: ApiObject): string[] {
  return [...(old === undefined ? hostnameWarnings(object) : []), ...templateWarnings(object, old)];
}

export const replicaSetRules: KindRules = {
  warnings: replicatedWarnings,
  validate: (replicaSet) => [
    ...negativeErrors(specOf(replicaSet), "spec", "replicas", "minReadySeconds"),
    ...templated(specOf(replicaSet), "ReplicaSet", "empty selector is invalid for deployment"),
  ],
  validateUpdate: sameSelector,
  validateStatus: countErrors,
};

export const deploymentRules: KindRules = {
  warnings: replicatedWarnings,
  validate(deployment) {
    const spec = specOf(deployment);
    return [
      ...negativeErrors(spec, "spec", "replicas"),
      ...templated(spec, "ReplicaSet", "empty selector is invalid for deployment"),
      ...strategyErrors(spec),
      ...negativeErrors(spec, "spec", "minReadySeconds", "revisionHistoryLimit", "progressDeadlineSeconds"),
      ...deadlineErrors(spec),
    ];
  },
  validateUpdate: sameSelector,
  validateStatus: countErrors,
};

export const replicationControllerRules: KindRules = {
  // Of an update the real server looks at the template as it was.
  warnings: (controller, old) =>
    old === undefined
      ? replicatedWarnings(controller, old)
      : templateWarnings({ ...controller, spec: specOf(old) }, old),
  validate(controller) {
    const spec = specOf(controller);
    const errors = negativeErrors(spec, "spec", "minReadySeconds");
    const selector = isFields(spec["selector"]) ? (spec["selector"] as Record<string, string>) : {};
    if (Object.keys(selector).length === 0) errors.push(required("spec.selector"));
    errors.push(...negativeErrors(spec, "spec", "replicas"));
    const template = spec["template"];
    if (!isFields(template)) return [...errors, required("spec.template")];
    return [
      ...errors,
      ...templateErrors(template, selectorOfLabels(selector), "spec.template"),
      ...alwaysErrors(template, "spec.template", "ReplicationController"),
    ];
  },
  validateStatus: countErrors,
};
