/**
 * The verdict on a script that differed. kube-controller-manager has races of its own, which one play of it cannot tell from a difference
 * in ours: the script is played again, with kube-controller-manager twice, and what came up only once is named in the tests' summary.
 */
import { inWords, type Played } from "./play.ts";

/** How many scripts of a suite may differ by chance in one run: one in twenty, and two of a small suite. */
export function chancesOf(scripts: number): number {
  return Math.max(2, Math.floor(scripts / 20));
}

/** Plays after the first, at most. */
const replays = 3;

export interface Verdict {
  /** The play that counts. */
  readonly played: Played;
  /** What differed in the first play and counts no more. */
  readonly byChance: readonly string[];
}

/**
 * The verdict on a script whose first play, with kube-controller-manager once, is given; `again` plays it with kube-controller-manager twice.
 * `race`: the script is known for one.
 *
 * - If only ours differed, two later plays must be without a difference, and none with one.
 * - If kube-controller-manager differed from itself, or there is a race, one play without a difference is enough: the others could not
 *   judge us.
 */
export async function verdict(first: Played, again: () => Promise<Played>, race: boolean): Promise<Verdict> {
  if (first.unexplained.length === 0) return { played: first, byChance: [] };
  const passed = (played: Played): Verdict => ({ played, byChance: inWords(first.unexplained) });
  let isOneEnough = race;
  let clean: Played | undefined;
  let latest = first;
  for (let play = 1; play <= replays; play++) {
    latest = await again();
    if (latest.unexplained.length === 0) {
      if (isOneEnough || clean !== undefined) return passed(latest);
      clean = latest;
      continue;
    }
    isOneEnough ||= latest.unexplained.some(({ between }) => between === "kube-controller-manager and itself");
    if (!isOneEnough) break;
    if (clean !== undefined) return passed(clean);
  }
  return { played: latest, byChance: [] };
}
