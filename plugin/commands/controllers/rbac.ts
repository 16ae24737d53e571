import { stringify } from "yaml";
import type { ControllerDefinition } from "../../../src/controller/api/definition.ts";
import { fieldManagerOf } from "../../../src/api/own-field-manager.ts";
import { permissionsOf } from "../../../src/modes/preflight/rights.ts";

interface RbacRule {
  readonly apiGroups: readonly string[];
  readonly resources: readonly string[];
  readonly resourceNames?: readonly string[];
  readonly verbs: readonly string[];
}

interface Granted {
  readonly group: string;
  readonly resources: string[];
  /** None: of all objects. */
  readonly name: string | undefined;
  readonly verbs: string[];
}

/** The rules of a Role that lets a controller be run, Leases included; resources with equal verbs share a rule. */
export function rbacRules(definition: ControllerDefinition): RbacRule[] {
  const leases: ReturnType<typeof permissionsOf> = ["get", "list", "create", "update", "delete"].map((verb) => ({
    verb,
    group: "coordination.k8s.io",
    resource: "leases",
  }));
  const verbs = new Map<string, Granted>();
  for (const { verb, group, resource, name } of [...permissionsOf(definition), ...leases]) {
    const id = `${group}/${resource} ${name ?? ""}`;
    const entry = verbs.get(id) ?? { group, resources: [resource], name, verbs: [] };
    entry.verbs.push(verb);
    verbs.set(id, entry);
  }
  const rules = new Map<string, Granted>();
  for (const entry of verbs.values()) {
    const id = `${entry.group} ${entry.name ?? ""} ${entry.verbs.join(",")}`;
    const rule = rules.get(id);
    if (rule === undefined) rules.set(id, entry);
    else rule.resources.push(...entry.resources);
  }
  return [...rules.values()].map(({ group, resources, name, verbs: allowed }) => ({
    apiGroups: [group],
    resources,
    ...(name !== undefined && { resourceNames: [name] }),
    verbs: allowed,
  }));
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
