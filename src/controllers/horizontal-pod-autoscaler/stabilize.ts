/**
 * Stabilizes the recommendation over a window: no scaling down below, and no scaling up above, recent recommendations.
 * Source: kubernetes v1.36 pkg/controller/podautoscaler/horizontal.go stabilizeRecommendation, stabilizeRecommendationWithBehaviors.
 */
import type { History, Recommendation } from "./memory.ts";

/** The two windows, in ms. */
export interface Windows {
  readonly upMs: number;
  readonly downMs: number;
}

/** The one window without behavior, in ms. */
export interface Window {
  readonly windowMs: number;
}

/** Records the target's replicas when the autoscaler is first seen: they count as recommended. */
export function rememberStart(history: History, current: Recommendation): void {
  if (history.recommendations.length === 0) history.recommendations.push(current);
}

/** Without behavior: the highest recommendation in the window, including this one. Records it. */
export function stabilizeDown(history: History, { windowMs, ...given }: Recommendation & Window): number {
  const cutoff = given.at - windowMs;
  let highest = given.replicas;
  let old: number | undefined;
  for (const [index, { replicas, at }] of history.recommendations.entries()) {
    if (at < cutoff) old = index;
    else if (replicas > highest) highest = replicas;
  }
  remember(history, { given, old });
  return highest;
}

/** What is stabilized: a recommendation, the target's current replicas, and the two windows. */
export interface Standing extends Recommendation, Windows {
  readonly current: number;
}

/** With behavior: as close to the current replicas as the recommendations in the two windows allow. Records this one. */
export function stabilizeBoth(history: History, { current, upMs, downMs, ...given }: Standing): number {
  const [upCutoff, downCutoff] = [given.at - upMs, given.at - downMs];
  let [lowest, highest] = [given.replicas, given.replicas];
  let old: number | undefined;
  for (const [index, { replicas, at }] of history.recommendations.entries()) {
    if (at > upCutoff) lowest = Math.min(lowest, replicas);
    if (at > downCutoff) highest = Math.max(highest, replicas);
    if (at < upCutoff && at < downCutoff) old = index;
  }
  remember(history, { given, old });
  return Math.min(Math.max(current, lowest), highest);
}

interface Remembered {
  readonly given: Recommendation;
  /** The index of an entry that is too old; undefined if none is. */
  readonly old: number | undefined;
}

function remember({ recommendations }: History, { given, old }: Remembered): void {
  if (old === undefined) recommendations.push(given);
  else recommendations[old] = given;
}
