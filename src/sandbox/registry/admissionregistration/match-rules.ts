/**
 * Validates which requests a webhook or a policy matches. Source: kubernetes v1.36 pkg/apis/admissionregistration/validation/validation.go.
 */
import { duplicate, invalid, notSupported, required, type FieldError } from "../../meta/field-errors.ts";
import { fieldsIn, isFields, textOf, textsIn, type Fields } from "../../meta/object.ts";
import { choiceErrors, eachErrors, seenBefore, subdomainErrors } from "../../validation/checks.ts";
import { PolicyExpressions } from "./expression-checks.ts";
import { labelKeyProblems } from "../../../api/label-names.ts";
import { nameRules } from "../../validation/names.ts";
import { selectorErrors } from "../../validation/spec-checks.ts";

const operations = ["*", "CONNECT", "CREATE", "DELETE", "UPDATE"];
const scopes = ["*", "Cluster", "Namespaced"];
const matchPolicies = ["Equivalent", "Exact"];

/** `*` must be the only item of its list. */
function aloneErrors(list: readonly string[], field: string, what: string): FieldError[] {
  if (list.length < 2 || !list.includes("*")) return [];
  return [invalid(field, list, `if '*' is present, must not specify other ${what}`)];
}

function resourceErrors(resources: readonly string[], field: string): FieldError[] {
  const errors = resources.length === 0 ? [required(field)] : [];
  const whole = new Set<string>();
  const everywhere = new Set<string>();
  let plain = false;
  for (const [index, resource] of resources.entries()) {
    const here = `${field}[${index}]`;
    if (resource === "") {
      errors.push(required(here));
      continue;
    }
    const slash = resource.indexOf("/");
    if (slash < 0) {
      plain = resource !== "*";
      continue;
    }
    const [kind, sub] = [resource.slice(0, slash), resource.slice(slash + 1)];
    if (whole.has(kind))
      errors.push(invalid(here, resource, `if '${kind}/*' is present, must not specify ${resource}`));
    if (everywhere.has(sub))
      errors.push(invalid(here, resource, `if '*/${sub}' is present, must not specify ${resource}`));
    if (sub === "*") whole.add(kind);
    if (kind === "*") everywhere.add(sub);
  }
  if (resources.length > 1 && resources.includes("*/*"))
    errors.push(invalid(field, resources, "if '*/*' is present, must not specify other resources"));
  if (resources.includes("*") && plain) {
    const why = "if '*' is present, must not specify other resources without subresources";
    errors.push(invalid(field, resources, why));
  }
  return errors;
}

/** A rule of a webhook. */
export function ruleErrors(rule: Fields, field: string): FieldError[] {
  const ruleOperations = textsIn(rule["operations"]);
  const [groups, versions] = [textsIn(rule["apiGroups"]), textsIn(rule["apiVersions"])];
  return [
    ...(ruleOperations.length === 0 ? [required(`${field}.operations`)] : []),
    ...aloneErrors(ruleOperations, `${field}.operations`, "operations"),
    ...eachErrors(ruleOperations, `${field}.operations`, (operation, here) =>
      choiceErrors(operation, here, operations),
    ),
    ...(groups.length === 0 ? [required(`${field}.apiGroups`)] : []),
    ...aloneErrors(groups, `${field}.apiGroups`, "API groups"),
    ...(versions.length === 0 ? [required(`${field}.apiVersions`)] : []),
    ...aloneErrors(versions, `${field}.apiVersions`, "API versions"),
    ...eachErrors(versions, `${field}.apiVersions`, (version, here) => (version === "" ? [required(here)] : [])),
    ...resourceErrors(textsIn(rule["resources"]), `${field}.resources`),
    ...(rule["scope"] === undefined ? [] : choiceErrors(rule["scope"], `${field}.scope`, scopes)),
  ];
}

/** A rule of a policy, which may have resource names. */
function namedRuleErrors(rule: Fields, field: string): FieldError[] {
  const isRepeated = seenBefore();
  return [
    ...eachErrors(textsIn(rule["resourceNames"]), `${field}.resourceNames`, (name, here) => [
      ...nameRules.segment(name).map((problem) => invalid(here, name, problem)),
      ...(isRepeated(name) ? [duplicate(here, name)] : []),
    ]),
    ...ruleErrors(rule, field),
  ];
}

function selectionErrors(match: Fields, key: string, field: string): FieldError[] {
  const selector = match[key];
  return isFields(selector) ? selectorErrors(selector, `${field}.${key}`) : [required(`${field}.${key}`)];
}

/** The match resources of a policy or its binding. */
export function matchErrors(match: Fields, field: string): FieldError[] {
  return [
    ...(match["matchPolicy"] === undefined
      ? [required(`${field}.matchPolicy`)]
      : choiceErrors(match["matchPolicy"], `${field}.matchPolicy`, matchPolicies)),
    ...selectionErrors(match, "namespaceSelector", field),
    ...selectionErrors(match, "objectSelector", field),
    ...eachErrors(fieldsIn(match["resourceRules"]), `${field}.resourceRules`, namedRuleErrors),
    ...eachErrors(fieldsIn(match["excludeResourceRules"]), `${field}.excludeResourceRules`, namedRuleErrors),
  ];
}

const mutable = ["*", "CONNECT", "CREATE", "UPDATE"];

/** Deletions cannot be mutated. */
export function mutableErrors(match: Fields, field: string): FieldError[] {
  return fieldsIn(match["resourceRules"]).flatMap((rule) =>
    textsIn(rule["operations"]).flatMap((operation) =>
      mutable.includes(operation) ? [] : [notSupported(`${field}.resourceRules.operations`, operation, mutable)],
    ),
  );
}

const mostConditions = 64;

/** Match conditions: their names and expressions. */
export function conditionErrors(
  conditions: readonly Fields[],
  { field, hasParams }: { readonly field: string; readonly hasParams: boolean },
): FieldError[] {
  const isRepeated = seenBefore();
  const expressions = new PolicyExpressions({ hasParams, composes: false });
  const many: FieldError[] =
    conditions.length > mostConditions
      ? [
          {
            reason: "FieldValueTooMany",
            field,
            message: `Too many: ${conditions.length}: must have at most ${mostConditions} items`,
          },
        ]
      : [];
  return [
    ...many,
    ...eachErrors(conditions, field, (condition, here) => {
      const name = textOf(condition["name"]);
      const text = textOf(condition["expression"]).trim();
      const at = `${here}.expression`;
      return [
        ...(text === "" ? [required(at)] : expressions.errors({ text, field: at }, "condition")),
        ...(name === ""
          ? [required(`${here}.name`)]
          : labelKeyProblems(name).map((problem) => invalid(`${here}.name`, name, problem))),
        ...(name !== "" && isRepeated(name) ? [duplicate(`${here}.name`, name)] : []),
      ];
    }),
  ];
}

/** The name of a policy that a binding refers to. */
export const policyNameErrors = (value: unknown, field: string): FieldError[] =>
  textOf(value) === "" ? [required(field)] : subdomainErrors(value, field);
