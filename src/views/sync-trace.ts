/** Builds the blocks of `trace`, one for each sync. A fold over stage events. */
import type { ObjectKey } from "../api/key.ts";
import type {
  AgreementEvent,
  DoneEvent,
  EnqueueEvent,
  EventHead,
  GetEvent,
  IntentionEvent,
  LinkEvent,
  Stage,
  StageEvent,
  WriteEvent,
} from "../trace/events.ts";
import { GenerationalCache } from "../trace/generational-cache.ts";
import { blockOf, causeOf, type EndedSync, type KnownEffects, type OpenSync, withOrigin } from "./block-of-sync.ts";
import { DeltaMemory } from "./delta-memory.ts";
import type { BlockCause, Origin, SyncBlock, SyncName } from "./sync-block.ts";

/** An event with its `seq` and time. */
type Stamped<T> = T & EventHead;

/** The stages that the screen of a trace and its report need. */
export const tracedStages: readonly Stage[] = [
  "list",
  "watch",
  "delta",
  "enqueue",
  "get",
  "decision",
  "event",
  "write",
  "link",
  "intention",
  "agreement",
  "done",
];

/** An origin has at most this many steps. */
const maxOriginSteps = 20;

/** Options of a `SyncTrace`. */
export interface SyncTraceOptions {
  /**
   * How long a block with writes is held back after its sync, in ms, so that it can include the deltas that its writes caused and the
   * keys that these enqueued.
   */
  readonly holdMs: number;
}

/**
 * Turns events into blocks: `accept` returns those that are complete, in the order in which the syncs ended. A block with writes is held
 * back until their effects are seen: call `release` at `heldUntil`.
 */
export class SyncTrace {
  readonly deltas: DeltaMemory = new DeltaMemory();
  #holdMs: number;
  #open = new Map<string, OpenSync>();
  /** Finished syncs whose blocks are held back, in the order in which they ended. */
  #held: EndedSync[] = [];
  /** The sync that made a write, by the write's `seq`; kept until its delta is linked. */
  #writers = new GenerationalCache<number, SyncName>();
  /** By controller and key: when the backoff of a failed key ends. */
  #backoff = new Map<string, number>();
  /** By number of the intention: the sync that first had it, and its outcome. */
  #intentions = new GenerationalCache<number, { readonly by: SyncName; agreement?: AgreementEvent }>();

