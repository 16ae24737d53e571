/**
 * Pod affinity and anti-affinity by topology key.
 * Source: kubernetes v1.36 pkg/scheduler/framework/plugins/interpodaffinity/{filtering,scoring}.go; differs:
 * preferences of pods that are already running do not count.
 */
import { matches, selectorOf } from "../../api/labels.ts";
import type { Node, Pod, PodAffinityTerm } from "../../api/types.ts";
import type { Lister } from "../../cache/lister.ts";
import type { Namespace } from "../../api/types.ts";
import type { NodeUsageCache } from "./node-usage-cache.ts";

/** The topology domains in which pods run: `zone=a`. */
type Places = ReadonlySet<string>;

/** The effect of affinity on each node, for one pod. */
export interface PodAffinityView {
  /** Why the node cannot be used; undefined if it can. */
  obstacleOn(node: Node): string | undefined;
  /** The sum of the weights of the preferred terms that match there; anti-affinity counts negative. */
  preferenceFor(node: Node): number;
}

const apart = "node(s) didn't match pod anti-affinity rules";
const together = "node(s) didn't match pod affinity rules";
const keptAway = "node(s) didn't satisfy existing pods anti-affinity rules";

/** What affinity is evaluated against. */
export interface AffinityContext {
  readonly nodes: readonly Node[];
  readonly nodeUsage: NodeUsageCache;
  readonly namespaces: Lister<Namespace>;
}

/** Evaluates all relevant pods once; each node is then decided by its labels. */
export function podAffinityView(pod: Pod, { nodes, nodeUsage, namespaces }: AffinityContext): PodAffinityView {
  const { podAffinity, podAntiAffinity } = pod.spec?.affinity ?? {};
  const attracted = podAffinity?.requiredDuringSchedulingIgnoredDuringExecution ?? [];
  const repelled = podAntiAffinity?.requiredDuringSchedulingIgnoredDuringExecution ?? [];
  const likes = podAffinity?.preferredDuringSchedulingIgnoredDuringExecution ?? [];
  const dislikes = podAntiAffinity?.preferredDuringSchedulingIgnoredDuringExecution ?? [];
  const means = (term: PodAffinityTerm, owner: Pod, other: Pod): boolean => termMeans(term, owner, other, namespaces);

  /** The domains of pods that match all the terms, for each term's topology key. */
  const placesOf = (terms: readonly PodAffinityTerm[]): Places => {
    const places = new Set<string>();
    if (terms.length === 0) return places;
    for (const node of nodes) {
      for (const other of nodeUsage.loadOf(node.metadata.name).pods.values()) {
        if (!terms.every((term) => means(term, pod, other))) continue;
        for (const { topologyKey } of terms) addPlace(places, node, topologyKey);
      }
    }
    return places;
  };

  const near = placesOf(attracted);
  const far = repelled.map((term) => placesOf([term]));
  const guarded = guardedPlaces(pod, { nodes, nodeUsage }, means);
  const weighed = [...likes.map((w) => ({ ...w, sign: 1 })), ...dislikes.map((w) => ({ ...w, sign: -1 }))].map(
    ({ weight, podAffinityTerm, sign }) => ({
      weight: weight * sign,
      topologyKey: podAffinityTerm.topologyKey,
      places: placesOf([podAffinityTerm]),
    }),
  );
  // The first pod of a group with affinity to itself may run anywhere.
  const first = near.size === 0 && attracted.every((term) => means(term, pod, pod));

  return {
    obstacleOn(node) {
      const fits = attracted.every(({ topologyKey }) => {
        const at = placeOf(node, topologyKey);
        return at !== undefined && (first || near.has(at));
      });
      if (!fits) return together;
      if (repelled.some(({ topologyKey }, index) => isIn(far[index], node, topologyKey))) return apart;
      for (const [key] of Object.entries(node.metadata.labels ?? {})) if (isIn(guarded, node, key)) return keptAway;
      return undefined;
    },
    preferenceFor(node) {
      let sum = 0;
      for (const { weight, topologyKey, places } of weighed) if (isIn(places, node, topologyKey)) sum += weight;
      return sum;
    },
  };
}

/** The domains of pods whose required anti-affinity matches this pod. */
function guardedPlaces(
  pod: Pod,
  { nodes, nodeUsage }: Pick<AffinityContext, "nodes" | "nodeUsage">,
  means: (term: PodAffinityTerm, owner: Pod, other: Pod) => boolean,
): Places {
  const places = new Set<string>();
  let byName: Map<string, Node> | undefined;
  for (const { node, pod: guard } of nodeUsage.repelling) {
    byName ??= new Map(nodes.map((each) => [each.metadata.name, each]));
    const where = byName.get(node);
    if (where === undefined) continue;
    const terms = guard.spec?.affinity?.podAntiAffinity?.requiredDuringSchedulingIgnoredDuringExecution ?? [];
    for (const term of terms) if (means(term, guard, pod)) addPlace(places, where, term.topologyKey);
  }
  return places;
}

function placeOf(node: Node, topologyKey: string): string | undefined {
  const value = node.metadata.labels?.[topologyKey];
  return value === undefined ? undefined : `${topologyKey}=${value}`;
}

function addPlace(places: Set<string>, node: Node, topologyKey: string): void {
  const place = placeOf(node, topologyKey);
  if (place !== undefined) places.add(place);
}

function isIn(places: Places | undefined, node: Node, topologyKey: string): boolean {
  const place = placeOf(node, topologyKey);
  return place !== undefined && places !== undefined && places.has(place);
}

/** Whether a term of `owner` selects the other pod. Without namespaces or a namespace selector, it selects in its own namespace. */
function termMeans(term: PodAffinityTerm, owner: Pod, other: Pod, namespaces: Lister<Namespace>): boolean {
  const { namespaces: named = [], namespaceSelector } = term;
  const there = other.metadata.namespace ?? "";
  const inScope =
    named.length === 0 && namespaceSelector === undefined
      ? there === owner.metadata.namespace
      : named.includes(there) ||
        (namespaceSelector !== undefined &&
          matches(selectorOf(namespaceSelector), namespaces.get(there)?.metadata.labels));
  return inScope && matches(selectorOf(term.labelSelector), other.metadata.labels);
}
