/** The kinds that a policy matches. Source: apiserver v0.36 pkg/admission/plugin/policy/validating/typechecking.go typesToCheck. */
import type { ValidatingAdmissionPolicy } from "../../api/types.ts";
import type { DiscoveredKind } from "../../client/api/discovery.ts";

type Spec = NonNullable<ValidatingAdmissionPolicy["spec"]>;
type ResourceRule = NonNullable<NonNullable<Spec["matchConstraints"]>["resourceRules"]>[number];

/** A resource that a rule names. */
export interface NamedResource {
  readonly group: string;
  readonly version: string;
  readonly resource: string;
}

/** At most this many kinds of one rule are checked; rules after one with this many are not checked. */
const most = 10;

/** The resources that each rule names, none for a rule with wildcard groups or versions; subresources have no types of their own. */
export function resourcesOf({ matchConstraints }: Spec): readonly (readonly NamedResource[])[] {
  return (matchConstraints?.resourceRules ?? []).map(
    ({ apiGroups = [], apiVersions = [], resources = [] }: ResourceRule) => {
      if ([...apiGroups, ...apiVersions].some((each) => each.includes("*"))) return [];
      const plain = resources.filter((each) => !/[*/]/.test(each)).toSorted();
      return apiGroups
        .toSorted()
        .flatMap((group) =>
          apiVersions
            .toSorted()
            .flatMap((version) => plain.map((resource): NamedResource => ({ group, version, resource }))),
        );
    },
  );
}

/** Whether the name refers to the kind. In the core group, a name matches kinds of all groups, as in kubectl. */
export function isNamed({ group, version, resource }: NamedResource, kind: DiscoveredKind): boolean {
  const name = resource.toLowerCase();
  return (
    (group === "" || kind.group === group) &&
    kind.version === version &&
    (kind.plural === name || kind.singular === name)
  );
}

/** The kinds, sorted by group, version and name, each once. `kinds`: all kinds of the server. */
export function matchedKinds(
  rules: readonly (readonly NamedResource[])[],
  kinds: readonly DiscoveredKind[],
): readonly DiscoveredKind[] {
  const found = new Map<string, DiscoveredKind>();
  for (const rule of rules) {
    const named = rule.flatMap((resource) => kinds.filter((kind) => isNamed(resource, kind)));
    for (const kind of named.slice(0, most)) found.set(`${kind.group}/${kind.version} ${kind.kind}`, kind);
    if (named.length >= most) break;
  }
  const textOf = ({ group, version, kind }: DiscoveredKind): readonly string[] => [group, version, kind];
  return [...found.values()].toSorted((one, other) => compareTexts(textOf(one), textOf(other)));
}

function compareTexts(one: readonly string[], other: readonly string[]): number {
  const at = one.findIndex((text, n) => text !== other[n]);
  return at === -1 ? 0 : (one[at] ?? "") < (other[at] ?? "") ? -1 : 1;
}
