/** Periods of activity: what is known of each key from its first intention until it has been quiet for a while. */
import type { ObjectKey } from "../../api/key.ts";
import type { Cancel, Timeline } from "../../platform/timeline.ts";
import type { Act, Observed } from "./acts.ts";
import type { Intention, KeyOf } from "./intention.ts";

/**
 * A key's episode ends after this time without an event and with open watches, plus the sync interval of its owner if it has one.
 */
const quietMs = 2000;

/** A period of activity of one key. */
export interface Episode extends KeyOf {
  readonly standing: Set<Intention>;
  /** What the owner created or changed without an intention of ours. */
  readonly acts: Map<string, { readonly observed: Observed; readonly act: Act }>;
  /** Objects that were deleted without an intention of ours. */
  readonly deletions: Observed[];
  /** The targets of all intentions of this episode. */
  readonly intended: Set<ObjectKey>;
  /** When something last happened, in ms since 1970. */
  lastAt: number;
  timer: Cancel | undefined;
}

/** When episodes end. */
export interface EpisodesOptions {
  readonly timeline: Timeline;
  /** Whether the controller has an owner: without one, an episode lasts only as long as an intention stands. */
  readonly hasOwner: (controller: string) => boolean;
  /** How often the controller's owner syncs an unchanged key, in ms; 0 if it only acts on changes. */
  readonly syncsEveryMs: (controller: string) => number;
  /** Since when all the controller's watches have been open, in ms since 1970; undefined while one is closed. */
  readonly watchesOpenSince: (controller: string) => number | undefined;
  /** Called when a key has been quiet for long enough. */
  readonly onQuiet: (episode: Episode) => void;
}

/** The episodes of all active keys. All methods are atomic. */
export class Episodes {
  readonly #options: EpisodesOptions;
  readonly #byName = new Map<string, Episode>();

  constructor(options: EpisodesOptions) {
    this.#options = options;
  }

  get all(): Iterable<Episode> {
    return this.#byName.values();
  }

  /** Undefined if the key is not active. */
  find(name: KeyOf): Episode | undefined {
    return this.#byName.get(textOf(name));
  }

  /** The key's episode, or a new one, which is kept from the call of `goesOn` on. */
  of(name: KeyOf): Episode {
    const { controller, key } = name;
    const parts = { standing: new Set<Intention>(), acts: new Map(), deletions: [], intended: new Set<ObjectKey>() };
    return this.find(name) ?? { controller, key, ...parts, lastAt: 0, timer: undefined };
  }

  /** Something has happened: the quiet period starts again. Without an owner, the episode ends with its last intention. */
  goesOn(episode: Episode): void {
    const hasOwner = this.#options.hasOwner(episode.controller);
    episode.lastAt = this.#options.timeline.now();
    if (!hasOwner && episode.standing.size === 0) this.#byName.delete(textOf(episode));
    else this.#byName.set(textOf(episode), episode);
    if (hasOwner && episode.timer === undefined) this.#awaitQuiet(episode);
  }

  /** Whether the key has been quiet for long enough. */
  isQuiet(episode: Episode): boolean {
    return this.#leftMs(episode) <= 0;
  }

  /** Ends the quiet period. What still stands may be fulfilled later. */
  close(episode: Episode): void {
    episode.timer?.();
    episode.timer = undefined;
    if (episode.standing.size === 0) this.#byName.delete(textOf(episode));
  }

  /** Time until the key counts as quiet, in ms: all of it while a watch is closed, since the owner's writes cannot be observed. */
  #leftMs({ controller, lastAt }: Episode): number {
    const { timeline, syncsEveryMs, watchesOpenSince } = this.#options;
    const now = timeline.now();
    const from = Math.max(lastAt, watchesOpenSince(controller) ?? now);
    return from + quietMs + syncsEveryMs(controller) - now;
  }

  #awaitQuiet(episode: Episode): void {
    const { timeline, onQuiet } = this.#options;
    episode.timer = timeline.after(this.#leftMs(episode), "shadow episode", () => {
      episode.timer = undefined;
      if (this.isQuiet(episode)) onQuiet(episode);
      else this.#awaitQuiet(episode);
    });
  }
}

function textOf({ controller, key }: KeyOf): string {
  return `${controller} ${key}`;
}
