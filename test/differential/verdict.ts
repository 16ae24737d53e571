/**
 * The verdict on a script that differed. kube-controller-manager has races, which one run cannot distinguish from a difference in our
 * controllers: the script is run again, with kube-controller-manager twice, and what occurred only once is listed in the tests' summary.
 */
import { inWords, type Played } from "./play.ts";

/** The number of scripts of a suite that can differ by chance in one run: one in twenty, and at least two. */
export function chancesOf(scripts: number): number {
  return Math.max(2, Math.floor(scripts / 20));
}

/** The maximum number of plays after the first. */
const replays = 3;

export interface Verdict {
  /** The play that counts. */
  readonly played: Played;
  /** The differences in the first play, if they no longer count. */
  readonly byChance: readonly string[];
}

/**
 * Returns the verdict on a script whose first play, with kube-controller-manager once, is given; `again` plays it with
 * kube-controller-manager twice. `race`: whether the script has a known race.
 *
 * - If only ours differed, two later plays must be without a difference, and none may have one.
 * - If kube-controller-manager differed from itself, or there is a race, one play without a difference is enough, because the others cannot
 *   be judged.
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
