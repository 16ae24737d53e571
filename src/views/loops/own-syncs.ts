/** Finds keys of our own controllers that keep triggering themselves, by their writes or by requeues that achieve nothing. */
import type { ObjectKey } from "../../api/key.ts";
import type { EventHead, GetEvent, LinkEvent, StageEvent, WriteEvent } from "../../trace/events.ts";
import { GenerationalCache } from "../../trace/generational-cache.ts";
import { observesSpecChange, FieldHistory } from "./field-history.ts";
import { minWrites, type LoopField, type LoopsOptions, type SelfTriggeredLoop, type RequeueLoop } from "./loop.ts";

/** At least this share of the syncs in a loop are triggered by the sync before. */
const nearlyAll = 0.8;
/** Syncs kept per key. */
const maxSyncs = 1000;
const maxKeys = 20_000;
/** With this many consecutive requeues, a key is no longer just waiting. */
const minRequeues = 20;
/** The minimum rate of a loop. A key requeued every few seconds is polling something that cannot be watched. */
const requeuesPerMinute = 60;
const minuteMs = 60_000;

interface KeyHistory {
  readonly controller: string;
  readonly key: ObjectKey;
  readonly firstAt: number;
  lastAt: number;
  syncs: number;
  /** For each sync, the `seq` of the deltas that triggered it; 0 for another trigger. */
  readonly wokenBy: number[][];
  readonly fields: Map<string, FieldHistory>;
  /** Consecutive syncs that were triggered only by the key's own requeue and wrote nothing. */
  requeued: { syncs: number; firstAt: number; lastAt: number; why: string } | undefined;
}

/** Accepts every event; `found` returns the loops so far. */
export class OwnSyncs {
  #options: Required<LoopsOptions>;
  #keys = new Map<string, KeyHistory>();
  #writes = new GenerationalCache<number, WriteEvent & EventHead>();
  /** The keys of the latest syncs, by controller and number. */
  #syncKeys = new GenerationalCache<string, ObjectKey>();
  /** By `seq` of a delta: the controller and key whose sync wrote it. */
  #ownDeltas = new GenerationalCache<number, string>();

  constructor(options: Required<LoopsOptions>) {
    this.#options = options;
  }

  accept(event: StageEvent): void {
    if (event.stage === "get") this.#get(event);
    else if (event.stage === "write") this.#write(event);
    else if (event.stage === "link") this.#link(event);
  }

  found(): readonly (SelfTriggeredLoop | RequeueLoop)[] {
    return [...this.#keys.values()].flatMap((history) => this.#ownLoop(history) ?? requeueLoop(history) ?? []);
  }

  /** What would be a loop of own writes if it had lasted: a field changed with each sync. */
  tooShort(): readonly SelfTriggeredLoop[] {
    return [...this.#keys.values()].flatMap((history) => {
      const loop = this.#ownLoop(history) === undefined ? this.#ownLoop(history, 0) : undefined;
      return loop === undefined || loop.fields.length === 0 ? [] : loop;
    });
  }

  #get({ controller, key, sync, at, triggers }: GetEvent & EventHead): void {
    this.#syncKeys.set(`${controller} ${sync}`, key);
    const name = `${controller} ${key}`;
    const history = this.#keys.get(name) ?? this.#follow(name, { controller, key, at });
    history.lastAt = at;
    history.syncs++;
    const all = [...triggers.first, ...triggers.last];
    // A sync with another trigger as well would have run anyway.
    history.wokenBy.push(all.map((trigger) => (trigger.cause === "delta" ? trigger.delta : 0)));
    if (history.wokenBy.length > maxSyncs) history.wokenBy.shift();
    const last = all.at(-1);
    if (last?.cause !== "requeue" || [...triggers.counts().keys()].some((cause) => cause !== "requeue")) {
      history.requeued = undefined;
      return;
    }
    const { syncs = 0, firstAt = at } = history.requeued ?? {};
    history.requeued = { syncs: syncs + 1, firstAt, lastAt: at, why: last.why };
  }

  #follow(name: string, { controller, key, at }: Pick<KeyHistory, "controller" | "key"> & { at: number }): KeyHistory {
    const history: KeyHistory = {
      controller,
      key,
      firstAt: at,
      lastAt: at,
      syncs: 0,
      wokenBy: [],
      fields: new Map(),
      requeued: undefined,
    };
    this.#keys.set(name, history);
    if (this.#keys.size > maxKeys) {
      const [oldest = ""] = this.#keys.keys();
      this.#keys.delete(oldest);
    }
    return history;
  }

  #write(event: WriteEvent & EventHead): void {
    this.#writes.set(event.seq, event);
    if (event.controller === undefined) return;
    const history = this.#keys.get(`${event.controller} ${this.#keyOf(event)}`);
    if (history !== undefined) history.requeued = undefined;
  }

  #link({ write, delta, at }: LinkEvent & EventHead): void {
    const event = this.#writes.get(write);
    if (event?.controller === undefined || delta === 0) return;
    const name = `${event.controller} ${this.#keyOf(event)}`;
    this.#ownDeltas.set(delta, name);
    const history = this.#keys.get(name);
    if (history === undefined) return;
    const isFirstObservation = observesSpecChange(event.changes);
    for (const change of event.changes) {
      if (change.path === ".metadata.generation") continue;
      const field = history.fields.get(change.path) ?? new FieldHistory(change.path);
      history.fields.set(change.path, field);
      field.add({ change, writer: event.fieldManager, at, write: history.syncs, isFirstObservation });
    }
  }

  /** The key of the sync that made the write. */
  #keyOf({ controller, sync, key }: WriteEvent): ObjectKey {
    return this.#syncKeys.get(`${controller} ${sync}`) ?? key;
  }

  #ownLoop(history: KeyHistory, minMs = this.#options.minMs): SelfTriggeredLoop | undefined {
    const { controller, key, syncs, firstAt, lastAt } = history;
    const { perMinute } = this.#options;
    const ms = lastAt - firstAt;
    if (syncs < minWrites || ms < minMs || (syncs - 1) * minuteMs <= perMinute * ms) return undefined;
    const name = `${controller} ${key}`;
    const isOwn = (deltas: readonly number[]): boolean =>
      deltas.length > 0 && deltas.every((delta) => this.#ownDeltas.get(delta) === name);
    const byOwnWrite = history.wokenBy.filter(isOwn).length;
    if (byOwnWrite < nearlyAll * (syncs - 1)) return undefined;
    const fields = [...history.fields.values()]
      .filter(({ changes }) => changes >= minWrites - 1)
      .sort((a, b) => b.changes - a.changes)
      .map(fieldOf);
    return { is: "own writes", controller, key, syncs, byOwnWrite, ms, lastAt, fields };
  }
}

function requeueLoop({ controller, key, requeued }: KeyHistory): RequeueLoop | undefined {
  if (requeued === undefined || requeued.syncs < minRequeues) return undefined;
  const { syncs, firstAt, lastAt, why } = requeued;
  const ms = lastAt - firstAt;
  if ((syncs - 1) * minuteMs < requeuesPerMinute * ms) return undefined;
  return { is: "requeued", controller, key, syncs, ms, lastAt, why };
}

function fieldOf({ path, changes, returns, values, shares }: FieldHistory): LoopField {
  const alternates = returns * 2 >= changes - 1;
  return {
    path,
    how: alternates ? "alternates" : "renewed",
    changes,
    returns: alternates ? returns : 0,
    values: [...values],
    writers: shares,
  };
}
