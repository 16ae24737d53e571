/**
 * Admission policies and their bindings; CEL is not compiled here, so that an expression which says nothing is taken.
 * Source: kubernetes v1.36 pkg/apis/admissionregistration/validation/validation.go.
 */
import { duplicate, invalid, notAllowed, notSupported, required, type FieldError } from "../../meta/field-errors.ts";
import { fieldsIn, isFields, textOf, type Fields } from "../../meta/object.ts";
import { choiceErrors, eachErrors, neededChoiceErrors, seenBefore, textsIn } from "../../validation/checks.ts";
import type { RESTStrategy } from "../strategy/rest-strategy.ts";
import { restStrategy } from "../strategy/default-strategy.ts";
import { labelKeyProblems, subdomainProblems } from "../../../api/label-names.ts";
import { dns1035Problems, nameRules } from "../../validation/names.ts";
import { selectorErrors } from "../../validation/spec-checks.ts";
import { conditionErrors, matchErrors, mutableErrors, policyNameErrors } from "./match-rules.ts";

const failurePolicies = ["Fail", "Ignore"];
const reasons = ["Forbidden", "Invalid", "RequestEntityTooLarge", "Unauthorized"];
const actions = ["Audit", "Deny", "Warn"];
const reinvocations = ["IfNeeded", "Never"];
const patchTypes = ["ApplyConfiguration", "JSONPatch"];

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

function variableErrors({ name, expression }: Fields, field: string): FieldError[] {
  const text = textOf(name);
  const named =
    text.trim() === ""
      ? [required(`${field}.name`, "name is not specified")]
      : identifier.test(text) && !reserved.has(text)
        ? []
        : [invalid(`${field}.name`, text, "must be a valid CEL identifier")];
  const said = textOf(expression).trim() === "" ? [required(`${field}.expression`, "expression is not specified")] : [];
  return [...named, ...said];
}

function validationErrors({ expression, message, messageExpression, reason }: Fields, field: string): FieldError[] {
  const [text, said] = [textOf(message), textOf(messageExpression)];
  const errors =
    textOf(expression).trim() === "" ? [required(`${field}.expression`, "expression is not specified")] : [];
  const nonEmpty = "must be non-empty if specified";
  if (said !== "" && said.trim() === "") errors.push(invalid(`${field}.messageExpression`, said, nonEmpty));
  if (text !== "" && text.trim() === "") errors.push(invalid(`${field}.message`, text, nonEmpty));
  else if (/[\r\n]/.test(text.trim())) errors.push(invalid(`${field}.message`, text, "must not contain line breaks"));
  if (reason !== undefined) errors.push(...choiceErrors(reason, `${field}.reason`, reasons));
  return errors;
}

const mostAnnotations = 20;

function auditErrors(annotations: readonly Fields[], policy: string): FieldError[] {
  const field = "spec.auditAnnotations";
  const isRepeated = seenBefore();
  const many =
    annotations.length > mostAnnotations
      ? [invalid(field, annotations, `must not have more than ${mostAnnotations} auditAnnotations`)]
      : [];
  return [
    ...many,
    ...eachErrors(annotations, field, ({ key, valueExpression }, here) => {
      const whole = `${policy}/${textOf(key)}`;
      return [
        ...(policy === ""
          ? [invalid(`${here}.key`, key ?? "", "requires metadata.name be non-empty")]
          : labelKeyProblems(whole).map((problem) => invalid(`${here}.key`, whole, problem))),
        ...(textOf(valueExpression).trim() === ""
          ? [required(`${here}.valueExpression`, "valueExpression is not specified")]
          : []),
        ...(isRepeated(textOf(key)) ? [duplicate(`${here}.key`, textOf(key))] : []),
      ];
    }),
  ];
}

/** What all policies share, up to what they do. */
function commonErrors(spec: Fields, mutating: boolean): FieldError[] {
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
    ...conditionErrors(fieldsIn(spec["matchConditions"]), "spec.matchConditions"),
    ...eachErrors(fieldsIn(spec["variables"]), "spec.variables", variableErrors),
  ];
}

