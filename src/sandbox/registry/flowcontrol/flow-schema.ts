/** FlowSchemas. Source: kubernetes v1.36 pkg/apis/flowcontrol/validation/validation.go. */
import { invalid, notAllowed, notSupported, required, type FieldError } from "../../meta/field-errors.ts";
import { fieldsIn, isFields, textOf, textsIn, type Fields } from "../../meta/object.ts";
import { eachErrors, isNumber, labelNameErrors, subdomainErrors } from "../../validation/checks.ts";
import type { RESTStrategy } from "../strategy/rest-strategy.ts";
import { allButStatus, keepMetadata, restStrategy } from "../strategy/default-strategy.ts";
import { validateChange, validateObject, validateObjectMeta } from "../strategy/validation-steps.ts";
import { typedConditionErrors } from "./typed-conditions.ts";

const verbs = ["create", "delete", "deletecollection", "get", "list", "patch", "proxy", "update", "watch"];

const subjectKinds = ["Group", "ServiceAccount", "User"];

const distinguishers = ["ByNamespace", "ByUser"];

const mostPrecedence = 10_000;

/** The field that belongs to each kind of subject. */
const subjectParts = { ServiceAccount: "serviceAccount", User: "user", Group: "group" } as const;

function partErrors(part: unknown, kind: keyof typeof subjectParts, field: string): FieldError[] {
  const key = subjectParts[kind];
  if (!isFields(part)) return [required(field, `${key} is required when subject kind is '${kind}'`)];
  const name = textOf(part["name"]);
  const errors = name === "" ? [required(`${field}.name`)] : [];
  if (kind !== "ServiceAccount") return errors;
  if (name !== "" && name !== "*") errors.push(...subdomainErrors(name, `${field}.name`));
  return textOf(part["namespace"]) === ""
    ? [...errors, required(`${field}.namespace`, "must specify namespace for service account")]
    : [...errors, ...labelNameErrors(part["namespace"], `${field}.namespace`)];
}

function subjectErrors(subject: Fields, field: string): FieldError[] {
  const kind = textOf(subject["kind"]);
  if (kind !== "ServiceAccount" && kind !== "User" && kind !== "Group")
    return [notSupported(`${field}.kind`, kind, subjectKinds)];
  const own = subjectParts[kind];
  const others = Object.entries(subjectParts).filter(([other, key]) => other !== kind && subject[key] !== undefined);
  return [
    ...partErrors(subject[own], kind, `${field}.${own}`),
    ...others.map(([other, key]) =>
      notAllowed(`${field}.${key}`, `${key} is forbidden when subject kind is not '${other}'`),
    ),
  ];
}

function verbErrors(ruleVerbs: readonly string[], field: string): FieldError[] {
  if (ruleVerbs.length === 0) return [required(field, "verbs must contain at least one value")];
  if (ruleVerbs.includes("*"))
    return ruleVerbs.length > 1 ? [invalid(field, ruleVerbs, "if '*' is present, must not specify other verbs")] : [];
  return ruleVerbs.every((verb) => verbs.includes(verb)) ? [] : [notSupported(field, ruleVerbs, verbs)];
}

function listErrors(values: readonly string[], field: string, what: string, one: string): FieldError[] {
  if (values.length === 0) return [required(field, `resource rules must supply at least one ${one}`)];
  if (values.length < 2 || !values.includes("*")) return [];
  return [invalid(field, values, `if '*' is present, must not specify other ${what}`)];
}

function namespaceErrors(rule: Fields, field: string): FieldError[] {
  const names = textsIn(rule["namespaces"]);
  if (names.length === 0 && rule["clusterScope"] !== true) {
    const why = "resource rules that are not cluster scoped must supply at least one namespace";
    return [required(field, why)];
  }
  if (names.includes("*"))
    return names.length > 1 ? [invalid(field, names, "if '*' is present, must not specify other namespaces")] : [];
  const before = "Invalid value: ";
  return eachErrors(names, field, (name, here) =>
    labelNameErrors(name, here).map((error) => {
      const problem = error.message.slice(`${before}${JSON.stringify(name)}: `.length);
      return invalid(here, name, `each member of this list must be '*' or a DNS-1123 label; ${problem}`);
    }),
  );
}

