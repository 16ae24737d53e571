/** The rules of the kinds of rbac.authorization.k8s.io, by resource. */
import type { RESTStrategy } from "../strategy/rest-strategy.ts";
import { clusterRoleBindingStrategy, clusterRoleStrategy, roleBindingStrategy, roleStrategy } from "./roles.ts";

/** By resource. */
export const rbacStrategies: Readonly<Record<string, RESTStrategy>> = {
  "clusterrolebindings.rbac.authorization.k8s.io": clusterRoleBindingStrategy,
  "clusterroles.rbac.authorization.k8s.io": clusterRoleStrategy,
  "rolebindings.rbac.authorization.k8s.io": roleBindingStrategy,
  "roles.rbac.authorization.k8s.io": roleStrategy,
};
