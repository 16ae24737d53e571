/** The kinds that a policy is about. Source: apiserver v0.36 pkg/admission/plugin/policy/validating/typechecking.go typesToCheck. */
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

/** Of the kinds of one rule no more are looked at; nor are the rules after one of so many. */
const most = 10;

/** The resources that each rule names, none for a rule whose groups or versions are open; subresources have no types of their own. */
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

/** Whether a kind goes by the name. In the core group a name stands for kinds of all groups, as in kubectl. */
export function isNamed({ group, version, resource }: NamedResource, kind: DiscoveredKind): boolean {
  const name = resource.toLowerCase();
  return (
    (group === "" || kind.group === group) &&
    kind.version === version &&
    (kind.plural === name || kind.singular === name)
  );
}

/** The kinds, by group, version and name, each once. `kinds` are all of the server's. */
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
