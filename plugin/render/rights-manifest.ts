/** The rights that a process used, as RBAC manifests. */
import { stringify } from "yaml";
import type { Rights, UsedRight } from "../../src/views/process/rights.ts";

interface Rule {
  readonly apiGroups: readonly string[];
  readonly resources: readonly string[];
  readonly verbs: readonly string[];
}

const order = ["get", "list", "watch", "create", "update", "patch", "delete", "deletecollection"];

/** A Role per namespace, and a ClusterRole for everything else, as documents of one file. Refused requests are listed in comments. */
export function rightsManifest({ used, paths, refused }: Rights, name: string): string {
  const namespaces = [...new Set(used.map(({ namespace }) => namespace))].toSorted();
  // A right in all namespaces makes the same right in one namespace redundant.
  const everywhere = new Set(used.filter(({ namespace }) => namespace === "").map(nameOf));
  const documents = namespaces.flatMap((namespace) => {
    const rights = used.filter(
      (right) => right.namespace === namespace && (namespace === "" || !everywhere.has(nameOf(right))),
    );
    const rules = [...rulesOf(rights), ...(namespace === "" ? pathRules(paths) : [])];
    return rules.length === 0 ? [] : [roleText({ name, namespace, rules })];
  });
  if (!namespaces.includes("") && paths.length > 0)
    documents.push(roleText({ name, namespace: "", rules: pathRules(paths) }));
  const comments = refused.map(
    ({ verb, resource, group, namespace }) =>
      `# refused, and not in it: ${verb} ${resource}${group === "" ? "" : `.${group}`}${namespace === "" ? "" : ` in namespace ${namespace}`}\n`,
  );
  return comments.join("") + documents.join("---\n");
}

interface Role {
  readonly name: string;
  /** Empty for a ClusterRole. */
  readonly namespace: string;
  readonly rules: readonly object[];
}

function roleText({ name, namespace, rules }: Role): string {
  return stringify({
    apiVersion: "rbac.authorization.k8s.io/v1",
    kind: namespace === "" ? "ClusterRole" : "Role",
    metadata: { name, ...(namespace !== "" && { namespace }) },
    rules,
  });
}

function nameOf({ group, resource, verb }: UsedRight): string {
  return `${group} ${resource} ${verb}`;
}

/** Resources of a group with the same verbs share a rule. */
function rulesOf(rights: readonly UsedRight[]): readonly Rule[] {
  const verbs = new Map<string, { readonly group: string; readonly resource: string; readonly verbs: Set<string> }>();
  for (const { group, resource, verb } of rights)
    verbs
      .getOrInsertComputed(`${group}/${resource}`, () => ({ group, resource, verbs: new Set<string>() }))
      .verbs.add(verb);
  const rules = new Map<
    string,
    { readonly group: string; readonly resources: string[]; readonly verbs: readonly string[] }
  >();
  for (const { group, resource, verbs: all } of verbs.values()) {
    const sorted = [...all].toSorted((a, b) => order.indexOf(a) - order.indexOf(b));
    rules
      .getOrInsertComputed(`${group} ${sorted.join()}`, () => ({ group, resources: [], verbs: sorted }))
      .resources.push(resource);
  }
  return [...rules.values()]
    .toSorted((a, b) => a.group.localeCompare(b.group))
    .map((rule) => ({ apiGroups: [rule.group], resources: rule.resources.toSorted(), verbs: rule.verbs }));
}

function pathRules(paths: Rights["paths"]): readonly object[] {
  return paths.map(({ path, verb }) => ({ nonResourceURLs: [path], verbs: [verb] }));
}
