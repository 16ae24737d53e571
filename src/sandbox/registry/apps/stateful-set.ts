/** StatefulSets. Source: kubernetes v1.36 pkg/apis/apps/validation/validation.go, pkg/registry/apps/statefulset. */
import { deepEqual } from "../../../api/field-changes.ts";
import { matches, matchesEverything, selectorOf, type Labels, type Selector } from "../../../api/labels.ts";
import { invalid, notAllowed, notSupported, required, sortedMap, type FieldError } from "../../meta/field-errors.ts";
import { at, fieldsIn, isFields, type ApiObject, type Fields } from "../../meta/object.ts";
import { claimSpecErrors } from "../core/pod/volumes/claim.ts";
import type { RESTStrategy } from "../strategy/rest-strategy.ts";
import { restStrategy } from "../strategy/default-strategy.ts";
import { validateChange, validateObjectMetaUpdate } from "../strategy/validation-steps.ts";
import { labelProblems } from "../../validation/names.ts";
import { templateErrors as anyTemplateErrors, templateMetadataErrors } from "../core/pod/pod-spec/pod-spec.ts";
import {
  amount,
  amountErrors,
  isOneOf,
  negativeErrors,
  printedSelector,
  selectorErrors,
  tooMuchErrors,
} from "../../validation/spec-checks.ts";
import { templateWarnings } from "../core/pod/warnings/pod.ts";
import { claimWarnings } from "../core/pod/warnings/volumes.ts";
import { alwaysErrors } from "../core/pod/template.ts";

function strategyErrors(strategy: Fields): FieldError[] {
  const { type, rollingUpdate: rolling } = strategy as { type?: unknown; rollingUpdate?: unknown };
  const field = "spec.updateStrategy";
  const asGo = isFields(rolling)
    ? { Partition: rolling["partition"] ?? 0, MaxUnavailable: rolling["maxUnavailable"] ?? null }
    : null;
  switch (type) {
    case "OnDelete":
      return rolling === undefined
        ? []
        : [invalid(`${field}.rollingUpdate`, asGo, "only allowed for updateStrategy 'RollingUpdate'")];
    case "RollingUpdate":
      return isFields(rolling) ? rollingErrors(rolling, `${field}.rollingUpdate`) : [];
    default:
      return [invalid(field, { Type: type, RollingUpdate: asGo }, "must be 'RollingUpdate' or 'OnDelete'")];
  }
}

function rollingErrors(rolling: Fields, field: string): FieldError[] {
  const errors = negativeErrors(rolling, field, "partition");
  const unavailable = rolling["maxUnavailable"];
  if (unavailable === undefined) return errors;
  const here = `${field}.maxUnavailable`;
  errors.push(...amountErrors(unavailable, here));
  if (amount(unavailable) === 0) errors.push(invalid(here, unavailable, "cannot be 0"));
  return [...errors, ...tooMuchErrors(unavailable, here)];
}

const retentionPolicies = ["Retain", "Delete"];

function retentionErrors(policy: unknown): FieldError[] {
  if (!isFields(policy)) return [];
  return ["whenDeleted", "whenScaled"].flatMap((key) =>
    isOneOf(policy[key], retentionPolicies)
      ? []
      : [notSupported(`spec.persistentVolumeClaimRetentionPolicy.${key}`, policy[key] ?? "", retentionPolicies)],
  );
}

/** Validates the template as its pods will have it: with a volume per claim, and hostname and subdomain set by the controller. */
function templateErrors(spec: Fields, chosen: Selector): FieldError[] {
  const template = isFields(spec["template"]) ? spec["template"] : {};
  const field = "spec.template";
  const labels = at(template, "metadata", "labels");
  const errors: FieldError[] = [];
  if (!matchesEverything(chosen) && !matches(chosen, isFields(labels) ? (labels as Labels) : undefined)) {
    errors.push(invalid(`${field}.metadata.labels`, sortedMap(labels), "`selector` does not match template `labels`"));
  }
  const { hostname: _hostname, subdomain: _subdomain, ...own } = isFields(template["spec"]) ? template["spec"] : {};
  const claims = fieldsIn(spec["volumeClaimTemplates"]).map((claim) => at(claim, "metadata", "name"));
  const volumes = [
    ...claims.map((name) => ({ name, persistentVolumeClaim: { claimName: name } })),
    ...fieldsIn(own["volumes"]).filter(({ name }) => !claims.includes(name)),
  ];
  const filled = { ...template, spec: claims.length === 0 ? own : { ...own, volumes } };
  // The real server validates labels and annotations twice.
  return [...errors, ...anyTemplateErrors(filled, field), ...templateMetadataErrors(template, field)];
}

function specErrors(object: ApiObject, isNew: boolean): FieldError[] {
  const spec = object.spec ?? {};
  const errors: FieldError[] = [];
  const management = spec["podManagementPolicy"];
  if (management !== "OrderedReady" && management !== "Parallel") {
    errors.push(invalid("spec.podManagementPolicy", management, "must be 'OrderedReady' or 'Parallel'"));
  }
  errors.push(
    ...strategyErrors(isFields(spec["updateStrategy"]) ? spec["updateStrategy"] : {}),
    ...retentionErrors(spec["persistentVolumeClaimRetentionPolicy"]),
    ...negativeErrors(spec, "spec", "replicas", "minReadySeconds"),
  );
  if (isFields(spec["ordinals"])) errors.push(...negativeErrors(spec["ordinals"], "spec.ordinals", "start"));
  if (isNew) {
    errors.push(
      ...fieldsIn(spec["volumeClaimTemplates"]).flatMap((claim, index) =>
        claimSpecErrors(isFields(claim["spec"]) ? claim["spec"] : {}, `spec.volumeClaimTemplates[${index}].spec`),
      ),
    );
  }
  const service = spec["serviceName"];
  if (isNew && typeof service === "string" && service !== "") {
    errors.push(...labelProblems(service).map((problem) => invalid("spec.serviceName", service, problem)));
  }
  return [...errors, ...selectedErrors(spec)];
}

