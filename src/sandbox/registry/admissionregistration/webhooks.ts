/** Webhook configurations. Source: kubernetes v1.36 pkg/apis/admissionregistration/validation, apiserver v0.36 pkg/util/webhook. */
import { duplicate, invalid, notSupported, required, type FieldError } from "../../meta/field-errors.ts";
import { fieldsIn, isFields, textOf, textsIn, type ApiObject, type Fields } from "../../meta/object.ts";
import { choiceErrors, eachErrors, isNumber, seenBefore } from "../../validation/checks.ts";
import type { RESTStrategy } from "../strategy/rest-strategy.ts";
import { restStrategy } from "../strategy/default-strategy.ts";
import { validateChange, validateObjectMeta } from "../strategy/validation-steps.ts";
import { subdomainProblems } from "../../../api/label-names.ts";
import { dns1035Problems } from "../../validation/names.ts";
import { selectorErrors } from "../../validation/spec-checks.ts";
import { webhookClientErrors } from "../../validation/webhook-client.ts";
import { conditionErrors, ruleErrors } from "./match-rules.ts";

const failurePolicies = ["Fail", "Ignore"];
const matchPolicies = ["Equivalent", "Exact"];
const reinvocations = ["IfNeeded", "Never"];
const sideEffects = ["None", "NoneOnDryRun"];
const anySideEffects = ["None", "NoneOnDryRun", "Some", "Unknown"];
const reviewVersions = ["v1", "v1beta1"];

function nameErrors(value: unknown, field: string): FieldError[] {
  const name = textOf(value);
  if (name === "") return [required(field)];
  const problems = subdomainProblems(name);
  if (problems.length > 0) return problems.map((problem) => invalid(field, name, problem));
  return name.split(".").length < 3
    ? [invalid(field, name, "should be a domain with at least three segments separated by dots")]
    : [];
}

function versionErrors(versions: readonly string[], field: string, needsKnown: boolean): FieldError[] {
  if (versions.length === 0) return [required(field, `must specify one of ${reviewVersions.join(", ")}`)];
  const isRepeated = seenBefore();
  const errors = eachErrors(versions, field, (version, here) =>
    isRepeated(version)
      ? [invalid(here, version, "duplicate version")]
      : dns1035Problems(version).map((problem) => invalid(here, version, problem)),
  );
  if (!needsKnown || versions.some((version) => reviewVersions.includes(version))) return errors;
  return [...errors, invalid(field, versions, `must include at least one of ${reviewVersions.join(", ")}`)];
}

function choice(hook: Fields, key: string, field: string, values: readonly string[]): FieldError[] {
  return hook[key] === undefined ? [] : choiceErrors(hook[key], `${field}.${key}`, values);
}

/** Invalid values that the stored object already has are tolerated. */
interface Leniency {
  readonly sideEffects: readonly string[];
  readonly needsKnownVersion: boolean;
  readonly needsUniqueNames: boolean;
}

const strict: Leniency = { sideEffects, needsKnownVersion: true, needsUniqueNames: true };

function hookErrors(hook: Fields, field: string, leniency: Leniency): FieldError[] {
  const { timeoutSeconds: timeout, sideEffects: effects, clientConfig } = hook as Record<string, unknown>;
  const allowed = leniency.sideEffects;
  return [
    ...nameErrors(hook["name"], `${field}.name`),
    ...eachErrors(fieldsIn(hook["rules"]), `${field}.rules`, ruleErrors),
    ...choice(hook, "failurePolicy", field, failurePolicies),
    ...choice(hook, "matchPolicy", field, matchPolicies),
    ...(effects === undefined || effects === null
      ? [required(`${field}.sideEffects`, `must specify one of ${allowed.join(", ")}`)]
      : allowed.includes(textOf(effects))
        ? []
        : [notSupported(`${field}.sideEffects`, effects, allowed)]),
    ...(isNumber(timeout) && (timeout > 30 || timeout < 1)
      ? [invalid(`${field}.timeoutSeconds`, timeout, "the timeout value must be between 1 and 30 seconds")]
      : []),
    ...["namespaceSelector", "objectSelector"].flatMap((key) =>
      isFields(hook[key]) ? selectorErrors(hook[key], `${field}.${key}`) : [],
    ),
    ...choice(hook, "reinvocationPolicy", field, reinvocations),
    ...webhookClientErrors(isFields(clientConfig) ? clientConfig : {}, `${field}.clientConfig`),
    ...conditionErrors(fieldsIn(hook["matchConditions"]), { field: `${field}.matchConditions`, hasParams: false }),
  ];
}

function configurationErrors(configuration: ApiObject, leniency: Leniency): FieldError[] {
  const isRepeated = seenBefore();
  return eachErrors(fieldsIn(configuration["webhooks"]), "webhooks", (hook, field) => [
    ...hookErrors(hook, field, leniency),
    ...versionErrors(
      textsIn(hook["admissionReviewVersions"]),
      `${field}.admissionReviewVersions`,
      leniency.needsKnownVersion,
    ),
    ...(textOf(hook["name"]) !== "" && isRepeated(hook["name"]) && leniency.needsUniqueNames
      ? [duplicate(`${field}.name`, hook["name"])]
      : []),
  ]);
}

function leniencyFor(old: ApiObject): Leniency {
  const hooks = fieldsIn(old["webhooks"]);
  const names = hooks.map(({ name }) => name);
  return {
    sideEffects: hooks.every((hook) => sideEffects.includes(textOf(hook["sideEffects"])))
      ? sideEffects
      : anySideEffects,
    needsKnownVersion: hooks.every((hook) =>
      textsIn(hook["admissionReviewVersions"]).some((version) => reviewVersions.includes(version)),
    ),
    needsUniqueNames: new Set(names).size === names.length,
  };
}

/** Webhook configurations of both kinds. Updates tolerate what the stored object already has. */
export const webhookStrategy: RESTStrategy = restStrategy({
  takesAnyFinalizer: true,
  generation: "spec",
  allowUnconditionalUpdate: false,
  updateSteps: [validateObjectMeta, validateChange],
  validate: (configuration) => configurationErrors(configuration, strict),
  validateUpdate: (configuration, old) => configurationErrors(configuration, leniencyFor(old)),
});
