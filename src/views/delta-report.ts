/** What `watch` shows: deltas, each with the keys that controllers enqueued for it. A fold over stage events. */
import type { ObjectKey } from "../api/key.ts";
import type {
  DeltaEvent,
  DeltaType,
  EnqueueEvent,
  EventHead,
  KindName,
  ListEvent,
  NotifyEvent,
  StageEvent,
  WatchEvent,
} from "../trace/events.ts";
import { GenerationalCache } from "../trace/generational-cache.ts";
import { QueueGauges, type QueueState } from "./queue-gauges.ts";

/** A delta event with its `seq` and time. */
export type SeenDelta = DeltaEvent & EventHead;

/** A key that a controller enqueued, and the state of the queue right after. */
export interface MadeKey {
  readonly at: number;
  readonly controller: string;
  readonly key: ObjectKey;
  /** The key was already waiting or in process. */
  readonly merged: boolean;
  readonly inFlight: boolean;
  readonly delayMs: number | undefined;
  /** Triggers now waiting with the key, including this one. */
  readonly triggers: number;
  readonly queue: QueueState;
}

/** A line of `watch`; `shownLine` adds the details. */
export type WatchLine =
  | {
      readonly is: "delta";
      readonly delta: SeenDelta;
      /** The keys that each notified controller enqueued, perhaps none. */
      readonly notified: readonly { readonly controller: string; readonly keys: readonly MadeKey[] }[];
    }
  /**
   * A key enqueued for another reason than a held delta: a requeue, or a delta that is already shown. `isAfterOthers`: no older delta is
   * still held.
   */
  | { readonly is: "key"; readonly made: MadeKey; readonly why: string; readonly isAfterOthers: boolean }
  /** A new list replaced the contents of the cache. */
  | { readonly is: "relist"; readonly at: number; readonly list: ListEvent }
  | { readonly is: "list failed"; readonly at: number; readonly list: ListEvent; readonly error: string }
  | { readonly is: "watch broke"; readonly at: number; readonly of: KindName; readonly why: string }
  | { readonly is: "watch is back"; readonly at: number; readonly of: KindName; readonly afterMs: number };

/** Which deltas are shown. */
export interface DeltaReportOptions {
  /** Only deltas of these types. Unset: all but those of the first list. */
  readonly types?: ReadonlySet<DeltaType>;
  /** Show the objects of the first list too. */
  readonly initial?: boolean;
  /** Filters deltas for which no controller enqueued a key. Unset: all are shown. */
  readonly wanted?: (delta: SeenDelta) => boolean;
  /** The names of the watched controllers that are notified of this kind. */
  readonly controllersOf: (of: KindName) => readonly string[];
}

/** Counts of what was shown so far. Immutable. */
export interface DeltaSummary {
  readonly deltas: number;
  readonly byType: ReadonlyMap<DeltaType, number>;
  readonly keys: number;
  readonly relists: number;
  readonly brokenWatches: number;
}

/** The longest time that a delta is held until its controllers have been notified. */
const patienceMs = 50;

interface Held {
  readonly delta: SeenDelta;
  /** Controllers that have not been notified yet. */
  readonly waitsFor: Set<string>;
  readonly keys: MadeKey[];
  readonly controllers: readonly string[];
}

/**
 * Turns events into the lines of `watch`, in the order of the deltas. A delta is held until every controller of its kind has been
 * notified, for at most 50 ms: call `flush` regularly. Without controllers nothing is held. Changes of deltas that are not shown are not
 * computed.
 */
export class DeltaReport {
  readonly gauges: QueueGauges = new QueueGauges();
  #options: DeltaReportOptions;
  #held = new Map<number, Held>();
  /** Deltas that were shown before all controllers were notified; keys may still be enqueued for them. */
  #late = new GenerationalCache<number, SeenDelta>();
  #broken = new Map<string, number>();
  #byType = new Map<DeltaType, number>();
  #deltas = 0;
  #keys = 0;
  #relists = 0;
  #brokenWatches = 0;

  constructor(options: DeltaReportOptions) {
    this.#options = options;
  }

