/**
 * Label keys whose values are taken from the pod. Source: kubernetes v1.36 pkg/apis/core/validation/validation.go
 * ValidateMatchLabelKeysAndMismatchLabelKeys.
 */
import { invalid, notAllowed, type FieldError } from "../../../../meta/field-errors.ts";
import { type ApiObject, fieldsIn, isFields, textOf, textsIn, type Fields } from "../../../../meta/object.ts";
import { eachErrors, qualifiedNameErrors } from "../../../../validation/checks.ts";

/** The keys of an affinity term or a spread constraint. */
export function labelKeyErrors(term: Fields, field: string): FieldError[] {
  const { labelSelector: selector } = term as { labelSelector?: unknown };
  const [match, mismatch] = [textsIn(term["matchLabelKeys"]), textsIn(term["mismatchLabelKeys"])];
  const keysErrors = (keys: readonly string[], here: string): FieldError[] => {
    if (keys.length === 0) return [];
    if (!isFields(selector)) return [notAllowed(here, "must not be specified when labelSelector is not set")];
    return eachErrors(keys, here, qualifiedNameErrors);
  };
  const both = "exists in both matchLabelKeys and mismatchLabelKeys";
  return [
    ...keysErrors(match, `${field}.matchLabelKeys`),
    ...keysErrors(mismatch, `${field}.mismatchLabelKeys`),
    ...(isFields(selector) ? selectedErrors(match, selector, field) : []),
    ...eachErrors(match, `${field}.matchLabelKeys`, (key, here) =>
      mismatch.includes(key) ? [invalid(here, key, both)] : [],
    ),
  ];
}

/**
 * Adds requirements with the pod's own values to the selectors of its affinity terms and spread constraints.
 * Source: pkg/registry/core/pod/strategy.go applyMatchLabelKeysAndMismatchLabelKeys, applyMatchLabelKeys.
 */
export function mergeLabelKeys({ metadata, spec }: ApiObject): void {
  const { labels = {} } = metadata;
  for (const term of [...affinityTerms(spec?.["affinity"]), ...fieldsIn(spec?.["topologySpreadConstraints"])]) {
    const selector = term["labelSelector"];
    if (!isFields(selector)) continue;
    const requirements = (keys: unknown, operator: string): Fields[] =>
      textsIn(keys).flatMap((key) => {
        const value = labels[key];
        return value === undefined ? [] : [{ key, operator, values: [value] }];
      });
    const added = [...requirements(term["matchLabelKeys"], "In"), ...requirements(term["mismatchLabelKeys"], "NotIn")];
    if (added.length > 0) selector["matchExpressions"] = [...fieldsIn(selector["matchExpressions"]), ...added];
  }
}

function affinityTerms(affinity: unknown): readonly Fields[] {
  return ["podAffinity", "podAntiAffinity"].flatMap((name) => {
    const of = isFields(affinity) ? affinity[name] : undefined;
    if (!isFields(of)) return [];
    const preferred = fieldsIn(of["preferredDuringSchedulingIgnoredDuringExecution"]);
    return [
      ...preferred.flatMap(({ podAffinityTerm }) => (isFields(podAffinityTerm) ? [podAffinityTerm] : [])),
      ...fieldsIn(of["requiredDuringSchedulingIgnoredDuringExecution"]),
    ];
  });
}

/** The keys have already been merged into the selector: a key that was there before occurs twice. */
function selectedErrors(keys: readonly string[], selector: Fields, field: string): FieldError[] {
  const seen = new Set(isFields(selector["matchLabels"]) ? Object.keys(selector["matchLabels"]) : []);
  return fieldsIn(selector["matchExpressions"]).flatMap((expression) => {
    const key = textOf(expression["key"]);
    const index = keys.lastIndexOf(key);
    const twice = index >= 0 && seen.has(key);
    seen.add(key);
    return twice ? [invalid(`${field}[${index}]`, key, "exists in both matchLabelKeys and labelSelector")] : [];
  });
}