/** ValidatingAdmissionPolicies: structure only, CEL is not compiled. */
export const validatingPolicyStrategy: RESTStrategy = restStrategy({
  generation: "spec",
  allowUnconditionalUpdate: false,
  validate({ metadata, spec = {} }) {
    const [validations, annotations] = [fieldsIn(spec["validations"]), fieldsIn(spec["auditAnnotations"])];
    const one = "validations or auditAnnotations must contain at least one item";
    return [
      ...commonErrors(spec, false),
      ...(validations.length + annotations.length === 0
        ? [required("spec.validations", one), required("spec.auditAnnotations", one)]
        : [
            ...eachErrors(validations, "spec.validations", validationErrors),
            ...auditErrors(annotations, metadata.name ?? ""),
          ]),
    ];
  },
});

function mutationErrors(mutation: Fields, field: string): FieldError[] {
  const type = textOf(mutation["patchType"]);
  if (type === "") return [required(`${field}.patchType`)];
  if (!patchTypes.includes(type)) return [notSupported(`${field}.patchType`, type, patchTypes)];
  const [own, other] =
    type === "JSONPatch"
      ? (["jsonPatch", "applyConfiguration"] as const)
      : (["applyConfiguration", "jsonPatch"] as const);
  const patch = mutation[own];
  return [
    ...(isFields(patch)
      ? textOf(patch["expression"]).trim() === ""
        ? [required(`${field}.${own}.expression`, "expression is not specified")]
        : []
      : [required(`${field}.${own}`, `must be specified when patchType is ${type}`)]),
    ...(mutation[other] === undefined
      ? []
      : [invalid(`${field}.${other}`, `{${other}}`, `must not be specified when patchType is ${type}`)]),
  ];
}

/** MutatingAdmissionPolicies: structure only, CEL is not compiled. */
export const mutatingPolicyStrategy: RESTStrategy = restStrategy({
  generation: "spec",
  allowUnconditionalUpdate: false,
  validate({ spec = {} }) {
    const mutations = fieldsIn(spec["mutations"]);
    return [
      ...commonErrors(spec, true),
      ...(mutations.length === 0
        ? [required("spec.mutations", "mutations must contain at least one item")]
        : eachErrors(mutations, "spec.mutations", mutationErrors)),
      ...neededChoiceErrors(spec["reinvocationPolicy"], "spec.reinvocationPolicy", reinvocations),
    ];
  },
});

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

function bindingErrors(spec: Fields, mutating: boolean): FieldError[] {
  const match = spec["matchResources"];
  const field = "spec.matchResources";
  return [
    ...policyNameErrors(spec["policyName"], "spec.policyName"),
    ...paramErrors(spec["paramRef"], "spec.paramRef"),
    ...(isFields(match) ? [...matchErrors(match, field), ...(mutating ? mutableErrors(match, field) : [])] : []),
  ];
}

function actionErrors(asked: readonly string[]): FieldError[] {
  const field = "spec.validationActions";
  const isRepeated = seenBefore();
  const errors = eachErrors(asked, field, (action, here) => [
    ...choiceErrors(action, here, actions),
    ...(isRepeated(action) ? [duplicate(here, action)] : []),
  ]);
  if (asked.includes("Deny") && asked.includes("Warn")) {
    const why =
      "must not contain both Deny and Warn (repeating the same validation failure information in the API response and headers serves no purpose)";
    errors.push(invalid(field, asked, why));
  }
  if (asked.length === 0) errors.push(required(field, "at least one validation action is required"));
  return errors;
}

/** ValidatingAdmissionPolicyBindings. */
export const validatingBindingStrategy: RESTStrategy = restStrategy({
  generation: "spec",
  allowUnconditionalUpdate: false,
  validate: ({ spec = {} }) => [...bindingErrors(spec, false), ...actionErrors(textsIn(spec["validationActions"]))],
});

/** MutatingAdmissionPolicyBindings. */
export const mutatingBindingStrategy: RESTStrategy = restStrategy({
  generation: "spec",
  allowUnconditionalUpdate: false,
  validate: ({ spec = {} }) => bindingErrors(spec, true),
});
