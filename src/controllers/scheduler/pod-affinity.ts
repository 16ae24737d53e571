/**
 * Pod affinity and anti-affinity by topology key.
 * Source: kubernetes v1.36 pkg/scheduler/framework/plugins/interpodaffinity/{filtering,scoring}.go; differs: preferences of pods
 * that run already do not count.
 */
import { matches, selectorOf } from "../../api/labels.ts";
import type { Node, Pod, PodAffinityTerm } from "../../api/types.ts";
import type { Lister } from "../../cache/lister.ts";
import type { Namespace } from "../../api/types.ts";
import type { NodeUsageCache } from "./node-usage-cache.ts";

/** Where pods run, seen by topology: `zone=a`. */
type Places = ReadonlySet<string>;

export interface PodAffinityView {
  /** Undefined when the node may be used; otherwise why not. */
  obstacleOn(node: Node): string | undefined;
  /** The preferred terms that fit there, weights added up: negative where pods are to be kept apart. */
  preferenceFor(node: Node): number;
}

const apart = "node(s) didn't match pod anti-affinity rules";
const together = "node(s) didn't match pod affinity rules";
const keptAway = "node(s) didn't satisfy existing pods anti-affinity rules";

export interface AffinityContext {
  readonly nodes: readonly Node[];
  readonly ledger: NodeUsageCache;
  readonly namespaces: Lister<Namespace>;
}

/** Looks once at all pods that matter to this one; each node is then a matter of its labels. */
export function podAffinityView(pod: Pod, { nodes, ledger, namespaces }: AffinityContext): PodAffinityView {
  const { podAffinity, podAntiAffinity } = pod.spec?.affinity ?? {};
  const attracted = podAffinity?.requiredDuringSchedulingIgnoredDuringExecution ?? [];
  const repelled = podAntiAffinity?.requiredDuringSchedulingIgnoredDuringExecution ?? [];
  const likes = podAffinity?.preferredDuringSchedulingIgnoredDuringExecution ?? [];
  const dislikes = podAntiAffinity?.preferredDuringSchedulingIgnoredDuringExecution ?? [];
  const means = (term: PodAffinityTerm, owner: Pod, other: Pod): boolean => termMeans(term, owner, other, namespaces);

  /** The places of pods that fit all the terms, for each term's topology. */
  const placesOf = (terms: readonly PodAffinityTerm[]): Places => {
    const places = new Set<string>();
    if (terms.length === 0) return places;
    for (const node of nodes) {
      for (const other of ledger.loadOf(node.metadata.name).pods.values()) {
        if (!terms.every((term) => means(term, pod, other))) continue;
        for (const { topologyKey } of terms) addPlace(places, node, topologyKey);
      }
    }
    return places;
  };

  const near = placesOf(attracted);
  const far = repelled.map((term) => placesOf([term]));
  const guarded = guardedPlaces(pod, { nodes, ledger }, means);
  const weighed = [...likes.map((w) => ({ ...w, sign: 1 })), ...dislikes.map((w) => ({ ...w, sign: -1 }))].map(
    ({ weight, podAffinityTerm, sign }) => ({
      weight: weight * sign,
      topologyKey: podAffinityTerm.topologyKey,
      places: placesOf([podAffinityTerm]),
    }),
  );
  // The first of a group that wants to be together may begin anywhere.
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

/** Where pods run that do not want this one beside them. */
function guardedPlaces(
  pod: Pod,
  { nodes, ledger }: Pick<AffinityContext, "nodes" | "ledger">,
  means: (term: PodAffinityTerm, owner: Pod, other: Pod) => boolean,
): Places {
  const places = new Set<string>();
  let byName: Map<string, Node> | undefined;
  for (const { node, pod: guard } of ledger.repelling) {
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

/** Whether a term of `owner` is about the other pod. Without namespaces and a selector of them it is about its own. */
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
