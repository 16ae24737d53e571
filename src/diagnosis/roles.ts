/** RoleBindings, ClusterRoleBindings, and ClusterRoles that are made of others. */
import { ClusterRoles, Roles } from "../api/kinds.ts";
import { matches, selectorOf } from "../api/labels.ts";
import { pluralize } from "../api/pluralize.ts";
import type { ClusterRole, RoleBinding } from "../api/types.ts";
import { type Examined, type Item, refOf } from "./diagnosis.ts";
import type { Look } from "./look.ts";
import { examinePassive } from "./passive.ts";

/** Whether the role of a RoleBinding or ClusterRoleBinding exists. */
export function examineBinding(look: Look, item: Item<RoleBinding>): Examined {
  const { roleRef, subjects = [], metadata } = item.object;
  const kind = roleRef.kind === "ClusterRole" ? ClusterRoles : Roles;
  const namespace = kind.namespaced ? (metadata.namespace ?? "") : "";
  const found = look.exists(kind, namespace, roleRef.name);
  const says = `${kind.kind} ${roleRef.name} for ${pluralize(subjects.length, "subject")}`;
  if (found.is === "unseen") return { says, reached: undefined, findings: [], seen: [], unseen: [found.unseen] };
  const why = `there is no such ${kind.kind}: the binding grants nothing`;
  const findings = found.is === "missing" ? [{ at: { kind, namespace, name: roleRef.name }, why }] : [];
  return { says, reached: findings.length === 0, findings, seen: [`${kind.kind} ${roleRef.name}`], unseen: [] };
}

/** Whether a ClusterRole that aggregates others finds any; others only hold rules. */
export function examineClusterRole(look: Look, item: Item<ClusterRole>): Examined {
  const { aggregationRule, metadata } = item.object;
  if (aggregationRule === undefined) return examinePassive();
  const selectors = (aggregationRule.clusterRoleSelectors ?? []).map(selectorOf);
  const { objects, unseen } = look.list(ClusterRoles, "");
  const isPart = ({ metadata: of }: ClusterRole): boolean =>
    of.uid !== metadata.uid && selectors.some((selector) => matches(selector, of.labels));
  const count = objects.filter(isPart).length;
  const says = `it has the rules of ${pluralize(count, "other ClusterRole")}`;
  if (unseen.length > 0)
    return { says: "it has the rules of other ClusterRoles", reached: undefined, findings: [], seen: [], unseen };
  const why = "its aggregationRule selects no other ClusterRole, so it grants nothing";
  const findings = count === 0 ? [{ at: refOf(item), why }] : [];
  return { says, reached: count > 0, findings, seen: [pluralize(objects.length, "ClusterRole")], unseen: [] };
}
