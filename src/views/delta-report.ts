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

/** A delta with its place in the stream of events. */
export type SeenDelta = DeltaEvent & EventHead;

/** A key that a controller put into its queue, and the queue right after that. */
export interface MadeKey {
  readonly at: number;
  readonly controller: string;
  readonly key: ObjectKey;
  /** Joined a key that waited already, or is worked on. */
  readonly merged: boolean;
  readonly inFlight: boolean;
  readonly delayMs: number | undefined;
  /** Triggers that now wait with the key, this one included. */
  readonly triggers: number;
  readonly queue: QueueState;
}

/** A line of `watch`; `shownLine` completes it. */
export type WatchLine =
  | {
      readonly is: "delta";
      readonly delta: SeenDelta;
      /** For each controller that was notified of it: the keys it enqueued, perhaps none. */
      readonly notified: readonly { readonly controller: string; readonly keys: readonly MadeKey[] }[];
    }
  /** A key that no delta that is held led to: a requeue, or a delta shown before; deltas that wait to be shown may be older than it. */
  | { readonly is: "key"; readonly made: MadeKey; readonly why: string; readonly isAfterOthers: boolean }
  /** A list took the place of what was known. */
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
  /** Set: deltas that no controller made a key of are shown only if this says so. */
  readonly wanted?: (delta: SeenDelta) => boolean;
  /** Of the controllers that are watched, those that are notified of this kind. */
  readonly controllersOf: (of: KindName) => readonly string[];
}

/** What was shown so far. Immutable. */
export interface DeltaSummary {
  readonly deltas: number;
  readonly byType: ReadonlyMap<DeltaType, number>;
  readonly keys: number;
  readonly relists: number;
  readonly brokenWatches: number;
}

/** How long a delta waits for its controllers at most. */
const patienceMs = 50;

interface Held {
  readonly delta: SeenDelta;
  /** Controllers that have not been notified yet. */
  readonly waitsFor: Set<string>;
  readonly keys: MadeKey[];
  readonly controllers: readonly string[];
}

/**
 * Returns lines in the order of the deltas. A delta that a controller is to be notified of is held until the controller has been,
 * or for 50 ms at most: call `flush` now and then. Without controllers nothing is held. What is not shown is not examined.
 */
export class DeltaReport {
  readonly gauges: QueueGauges = new QueueGauges();
  #options: DeltaReportOptions;
  #held = new Map<number, Held>();
  /** Deltas that were shown without waiting any longer; keys may still come of them. */
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

  /** The lines that are complete with this event. */
  accept(event: StageEvent): readonly WatchLine[] {
    this.gauges.accept(event);
    if (event.stage === "delta") return this.#delta(event);
    if (event.stage === "notify") return this.#notify(event);
    if (event.stage === "enqueue") return this.#enqueue(event);
    if (event.stage === "list") return this.#list(event);
    if (event.stage === "watch") return this.#watch(event);
    return [];
  }

  /** What has waited long enough, at `now` in ms since 1970; all of it at the end: `flush(Infinity)`. */
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
    // A relist brings every object; what it found unchanged is not shown.
    return delta.type !== "Replaced" || first || isNews(delta);
  }

  #notify({ delta, handler }: NotifyEvent): readonly WatchLine[] {
    // Its keys come right after it: whatever was complete before is so for good.
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

  /** Deltas at the head that every controller has been notified of. */
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
    if (list.error !== undefined) return [...lines, { is: "list failed", at: list.at, list, error: list.error }];
    if (list.why === "start") return lines;
    this.#relists++;
    return [...lines, { is: "relist", at: list.at, list }];
  }

  #watch({ at, state, of, why }: WatchEvent & EventHead): readonly WatchLine[] {
    const name = `${of.group} ${of.kind}`;
    const since = this.#broken.get(name);
    // The server no longer knows the version: the list that follows says so.
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