function resourceRuleErrors(rule: Fields, field: string): FieldError[] {
  return [
    ...verbErrors(textsIn(rule["verbs"]), `${field}.verbs`),
    ...listErrors(textsIn(rule["apiGroups"]), `${field}.apiGroups`, "api groups", "api group"),
    ...listErrors(textsIn(rule["resources"]), `${field}.resources`, "resources", "resource"),
    ...namespaceErrors(rule, `${field}.namespaces`),
  ];
}

function urlErrors(path: string, field: string): FieldError[] {
  const wrong = (why: string): FieldError[] => [invalid(field, path, why)];
  if (path === "") return wrong("must not be empty");
  if (path === "/") return [];
  if (!path.startsWith("/")) return wrong("must start with slash");
  if (path.includes(" ")) return wrong("must not contain white-space");
  if (path.includes("//")) return wrong("must not contain double slash");
  const wildcards = path.split("*").length - 1;
  return wildcards > 1 || (wildcards === 1 && !path.endsWith("/*"))
    ? wrong("wildcard can only do suffix matching")
    : [];
}

function nonResourceRuleErrors(rule: Fields, field: string): FieldError[] {
  const urls = textsIn(rule["nonResourceURLs"]);
  const here = `${field}.nonResourceURLs`;
  const errors = verbErrors(textsIn(rule["verbs"]), `${field}.verbs`);
  if (urls.length === 0) return [...errors, required(here, "nonResourceURLs must contain at least one value")];
  if (!urls.includes("*")) return [...errors, ...eachErrors(urls, here, urlErrors)];
  return urls.length > 1
    ? [...errors, invalid(here, urls, "if '*' is present, must not specify other non-resource URLs")]
    : errors;
}

function ruleErrors(rule: Fields, field: string): FieldError[] {
  const [subjects, resources, others] = ["subjects", "resourceRules", "nonResourceRules"].map((key) =>
    fieldsIn(rule[key]),
  ) as [Fields[], Fields[], Fields[]];
  return [
    ...(subjects.length === 0
      ? [required(`${field}.subjects`, "subjects must contain at least one value")]
      : eachErrors(subjects, `${field}.subjects`, subjectErrors)),
    ...(resources.length + others.length === 0
      ? [required(field, "at least one of resourceRules and nonResourceRules has to be non-empty")]
      : []),
    ...eachErrors(resources, `${field}.resourceRules`, resourceRuleErrors),
    ...eachErrors(others, `${field}.nonResourceRules`, nonResourceRuleErrors),
  ];
}

function precedenceErrors(value: unknown, name: string): FieldError[] {
  const precedence = isNumber(value) ? value : 0;
  const wrong = (why: string): FieldError[] => [invalid("spec.matchingPrecedence", precedence, why)];
  if (precedence <= 0) return wrong("must be a positive value");
  if (precedence > mostPrecedence) return wrong(`must not be greater than ${mostPrecedence}`);
  return precedence === 1 && name !== "exempt"
    ? wrong("only the schema named 'exempt' may have matchingPrecedence 1")
    : [];
}

/** FlowSchemas. */
export const flowSchemaStrategy: RESTStrategy = restStrategy({
  generation: "spec",
  updateSteps: [validateObjectMeta, validateObject],
  status: {
    resetFields: allButStatus,
    prepareForUpdate: keepMetadata,
    updateSteps: [validateChange],
    validateUpdate: typedConditionErrors,
  },
  validate({ metadata, spec = {} }) {
    const { distinguisherMethod: method, priorityLevelConfiguration: level } = spec as Record<string, unknown>;
    const name = isFields(level) ? textOf(level["name"]) : "";
    return [
      ...precedenceErrors(spec["matchingPrecedence"], metadata.name ?? ""),
      ...(isFields(method) && !distinguishers.includes(textOf(method["type"]))
        ? [notSupported("spec.distinguisherMethod.type", { Type: textOf(method["type"]) }, distinguishers)]
        : []),
      ...(name === ""
        ? [required("spec.priorityLevelConfiguration.name", "must reference a priority level")]
        : subdomainErrors(name, "spec.priorityLevelConfiguration.name")),
      ...eachErrors(fieldsIn(spec["rules"]), "spec.rules", ruleErrors),
    ];
  },
});
