/** Label selectors in messages of Kubernetes' own components. */
import type { LabelSelector } from "./types.ts";

/**
 * A LabelSelector as Go's `%v` prints a pointer to it; an absent one is `nil`.
 * Source: apimachinery v0.36 pkg/apis/meta/v1/generated.pb.go.
 */
export function goSelector(selector: LabelSelector | undefined): string {
  if (selector === undefined) return "nil";
  const { matchLabels = {}, matchExpressions = [] } = selector;
  const pairs = Object.keys(matchLabels)
    .sort()
    .map((key) => `${key}: ${matchLabels[key]},`);
  const requirements = matchExpressions.map(
    ({ key, operator, values = [] }) =>
      `LabelSelectorRequirement{Key:${key},Operator:${operator},Values:[${values.join(" ")}],},`,
  );
  return `&LabelSelector{MatchLabels:map[string]string{${pairs.join("")}},MatchExpressions:[]LabelSelectorRequirement{${requirements.join("")}},}`;
}
