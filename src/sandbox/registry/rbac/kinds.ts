/** The strategies of rbac.authorization.k8s.io. */
import type { RESTStrategy } from "../strategy/rest-strategy.ts";
import { clusterRoleBindingStrategy } from "./cluster-role-binding.ts";
import { clusterRoleStrategy } from "./cluster-role.ts";
import { roleBindingStrategy } from "./role-binding.ts";
import { roleStrategy } from "./role.ts";

/** By resource. */
export const rbacStrategies: Readonly<Record<string, RESTStrategy>> = {
  "clusterrolebindings.rbac.authorization.k8s.io": clusterRoleBindingStrategy,
  "clusterroles.rbac.authorization.k8s.io": clusterRoleStrategy,
  "rolebindings.rbac.authorization.k8s.io": roleBindingStrategy,
  "roles.rbac.authorization.k8s.io": roleStrategy,
};