/** An error without a reason. */
const plain = (field: string, value: unknown): FieldError => ({
  reason: "FieldValueInvalid",
  field,
  message: `Invalid value: ${JSON.stringify(value)}`,
});

function selectedErrors(spec: Fields): FieldError[] {
  const selector = spec["selector"];
  const errors: FieldError[] = [];
  let chosen: Selector = "nothing";
  if (isFields(selector)) {
    errors.push(...selectorErrors(selector, "spec.selector"));
    if (errors.length > 0) errors.push(plain("spec.selector", printedSelector(selector)));
    else {
      chosen = selectorOf(selector);
      if (matchesEverything(chosen)) {
        errors.push(invalid("spec.selector", printedSelector(selector), "empty selector is invalid for statefulset"));
      }
      errors.push(...templateErrors(spec, chosen));
    }
  } else errors.push(required("spec.selector"), ...templateErrors(spec, chosen));
  return [
    ...errors,
    ...alwaysErrors(isFields(spec["template"]) ? spec["template"] : {}, "spec.template", "StatefulSet"),
  ];
}

const mayChange = [
  "replicas",
  "template",
  "updateStrategy",
  "minReadySeconds",
  "ordinals",
  "revisionHistoryLimit",
  "persistentVolumeClaimRetentionPolicy",
];

function fixedPart(spec: Fields = {}): Fields {
  return Object.fromEntries(Object.entries(spec).filter(([key]) => !mayChange.includes(key)));
}

function statusErrors({ status = {} }: ApiObject, old: ApiObject): FieldError[] {
  const number = (key: string): number => (typeof status[key] === "number" ? status[key] : 0);
  const counts = ["replicas", "readyReplicas", "currentReplicas", "updatedReplicas", "availableReplicas"];
  const errors = negativeErrors(status, "status", ...counts, "observedGeneration", "collisionCount");
  for (const key of counts.slice(1)) {
    if (number(key) > number("replicas")) {
      errors.push(invalid(`status.${key}`, number(key), "cannot be greater than status.replicas"));
    }
  }
  if (number("availableReplicas") > number("readyReplicas")) {
    errors.push(
      invalid("status.availableReplicas", number("availableReplicas"), "cannot be greater than status.readyReplicas"),
    );
  }
  return [...errors, ...decrementErrors(status, old.status)];
}

/** The collision count never decreases. */
export function decrementErrors(status: Fields, old: Fields = {}): FieldError[] {
  const [now, before] = [status["collisionCount"], old["collisionCount"]];
  if (typeof before !== "number") return [];
  const next = typeof now === "number" ? now : 0;
  return next < before || now === undefined ? [invalid("status.collisionCount", next, "cannot be decremented")] : [];
}

const keepsAll =
  "spec.revisionHistoryLimit: a negative value retains all historical revisions; a value >= 0 is recommended";

/** The field belongs to a feature that is off by default. */
function dropMaxUnavailable({ spec = {} }: ApiObject): void {
  const rolling = at(spec["updateStrategy"], "rollingUpdate");
  if (isFields(rolling)) delete rolling["maxUnavailable"];
}

function warnings(statefulSet: ApiObject, old?: ApiObject): string[] {
  const { spec = {} } = statefulSet;
  const limit = spec["revisionHistoryLimit"];
  return [
    ...templateWarnings(statefulSet, old),
    ...(old !== undefined && old.metadata.generation === statefulSet.metadata.generation
      ? []
      : fieldsIn(spec["volumeClaimTemplates"]).flatMap((claim, index) =>
          claimWarnings(claim["spec"], `spec.volumeClaimTemplates[${index}]`),
        )),
    ...(typeof limit === "number" && limit < 0 ? [keepsAll] : []),
  ];
}

/** StatefulSets: only some fields of the spec may change. */
export const statefulSetStrategy: RESTStrategy = restStrategy({
  generation: "spec",
  nameRule: "label",
  updateSteps: [validateObjectMetaUpdate, validateChange],
  prepareForCreate: dropMaxUnavailable,
  prepareForUpdate: dropMaxUnavailable,
  warningsOnCreate: warnings,
  warningsOnUpdate: warnings,
  validate: (statefulSet) => specErrors(statefulSet, true),
  validateUpdate(statefulSet, old) {
    const errors = specErrors(statefulSet, false);
    if (deepEqual(fixedPart(statefulSet.spec), fixedPart(old.spec))) return errors;
    const allowed =
      "'replicas', 'ordinals', 'template', 'updateStrategy', 'revisionHistoryLimit', 'persistentVolumeClaimRetentionPolicy' and 'minReadySeconds'";
    return [
      ...errors,
      notAllowed("spec", `updates to statefulset spec for fields other than ${allowed} are forbidden`),
    ];
  },
  status: { validateUpdate: statusErrors },
});
