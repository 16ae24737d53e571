/**
 * Which of the feasible nodes is best: scorers from 0 to 100, with upstream's weights.
 * Source: kubernetes v1.36 pkg/scheduler/apis/config/v1/default_plugins.go,
 * framework/plugins/{noderesources,nodeaffinity, tainttoleration,interpodaffinity}; differs: no balanced allocation,
 * image locality or topology spread.
 */
import type { Pod } from "../../api/types.ts";
import { below, type Random } from "../../platform/random.ts";
import type { Candidate } from "./filters.ts";
import { nodePreference } from "../../api/node-fit/node-affinity.ts";
import type { PodAffinityView } from "./pod-affinity.ts";
import { requestsOf } from "./requests.ts";
import { avoidedTaints } from "../../api/node-fit/taints.ts";

const most = 100;

interface Scorer {
  readonly weight: number;
  readonly score: (pod: Pod, candidates: readonly Candidate[], affinity: PodAffinityView) => readonly number[];
}

const scorers: readonly Scorer[] = [
  { weight: 1, score: (pod, candidates) => candidates.map((candidate) => leastAllocated(pod, candidate)) },
  {
    weight: 2,
    score: (pod, candidates) => upToMost(candidates.map(({ node }) => nodePreference(pod, node))),
  },
  {
    weight: 3,
    score: (pod, candidates) => upToMost(candidates.map(({ node }) => avoidedTaints(pod, node))).map(reversed),
  },
  {
    weight: 2,
    score: (_pod, candidates, affinity) =>
      betweenLeastAndMost(candidates.map(({ node }) => affinity.preferenceFor(node))),
  },
];

function reversed(score: number, _index: number, all: readonly number[]): number {
  return all.every((other) => other === 0) ? most : most - score;
}

/** The free share of cpu and of memory with the pod on the node; the mean of both. */
function leastAllocated(pod: Pod, { load, allocatable }: Candidate): number {
  const { scored } = requestsOf(pod);
  let sum = 0;
  for (const resource of ["cpu", "memory"]) {
    const all = allocatable.get(resource) ?? 0;
    const used = (load.scored.get(resource) ?? 0) + (scored.get(resource) ?? 0);
    if (all > 0 && used <= all) sum += Math.floor(((all - used) * most) / all);
  }
  return Math.floor(sum / 2);
}

function upToMost(values: readonly number[]): number[] {
  const highest = Math.max(0, ...values);
  return values.map((value) => (highest === 0 ? 0 : Math.floor((value * most) / highest)));
}

function betweenLeastAndMost(values: readonly number[]): number[] {
  const [lowest, highest] = [Math.min(...values), Math.max(...values)];
  return values.map((value) => (highest === lowest ? 0 : Math.floor((most * (value - lowest)) / (highest - lowest))));
}

/** The chosen node. */
export interface Choice {
  readonly candidate: Candidate;
  readonly score: number;
  /** How many nodes had this score; one of them was chosen at random. */
  readonly tied: number;
}

/**
 * The best node; ties are broken at random.
 * @throws RangeError without a candidate.
 */
export function choose(pod: Pod, candidates: readonly Candidate[], affinity: PodAffinityView, random: Random): Choice {
  const totals = candidates.map(() => 0);
  for (const { weight, score } of candidates.length === 1 ? [] : scorers) {
    for (const [index, value] of score(pod, candidates, affinity).entries()) {
      totals[index] = (totals[index] ?? 0) + weight * value;
    }
  }
  const best = Math.max(...totals);
  const equals = candidates.filter((_, index) => totals[index] === best);
  const candidate = equals[equals.length === 1 ? 0 : below(random, equals.length)];
  if (candidate === undefined) throw new RangeError("Cannot choose a node: there is none to choose from");
  return { candidate, score: best, tied: equals.length };
}
