/** For how much of the time each kind was really watched: what happens while a watch is broken is not seen. */
import { formatAge } from "../../api/duration.ts";
import type { EventHead, KindName, StageEvent, WatchEvent } from "../../trace/events.ts";

/** A watch that ended in good order is open again within this time. */
const reopenMs = 2000;
/** The least share of the time that has to be watched. */
const leastShare = 0.9;

interface Watched {
  readonly of: KindName;
  openSince: number | undefined;
  /** Since when it is not open, and why. */
  brokenAt: number;
  why: string;
  /** Without the watch that is open now. */
  watchedMs: number;
}

/** A kind that was not watched all the time, and why. */
export interface Gap {
  readonly of: KindName;
  readonly why: string;
}

/** Takes every event, from before the first watch is opened. */
export class Coverage {
  #kinds = new Map<string, Watched>();

  accept(event: StageEvent): void {
    if (event.stage === "watch") this.#watch(event);
  }

  #watch({ of, state, at, why }: WatchEvent & EventHead): void {
    const name = `${of.group} ${of.kind}`;
    const watched = this.#kinds.get(name) ?? { of, openSince: undefined, brokenAt: at, why, watchedMs: 0 };
    this.#kinds.set(name, watched);
    if (state === "opened") {
      watched.openSince ??= at;
      return;
    }
    if (watched.openSince === undefined) return;
    watched.watchedMs += at - watched.openSince;
    watched.openSince = undefined;
    watched.brokenAt = at;
    watched.why = why;
  }

  /** The kinds that were not watched for most of the time between the two, or are not any more. */
  gaps(from: number, to: number): readonly Gap[] {
    return [...this.#kinds.values()].flatMap((watched) => {
      const why = gapOf(watched, from, to);
      return why === undefined ? [] : [{ of: watched.of, why }];
    });
  }
}

function gapOf({ openSince, brokenAt, watchedMs, why }: Watched, from: number, to: number): string | undefined {
  if (openSince === undefined && to - brokenAt > reopenMs) {
    return `the watch broke off ${formatAge(to - brokenAt)} ago: ${why}`;
  }
  const ms = watchedMs + (openSince === undefined ? 0 : to - openSince);
  if (to <= from || ms >= leastShare * (to - from)) return undefined;
  const reason = why === "start" ? "the watch was opened late" : why;
  return `watched for only ${formatAge(ms)} of ${formatAge(to - from)}: ${reason}`;
}
