/** What the workload kinds must be. Source: kubernetes v1.36 pkg/apis/{apps,core,batch}/validation. */
import { deepEqual } from "../../api/field-changes.ts";
import {
  matches,
  matchesEverything,
  selectorOf,
  selectorOfLabels,
  type Labels,
  type Selector,
} from "../../api/labels.ts";
import { invalid, notAllowed, notSupported, required, type FieldError } from "../field-errors.ts";
import { at, isFields, type ApiObject, type Fields } from "../object.ts";
import type { KindRules } from "./kind-rules.ts";
import { labelErrors } from "./metadata.ts";
import { labelKeyProblems, labelValueProblems } from "./names.ts";
import { podSpecErrors } from "./pod-validation.ts";

const negative = "must be greater than or equal to 0";

/** An error for each field that is a number below 0. */
export function negativeErrors(fields: Fields, field: string, ...keys: readonly string[]): FieldError[] {
  return keys.flatMap((key) => {
    const value = fields[key];
    return typeof value === "number" && value < 0 ? [invalid(`${field}.${key}`, value, negative)] : [];
  });
}

function selectorErrors(selector: Fields, field: string): FieldError[] {
  const errors = labelErrors(selector["matchLabels"], `${field}.matchLabels`);
  const expressions = Array.isArray(selector["matchExpressions"]) ? (selector["matchExpressions"] as unknown[]) : [];
  for (const [index, expression] of expressions.entries()) {
    if (!isFields(expression)) continue;
    const here = `${field}.matchExpressions[${index}]`;
    const { key, operator, values } = expression as { key?: unknown; operator?: unknown; values?: unknown };
    const list = Array.isArray(values) ? (values as string[]) : [];
    switch (operator) {
      case "In":
      case "NotIn":
        if (list.length === 0)
          errors.push(required(`${here}.values`, "must be specified when `operator` is 'In' or 'NotIn'"));
        break;
      case "Exists":
      case "DoesNotExist":
        if (list.length > 0)
          errors.push(
            notAllowed(`${here}.values`, "may not be specified when `operator` is 'Exists' or 'DoesNotExist'"),
          );
        break;
      default:
        errors.push(invalid(`${here}.operator`, operator ?? "", "not a valid selector operator"));
    }
    const name = typeof key === "string" ? key : "";
    errors.push(...labelKeyProblems(name).map((problem) => invalid(`${here}.key`, name, problem)));
    for (const [at, value] of list.entries()) {
      errors.push(...labelValueProblems(value).map((problem) => invalid(`${here}.values[${at}]`, value, problem)));
    }
  }
  return errors;
}

/** A template with labels that its selector chooses, and a spec that is one. */
export function templateErrors(template: Fields, selector: Selector, field: string): FieldError[] {
  const labels = at(template, "metadata", "labels");
  const errors: FieldError[] = [];
  if (!matchesEverything(selector) && !matches(selector, isFields(labels) ? (labels as Labels) : undefined)) {
    errors.push(invalid(`${field}.metadata.labels`, labels, "`selector` does not match template `labels`"));
  }
  errors.push(...labelErrors(labels, `${field}.labels`));
  const spec = template["spec"];
  return [...errors, ...podSpecErrors(isFields(spec) ? spec : {}, `${field}.spec`)];
}

/** A template whose pods run for ever. */
function alwaysErrors(template: Fields, field: string, kind: string): FieldError[] {
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
    try {
      chosen = selectorOf(selector);
    } catch {
      return [...errors, invalid("spec.selector", selector, "invalid label selector")];
    }
    if (matchesEverything(chosen)) errors.push(invalid("spec.selector", selector, emptySelector));
  } else errors.push(required("spec.selector"));
  const template = isFields(spec["template"]) ? spec["template"] : {};
  return [
    ...errors,
    ...templateErrors(template, chosen, "spec.template"),
    ...alwaysErrors(template, "spec.template", kind),
  ];
}

const specOf = (object: ApiObject): Fields => object.spec ?? {};

/** A whole number or a percentage, and no other. */
function amountErrors(value: unknown, field: string): FieldError[] {
  if (typeof value === "number") return value < 0 ? [invalid(field, value, negative)] : [];
  if (typeof value === "string" && !/^\d+%$/.test(value)) {
    return [
      invalid(
        field,
        value,
        "a valid percent string must be a numeric string followed by an ending '%' (e.g. '1%',  or '93%', regex used for validation is '[0-9]+%')",
      ),
    ];
  }
  return [];
}

const amount = (value: unknown): number =>
  typeof value === "string" ? Number.parseInt(value, 10) || 0 : typeof value === "number" ? value : 0;

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
  if (typeof maxUnavailable === "string" && amount(maxUnavailable) > 100) {
    errors.push(invalid(`${field}.maxUnavailable`, maxUnavailable, "must not be greater than 100%"));
  }
  return errors;
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

function fixedSelector(object: ApiObject, old: ApiObject): FieldError[] {
  const [now, before] = [specOf(object)["selector"], specOf(old)["selector"]];
  return deepEqual(now, before) ? [] : [invalid("spec.selector", now ?? null, "field is immutable")];
}

export const replicaSetRules: KindRules = {
  validate: (replicaSet) => [
    ...negativeErrors(specOf(replicaSet), "spec", "replicas", "minReadySeconds"),
    ...templated(specOf(replicaSet), "ReplicaSet", "empty selector is invalid for deployment"),
  ],
  validateUpdate: fixedSelector,
  validateStatus: countErrors,
};

export const deploymentRules: KindRules = {
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
  validateUpdate: fixedSelector,
  validateStatus: countErrors,
};

export const replicationControllerRules: KindRules = {
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
