/**
 * What counts of a script that differed. kube-controller-manager has races of its own, which one play cannot tell from a difference
 * in ours: the script is played again, and what came up once is named in the tests' summary, not hidden.
 */
import { inWords, type Played } from "./play.ts";

/** How many scripts of a suite may differ by chance in one run: one in twenty, and two of a small suite. */
export function chancesOf(scripts: number): number {
  return Math.max(2, Math.floor(scripts / 20));
}

/** Plays after the first, at most. */
const replays = 2;

export interface Verdict {
  /** The play that counts. */
  readonly played: Played;
  /** What differed in the first play and counts no more. */
  readonly byChance: readonly string[];
}

/**
 * The verdict on a script whose first play is given. `race`: the script is known for one.
 *
 * - Where kube-controller-manager differed from itself, or there is a race, one play without a difference is enough: the first
 *   could not judge us.
 * - Where only ours differed, every later play must be without a difference.
 */
export async function verdict(first: Played, again: () => Promise<Played>, race: boolean): Promise<Verdict> {
  if (first.unexplained.length === 0) return { played: first, byChance: [] };
  const isUpstreams = first.unexplained.some(({ between }) => between === "kube-controller-manager and itself");
  const isOneEnough = race || isUpstreams;
  let latest = first;
  for (let play = 1; play <= replays; play++) {
    latest = await again();
    if ((latest.unexplained.length === 0) === isOneEnough) break;
  }
  return { played: latest, byChance: latest.unexplained.length === 0 ? inWords(first.unexplained) : [] };
}
