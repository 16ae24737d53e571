/**
 * What policies have in common, and what their bindings have in common.
 * Source: kubernetes v1.36 pkg/apis/admissionregistration/validation/validation.go.
 */
import { invalid, notAllowed, required, type FieldError } from "../../meta/field-errors.ts";
import { fieldsIn, isFields, textOf, type Fields } from "../../meta/object.ts";
import { choiceErrors, eachErrors, neededChoiceErrors } from "../../validation/checks.ts";
import { subdomainProblems } from "../../../api/label-names.ts";
import { dns1035Problems, nameRules } from "../../validation/names.ts";
import { selectorErrors } from "../../validation/spec-checks.ts";
import { type ExpressionPlace, PolicyExpressions } from "./expression-checks.ts";
import { conditionErrors, matchErrors, mutableErrors, policyNameErrors } from "./match-rules.ts";

const failurePolicies = ["Fail", "Ignore"];

function paramKindErrors(kind: Fields, field: string): FieldError[] {
  const [apiVersion, name] = [textOf(kind["apiVersion"]), textOf(kind["kind"])];
  const errors =
    apiVersion === "" ? [required(`${field}.apiVersion`)] : versionErrors(apiVersion, `${field}.apiVersion`);
  if (name === "") return [...errors, required(`${field}.kind`)];
  const problems = dns1035Problems(name.toLowerCase());
  if (problems.length === 0) return errors;
  const why = `may have mixed case, but should otherwise match: ${problems.join(",")}`;
  return [...errors, invalid(`${field}.kind`, name, why)];
}

function versionErrors(apiVersion: string, field: string): FieldError[] {
  const parts = apiVersion.split("/");
  if (parts.length > 2) return [invalid(field, apiVersion, `unexpected GroupVersion string: ${apiVersion}`)];
  const [version = "", group = ""] = parts.reverse();
  const problems = group === "" ? [] : subdomainProblems(group);
  const errors = problems.length === 0 ? [] : [invalid(field, group, problems.join(","))];
  if (version === "") return [...errors, invalid(field, apiVersion, "version must be specified")];
  const wrong = dns1035Problems(version);
  return wrong.length === 0 ? errors : [...errors, invalid(field, version, wrong.join(","))];
}

const identifier = /^[_a-zA-Z][_a-zA-Z0-9]*$/;

const reserved = new Set(
  "true false null in as break const continue else for function if import let loop package namespace return var void while".split(
    " ",
  ),
);

function variableErrors(variable: Fields, { field, expressions }: ExpressionPlace): FieldError[] {
  const text = textOf(variable["name"]);
  const named =
    text.trim() === ""
      ? [required(`${field}.name`, "name is not specified")]
      : identifier.test(text) && !reserved.has(text)
        ? []
        : [invalid(`${field}.name`, text, "must be a valid CEL identifier")];
  const at = `${field}.expression`;
  const expressionErrors =
    textOf(variable["expression"]).trim() === ""
      ? [required(at, "expression is not specified")]
      : expressions.variableErrors(variable, at);
  return [...named, ...expressionErrors];
}

/** The expressions of a policy; those of a mutating one have `variables` even if it declares none. */
export function expressionsOf(spec: Fields, mutating: boolean): PolicyExpressions {
  const composes = mutating || fieldsIn(spec["variables"]).length > 0;
  return new PolicyExpressions({ hasParams: isFields(spec["paramKind"]), composes });
}

/** How a policy is checked. */
export interface PolicyKind {
  readonly mutating: boolean;
  readonly expressions: PolicyExpressions;
}

/** The checks that all policies share; they precede the kind's own. */
export function commonErrors(spec: Fields, { mutating, expressions }: PolicyKind): FieldError[] {
  const { paramKind, matchConstraints: match, failurePolicy } = spec as Record<string, unknown>;
  const field = "spec.matchConstraints";
  return [
    ...(failurePolicy === undefined
      ? [required("spec.failurePolicy")]
      : choiceErrors(failurePolicy, "spec.failurePolicy", failurePolicies)),
    ...(isFields(paramKind) ? paramKindErrors(paramKind, "spec.paramKind") : []),
    ...(isFields(match)
      ? [
          ...matchErrors(match, field),
          ...(fieldsIn(match["resourceRules"]).length === 0 ? [required(`${field}.resourceRules`)] : []),
          ...(mutating ? mutableErrors(match, field) : []),
        ]
      : [required(field)]),
    ...conditionErrors(fieldsIn(spec["matchConditions"]), {
      field: "spec.matchConditions",
      hasParams: isFields(paramKind),
    }),
    ...eachErrors(fieldsIn(spec["variables"]), "spec.variables", (variable, here) =>
      variableErrors(variable, { field: here, expressions }),
    ),
  ];
}

const notFoundActions = ["Deny", "Allow"];

function paramErrors(ref: unknown, field: string): FieldError[] {
  if (!isFields(ref)) return [];
  const name = textOf(ref["name"]);
  const selector = ref["selector"];
  const exclusive = "name and selector are mutually exclusive";
  const errors = name === "" ? [] : nameRules.segment(name).map((problem) => invalid(`${field}.name`, name, problem));
  if (name !== "" && isFields(selector)) errors.push(notAllowed(`${field}.name`, exclusive));
  if (isFields(selector)) {
    errors.push(...selectorErrors(selector, `${field}.selector`));
    if (name !== "") errors.push(notAllowed(`${field}.selector`, exclusive));
  }
  if (name === "" && !isFields(selector)) errors.push(required(field, "one of name or selector must be specified"));
  const action = `${field}.parameterNotFoundAction`;
  return [...errors, ...neededChoiceErrors(ref["parameterNotFoundAction"], action, notFoundActions)];
}

/** Validates the spec of a binding; `mutating`: of a mutating policy. */
export function bindingErrors(spec: Fields, mutating: boolean): FieldError[] {
  const match = spec["matchResources"];
  const field = "spec.matchResources";
  return [
    ...policyNameErrors(spec["policyName"], "spec.policyName"),
    ...paramErrors(spec["paramRef"], "spec.paramRef"),
    ...(isFields(match) ? [...matchErrors(match, field), ...(mutating ? mutableErrors(match, field) : [])] : []),
  ];
}
