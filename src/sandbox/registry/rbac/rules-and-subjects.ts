/** What roles and their bindings have in common. Source: kubernetes v1.36 pkg/apis/rbac/validation/validation.go. */
import { deepEqual } from "../../../api/field-changes.ts";
import { invalid, notSupported, required, type FieldError } from "../../meta/field-errors.ts";
import { fieldsIn, isFields, type ApiObject, type Fields } from "../../meta/object.ts";
import { subdomainProblems } from "../../../api/label-names.ts";
import { nameRules } from "../../validation/names.ts";

const group = "rbac.authorization.k8s.io";

const texts = (value: unknown): unknown[] => (Array.isArray(value) ? (value as unknown[]) : []);

function ruleErrors(rule: Fields, field: string, namespaced: boolean): FieldError[] {
  const errors: FieldError[] = [];
  const has = (key: string): boolean => texts(rule[key]).length > 0;
  if (!has("verbs")) errors.push(required(`${field}.verbs`, "verbs must contain at least one value"));
  if (has("nonResourceURLs")) {
    const here = `${field}.nonResourceURLs`;
    const urls = rule["nonResourceURLs"];
    if (namespaced) errors.push(invalid(here, urls, "namespaced rules cannot apply to non-resource URLs"));
    if (has("apiGroups") || has("resources") || has("resourceNames")) {
      errors.push(invalid(here, urls, "rules cannot apply to both regular resources and non-resource URLs"));
    }
    return errors;
  }
  if (!has("apiGroups"))
    errors.push(required(`${field}.apiGroups`, "resource rules must supply at least one api group"));
  if (!has("resources"))
    errors.push(required(`${field}.resources`, "resource rules must supply at least one resource"));
  return errors;
}

/** Validates the rules of a role; namespaced ones cannot name non-resource URLs. */
export function rulesErrors(role: ApiObject, namespaced: boolean): FieldError[] {
  return fieldsIn(role["rules"]).flatMap((rule, index) => ruleErrors(rule, `rules[${index}]`, namespaced));
}

function subjectErrors(subject: Fields, field: string, namespaced: boolean): FieldError[] {
  const text = (key: string): string => (typeof subject[key] === "string" ? subject[key] : "");
  const errors: FieldError[] = text("name") === "" ? [required(`${field}.name`)] : [];
  switch (subject["kind"]) {
    case "ServiceAccount":
      if (text("name") !== "")
        errors.push(...subdomainProblems(text("name")).map((p) => invalid(`${field}.name`, text("name"), p)));
      if (text("apiGroup") !== "") errors.push(notSupported(`${field}.apiGroup`, text("apiGroup"), [""]));
      if (!namespaced && text("namespace") === "") errors.push(required(`${field}.namespace`));
      break;
    case "User":
    case "Group":
      if (text("apiGroup") !== group) errors.push(notSupported(`${field}.apiGroup`, text("apiGroup"), [group]));
      break;
    default:
      errors.push(notSupported(`${field}.kind`, text("kind"), ["ServiceAccount", "User", "Group"]));
  }
  return errors;
}

/** Validates the roleRef and subjects of a binding. */
export function bindingErrors(binding: ApiObject, namespaced: boolean): FieldError[] {
  const ref = isFields(binding["roleRef"]) ? binding["roleRef"] : {};
  const text = (key: string): string => (typeof ref[key] === "string" ? ref[key] : "");
  const kinds = namespaced ? ["Role", "ClusterRole"] : ["ClusterRole"];
  const errors: FieldError[] = [];
  if (text("apiGroup") !== group) errors.push(notSupported("roleRef.apiGroup", text("apiGroup"), [group]));
  if (!kinds.includes(text("kind"))) errors.push(notSupported("roleRef.kind", text("kind"), kinds));
  const name = text("name");
  if (name === "") errors.push(required("roleRef.name"));
  else errors.push(...nameRules.segment(name).map((problem) => invalid("roleRef.name", name, problem)));
  return [
    ...errors,
    ...fieldsIn(binding["subjects"]).flatMap((subject, index) =>
      subjectErrors(subject, `subjects[${index}]`, namespaced),
    ),
  ];
}

/** Subjects may change; the roleRef may not. */
export function fixedRole(binding: ApiObject, old: ApiObject): FieldError[] {
  const [now, before] = [binding["roleRef"], old["roleRef"]];
  if (deepEqual(now, before)) return [];
  const { apiGroup = "", kind = "", name = "" } = (isFields(now) ? now : {}) as Record<string, unknown>;
  return [invalid("roleRef", { APIGroup: apiGroup, Kind: kind, Name: name }, "cannot change roleRef")];
}
