/** ClusterRoles in the form in which a server stores them. */
import { formatTime } from "../../../src/api/time.ts";
import type { ClusterRole } from "../../../src/api/types.ts";
import type { PolicyRule } from "../../../src/controllers/clusterrole-aggregation/aggregate.ts";
import { sceneStart } from "../../support/sync-context.ts";

/** A rule for one resource of the core group. */
export const ruleOf = (resource: string, ...verbs: string[]): PolicyRule => ({
  apiGroups: [""],
  resources: [resource],
  verbs: verbs.length === 0 ? ["get"] : verbs,
});

/** A ClusterRole with these rules. */
export function roleOf(
  name: string,
  rules: readonly PolicyRule[],
  labels: Readonly<Record<string, string>> = {},
): ClusterRole {
  const creationTimestamp = formatTime(sceneStart);
  return { metadata: { name, uid: `uid-${name}`, resourceVersion: "1", creationTimestamp, labels }, rules };
}

/** A ClusterRole that aggregates others; a selector matches if all of its labels are present. */
export function aggregatedRole(
  name: string,
  selectors: readonly Readonly<Record<string, string>>[],
  rules: readonly PolicyRule[] = [],
): ClusterRole {
  const clusterRoleSelectors = selectors.map((matchLabels) => ({ matchLabels }));
  return { ...roleOf(name, rules), aggregationRule: { clusterRoleSelectors } };
}
