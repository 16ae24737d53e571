/** Measures for how much of the time each kind was watched: changes during a broken watch are not seen. */
import { formatAge } from "../api/duration.ts";
import type { EventHead, KindName, StageEvent, WatchEvent } from "../trace/events.ts";

/** A watch that ended normally is open again within this time. */
const reopenMs = 2000;
/** The share of the time that must have been watched. */
const minShare = 0.9;

interface Watched {
  readonly of: KindName;
  /** In ms since 1970; undefined while it is closed. */
  openSince: number | undefined;
  /** When it was last closed, and why. */
  brokenAt: number;
  why: string;
  /** Total duration of the closed watches. */
  watchedMs: number;
}

/** A kind that was not watched all the time, and why. */
export interface Gap {
  readonly of: KindName;
  readonly why: string;
}

/** Needs every event, from before the first watch is opened. */
export class Coverage {
  #kinds = new Map<string, Watched>();

  accept(event: StageEvent): void {
    if (event.stage === "watch") this.#watch(event);
  }

  #watch({ of, state, at, why }: WatchEvent & EventHead): void {
    const name = nameOf(of);
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

  /** Since when the kind's watch has been open, in ms since 1970, if it is; undefined if it was never opened. */
  watchOf(of: KindName): { readonly openSince: number | undefined } | undefined {
    return this.#kinds.get(nameOf(of));
  }

  /** The kinds that are no longer watched. */
  broken(at: number): readonly Gap[] {
    return [...this.#kinds.values()].flatMap((watched) => {
      const why = brokenText(watched, at);
      return why === undefined ? [] : [{ of: watched.of, why }];
    });
  }

  /** The kinds that were not watched for most of the time between `from` and `to`, or are no longer watched. */
  gaps(from: number, to: number): readonly Gap[] {
    return [...this.#kinds.values()].flatMap((watched) => {
      const why = gapOf(watched, from, to);
      return why === undefined ? [] : [{ of: watched.of, why }];
    });
  }
}

/** Why the watch is not open, unless it ended only a moment ago and is about to be opened again. */
function brokenText({ openSince, brokenAt, why }: Watched, at: number): string | undefined {
  if (openSince !== undefined || at - brokenAt <= reopenMs) return undefined;
  return `the watch broke ${formatAge(at - brokenAt)} ago: ${why}`;
}

function nameOf({ group, kind }: KindName): string {
  return `${group} ${kind}`;
}

function gapOf(watched: Watched, from: number, to: number): string | undefined {
  const broken = brokenText(watched, to);
  if (broken !== undefined) return broken;
  const { openSince, watchedMs, why } = watched;
  const ms = watchedMs + (openSince === undefined ? 0 : to - openSince);
  if (to <= from || ms >= minShare * (to - from)) return undefined;
  const reason = why === "start" ? "the watch was opened late" : why;
  return `watched for only ${formatAge(ms)} of ${formatAge(to - from)}: ${reason}`;
}
