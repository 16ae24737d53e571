import { stringify } from "yaml";
import type { ControllerDefinition } from "../../../src/controller/api/definition.ts";
import { fieldManagerOf } from "../../../src/controller/runtime/field-manager.ts";
import { permissionsOf } from "../../../src/modes/preflight/rights.ts";

interface RbacRule {
  readonly apiGroups: readonly string[];
  readonly resources: readonly string[];
  readonly verbs: readonly string[];
}

/** The rules of a Role that lets a controller be run, Leases included; resources with equal verbs share a rule. */
export function rbacRules(definition: ControllerDefinition): RbacRule[] {
  const leases = ["get", "list", "create", "update", "delete"].map((verb) => ({
    verb,
    group: "coordination.k8s.io",
    resource: "leases",
  }));
  const verbs = new Map<string, { group: string; resource: string; verbs: string[] }>();
  for (const { verb, group, resource } of [...permissionsOf(definition), ...leases]) {
    const name = `${group}/${resource}`;
    const entry = verbs.get(name) ?? { group, resource, verbs: [] };
    entry.verbs.push(verb);
    verbs.set(name, entry);
  }
  const rules = new Map<string, { group: string; resources: string[]; verbs: string[] }>();
  for (const { group, resource, verbs: allowed } of verbs.values()) {
    const name = `${group} ${allowed.join(",")}`;
    const rule = rules.get(name) ?? { group, resources: [], verbs: allowed };
    rule.resources.push(resource);
    rules.set(name, rule);
  }
  return [...rules.values()].map((rule) => ({ apiGroups: [rule.group], resources: rule.resources, verbs: rule.verbs }));
}

/** A manifest: a Role where a namespace is given, a ClusterRole otherwise. */
export function rbacManifest(definition: ControllerDefinition, namespace: string | undefined): string {
  return stringify({
    apiVersion: "rbac.authorization.k8s.io/v1",
    kind: namespace === undefined ? "ClusterRole" : "Role",
    metadata: { name: fieldManagerOf(definition), ...(namespace !== undefined && { namespace }) },
    rules: rbacRules(definition),
  });
}
