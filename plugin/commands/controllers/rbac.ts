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
  readonly resources: readonly string[];
  /** Empty for all objects. */
  readonly names: readonly string[];
  readonly verbs: readonly string[];
}

/** Joins rules that differ only in `by`. A rule for all objects is never joined with one for named objects. */
function joined(all: readonly Granted[], by: "verbs" | "resources" | "names"): readonly Granted[] {
  const found = new Map<string, Granted>();
  for (const each of all) {
    const id = JSON.stringify({ ...each, [by]: each[by].length === 0 });
    const known = found.get(id);
    found.set(id, known === undefined ? each : { ...known, [by]: [...known[by], ...each[by]] });
  }
  return [...found.values()];
}

/** The RBAC rules for running a controller, including Leases; resources and names with equal verbs share a rule. */
export function rbacRules(definition: ControllerDefinition): RbacRule[] {
  const leases: ReturnType<typeof permissionsOf> = ["get", "list", "create", "update", "delete"].map((verb) => ({
    verb,
    group: "coordination.k8s.io",
    resource: "leases",
  }));
  const single = [...permissionsOf(definition), ...leases].map(({ verb, group, resource, name }) => ({
    group,
    resources: [resource],
    names: name === undefined ? [] : [name],
    verbs: [verb],
  }));
  const rules = joined(joined(joined(single, "verbs"), "resources"), "names");
  return rules.map(({ group, resources, names, verbs }) => ({
    apiGroups: [group],
    resources,
    ...(names.length > 0 && { resourceNames: names }),
    verbs,
  }));
}

/** The manifest of a Role in a namespace, or of a ClusterRole without one. */
export function rbacManifest(definition: ControllerDefinition, namespace: string | undefined): string {
  return stringify({
    apiVersion: "rbac.authorization.k8s.io/v1",
    kind: namespace === undefined ? "ClusterRole" : "Role",
    metadata: { name: fieldManagerOf(definition), ...(namespace !== undefined && { namespace }) },
    rules: rbacRules(definition),
  });
}