  get summary(): DeltaSummary {
    return {
      deltas: this.#deltas,
      byType: new Map(this.#byType),
      keys: this.#keys,
      relists: this.#relists,
      brokenWatches: this.#brokenWatches,
    };
  }

  /** Returns the lines that this event completes. */
  accept(event: StageEvent): readonly WatchLine[] {
    this.gauges.accept(event);
    if (event.stage === "delta") return this.#delta(event);
    if (event.stage === "notify") return this.#notify(event);
    if (event.stage === "enqueue") return this.#enqueue(event);
    if (event.stage === "list") return this.#list(event);
    if (event.stage === "watch") return this.#watch(event);
    return [];
  }

  /** Returns the lines of deltas that have been held long enough at `now`, in ms since 1970; `Infinity` for all. */
  flush(now: number): readonly WatchLine[] {
    if (this.#held.size === 0) return [];
    const lines = this.#release();
    for (const [seq, held] of this.#held) {
      if (now - held.delta.at < patienceMs) break;
      this.#held.delete(seq);
      this.#late.set(seq, held.delta);
      lines.push(...this.#shown(held));
      lines.push(...this.#release());
    }
    return lines;
  }

  #delta(delta: SeenDelta): readonly WatchLine[] {
    if (!this.#isShown(delta)) return [];
    const controllers = this.#options.controllersOf(delta.of);
    const held = { delta, waitsFor: new Set(controllers), keys: [], controllers };
    if (controllers.length === 0 && this.#held.size === 0) return this.#shown(held);
    this.#held.set(delta.seq, held);
    return this.#release();
  }

  #isShown(delta: SeenDelta): boolean {
    const { types, initial } = this.#options;
    const first = delta.type === "Replaced" && delta.relist !== true;
    if (first && initial !== true && types?.has("Replaced") !== true) return false;
    if (types !== undefined && !types.has(delta.type)) return false;
    // A relist delivers every object; unchanged ones are not shown.
    return delta.type !== "Replaced" || first || isNews(delta);
  }

  #notify({ delta, handler }: NotifyEvent): readonly WatchLine[] {
    // A handler's keys directly follow its notification, so deltas that are complete now stay complete.
    const lines = this.#release();
    this.#held.get(delta)?.waitsFor.delete(handler);
    return lines;
  }

  #enqueue(event: EnqueueEvent & EventHead): readonly WatchLine[] {
    const { trigger } = event;
    const made = (): MadeKey => this.#made(event);
    if (trigger.cause !== "delta") return [this.#alone(made(), whyOf(event))];
    const held = this.#held.get(trigger.delta);
    if (held !== undefined) {
      held.keys.push(made());
      return [];
    }
    const late = this.#late.get(trigger.delta);
    return late === undefined ? [] : [this.#alone(made(), `${late.of.kind} ${late.key} ${late.type}`)];
  }

  #alone(made: MadeKey, why: string): WatchLine {
    return { is: "key", made, why, isAfterOthers: this.#held.size === 0 };
  }

  #made(event: EnqueueEvent & EventHead): MadeKey {
    this.#keys++;
    const { at, controller, key, merged, inFlight, delayMs } = event;
    const triggers = this.gauges.triggersOf(controller, key);
    const queue = this.gauges.state(controller, at);
    return { at, controller, key, merged, inFlight, delayMs, triggers, queue };
  }

  /** Releases the oldest held deltas, up to the first that a controller has not been notified of. */
  #release(): WatchLine[] {
    const lines: WatchLine[] = [];
    for (const [seq, held] of this.#held) {
      if (held.waitsFor.size > 0) break;
      this.#held.delete(seq);
      lines.push(...this.#shown(held));
    }
    return lines;
  }

  #shown({ delta, keys, controllers }: Held): readonly WatchLine[] {
    if (keys.length === 0 && this.#options.wanted?.(delta) === false) return [];
    this.#deltas++;
    this.#byType.set(delta.type, (this.#byType.get(delta.type) ?? 0) + 1);
    const notified = controllers.map((controller) => ({
      controller,
      keys: keys.filter((made) => made.controller === controller),
    }));
    return [{ is: "delta", delta, notified }];
  }

  #list(list: ListEvent & EventHead): readonly WatchLine[] {
    const lines = this.#release();
    // The line about the caches names the kind.
    if (list.notServed === true) return lines;
    if (list.error !== undefined) return [...lines, { is: "list failed", at: list.at, list, error: list.error }];
    if (list.why === "start") return lines;
    this.#relists++;
    return [...lines, { is: "relist", at: list.at, list }];
  }

  #watch({ at, state, of, why }: WatchEvent & EventHead): readonly WatchLine[] {
    const name = `${of.group} ${of.kind}`;
    const since = this.#broken.get(name);
    // 410 Gone: the list that follows reports it.
    if (why.startsWith("410")) return [];
    const lines = this.#release();
    if (state === "failed" && since === undefined) {
      this.#broken.set(name, at);
      this.#brokenWatches++;
      return [...lines, { is: "watch broke", at, of, why }];
    }
    if (state !== "opened" || since === undefined) return lines;
    this.#broken.delete(name);
    return [...lines, { is: "watch is back", at, of, afterMs: at - since }];
  }
}

function isNews(delta: SeenDelta): boolean {
  return delta.detail.isNew || delta.detail.changes.length > 0;
}

function whyOf({ trigger }: EnqueueEvent): string {
  switch (trigger.cause) {
    case "requeue":
      return trigger.why;
    case "retry":
      return `retry after failure ${trigger.failures}`;
    case "other":
      return trigger.why;
    case "delta":
      return `${trigger.kind} ${trigger.key} ${trigger.type}`;
  }
}
