/** The rules of the kinds of rbac.authorization.k8s.io, by resource. */
import type { KindRules } from "../strategy/kind-rules.ts";
import { clusterRoleBindingRules, clusterRoleRules, roleBindingRules, roleRules } from "./roles.ts";

export const rbacKinds: Readonly<Record<string, KindRules>> = {
  "clusterrolebindings.rbac.authorization.k8s.io": clusterRoleBindingRules,
  "clusterroles.rbac.authorization.k8s.io": clusterRoleRules,
  "rolebindings.rbac.authorization.k8s.io": roleBindingRules,
  "roles.rbac.authorization.k8s.io": roleRules,
};