  /** The first cause of each recent sync, to follow origins. */
  #firstCauses = new GenerationalCache<string, BlockCause>();
  #known: KnownEffects = {
    deltas: this.deltas,
    agreementOf: (intention) => this.#intentions.get(intention)?.agreement,
  };

  constructor(options: SyncTraceOptions) {
    this.#holdMs = options.holdMs;
  }

  accept(event: StageEvent): readonly SyncBlock[] {
    switch (event.stage) {
      case "delta":
        this.deltas.add(event);
        break;
      case "enqueue":
        this.#enqueue(event);
        break;
      case "get":
        this.#get(event);
        break;
      case "decision":
        this.#open.get(nameOf(event))?.decisions.push(event);
        break;
      case "event":
        this.#open.get(nameOf(event))?.recorded.push(event);
        break;
      case "write":
        this.#write(event);
        break;
      case "link":
        this.#link(event);
        break;
      case "intention":
        this.#intention(event);
        break;
      case "agreement":
        this.#agreement(event);
        break;
      case "done":
        this.#done(event);
        break;
      case "list":
      case "watch":
      case "store":
      case "notify":
      case "request":
      case "cause":
      case "unread":
        return [];
    }
    return this.release(event.at);
  }

  /** When the first held block is due, in ms since 1970; undefined if none is held. */
  get heldUntil(): number | undefined {
    const [first] = this.#held;
    return first === undefined ? undefined : this.#dueAt(first);
  }

  /** Returns the blocks that are due at `now`, in ms since 1970; `Infinity` for all. */
  release(now: number): readonly SyncBlock[] {
    const blocks: SyncBlock[] = [];
    for (let [first] = this.#held; first !== undefined && this.#dueAt(first) <= now; [first] = this.#held) {
      this.#held.shift();
      blocks.push(blockOf(first, this.#known));
    }
    return blocks;
  }

  /** Whether the block of a sync has not been returned yet. */
  isPending(sync: SyncName): boolean {
    return this.#open.has(nameOf(sync)) || this.#held.some(({ get }) => nameOf(get) === nameOf(sync));
  }

  /** Follows causes back from a sync: its first trigger, the sync that caused that, and so on. */
  originOf(sync: SyncName): Origin {
    const steps: SyncName[] = [];
    let at = sync;
    for (;;) {
      const first = this.#firstCauses.get(nameOf(at));
      const cause = first === undefined ? undefined : withOrigin(first, this.deltas);
      const by = cause?.is === "delta" ? cause.by : retriedBy(cause, at);
      if (by === undefined || steps.length >= maxOriginSteps) return { steps, first: cause };
      steps.push(by);
      at = by;
    }
  }

  #dueAt({ done, writes, intentions }: EndedSync): number {
    const doneAt = done.at;
    if (writes.length === 0) return doneAt;
    const settled =
      intentions.size > 0 &&
      [...intentions.values()].every(({ intention }) => this.#known.agreementOf(intention) !== undefined);
    return settled ? doneAt : doneAt + this.#holdMs;
  }

  #enqueue({ controller, key, trigger, delayMs }: EnqueueEvent): void {
    if (trigger.cause === "delta" && delayMs === undefined) this.deltas.woke(trigger.delta, { controller, key });
  }

  #get(event: Stamped<GetEvent>): void {
    const { controller, key, sync, triggers } = event;
    const known = [...triggers.first, ...triggers.last];
    for (const trigger of known) {
      if (trigger.cause === "delta") this.deltas.taken(trigger.delta, { controller, key, sync });
    }
    const until = this.#backoff.get(queueKey(controller, key));
    if (until !== undefined && until <= event.at) this.#backoff.delete(queueKey(controller, key));
    const retried = known.some(({ cause }) => cause === "retry");
    const causes = known.map((trigger) => causeOf(trigger, this.deltas));
    const [first] = causes;
    if (first !== undefined) this.#firstCauses.set(nameOf(event), first);
    this.#open.set(nameOf(event), {
      get: event,
      causes,
      inBackoffUntil: until !== undefined && until > event.at && !retried ? until : undefined,
      decisions: [],
      recorded: [],
      writes: [],
      intentions: new Map(),
      caused: [],
    });
  }

  #write(event: Stamped<WriteEvent>): void {
    // The text of an Event is already in the block.
    if (event.controller === undefined || event.sync === undefined || event.of.kind === "Event") return;
    const name = { controller: event.controller, sync: event.sync };
    this.#open.get(nameOf(name))?.writes.push(event);
    if (event.error === undefined && event.wouldBe !== true) this.#writers.set(event.seq, name);
  }

  #link({ write, delta, by }: LinkEvent): void {
    const name = this.#writers.get(write);
    if (name === undefined) return;
    if (by !== "superseded") this.#recordCaused(delta, name);
  }

  #recordCaused(delta: number, name: SyncName): void {
    this.deltas.link(delta, name);
    const open = this.#open.get(nameOf(name)) ?? this.#held.find(({ get }) => nameOf(get) === nameOf(name));
    open?.caused.push(delta);
  }

  #intention(event: Stamped<IntentionEvent>): void {
    const { controller, sync, intention } = event;
    const known = this.#intentions.get(intention) ?? { by: { controller, sync } };
    this.#intentions.set(intention, known);
    const { verb, target } = event;
    this.#open.get(nameOf(event))?.intentions.set(`${verb} ${target}`, { ...event, since: known.by.sync });
  }

  #agreement(event: Stamped<AgreementEvent>): void {
    const known = event.intention === undefined ? undefined : this.#intentions.get(event.intention);
    if (known === undefined) return;
    known.agreement = event;
    if (event.is === "same" && event.delta !== undefined) this.#recordCaused(event.delta, known.by);
  }

  #done(event: Stamped<DoneEvent>): void {
    const { controller, key, outcome, at } = event;
    if (outcome.is === "rate-limited") this.#backoff.set(queueKey(controller, key), at + outcome.delayMs);
    else this.#backoff.delete(queueKey(controller, key));
    const open = this.#open.get(nameOf(event));
    if (open === undefined) return;
    this.#open.delete(nameOf(event));
    this.#held.push({ ...open, done: event });
  }
}

/** A retry or requeue is caused by an earlier sync of the same key. */
function retriedBy(cause: BlockCause | undefined, { controller, sync }: SyncName): SyncName | undefined {
  if (cause?.is !== "other" || cause.trigger.cause === "other" || cause.trigger.sync === 0) return undefined;
  return cause.trigger.sync === sync ? undefined : { controller, sync: cause.trigger.sync };
}

function nameOf({ controller, sync }: SyncName): string {
  return `${controller} ${sync}`;
}

function queueKey(controller: string, key: ObjectKey): string {
  return `${controller} ${key}`;
}
