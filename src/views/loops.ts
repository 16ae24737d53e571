/**
 * Loops: objects that are rewritten again and again without getting anywhere. A fold over `delta` events, so it serves operators
 * in any language; for controllers of ours also over `get`, `write` and `link` events: syncs that their own writes wake.
 */
import type { FieldChange } from "../api/field-changes.ts";
import type { ObjectKey } from "../api/key.ts";
import type { DeltaEvent, EventHead, GetEvent, KindName, LinkEvent, StageEvent, WriteEvent } from "../trace/events.ts";
import { Recent } from "../trace/recent.ts";
import { isCounter } from "./field-interest.ts";
import { type FieldFlap, FieldHistory } from "./flap.ts";

/** An object that is rewritten in a loop. */
export interface RewriteLoop {
  readonly is: "rewritten";
  readonly of: KindName;
  readonly key: ObjectKey;
  /** Writes seen, and in how many ms from the first to the last. */
  readonly writes: number;
  readonly ms: number;
  /**
   * `alternates`: a field keeps coming back to values that it had before. `renewed`: the same fields get a new value each time, as a
   * time does. `empty`: nothing changes but the version.
   */
  readonly how: "alternates" | "renewed" | "empty";
  /** The fields that do it, the busiest first. */
  readonly fields: readonly FieldFlap[];
  /** Who wrote, as far as managedFields tell, the busiest first; `undefined` for the writes of which nobody can tell. */
  readonly writers: readonly { readonly name: string | undefined; readonly writes: number }[];
}

/** A key of a controller of ours whose syncs are woken by its own writes. */
export interface OwnLoop {
  readonly is: "own writes";
  readonly controller: string;
  readonly key: ObjectKey;
  readonly syncs: number;
  /** Of these, those that a write of the same key's earlier sync woke. */
  readonly byOwnWrite: number;
  readonly ms: number;
  /** The fields that those writes changed, the busiest first. */
  readonly fields: readonly FieldFlap[];
}

export type Loop = RewriteLoop | OwnLoop;

export interface LoopsOptions {
  /** An object that is written more often in a minute is looked at. */
  readonly perMinute: number;
  /** It has to go on for so long at least, in ms: a rollout is a burst. Default 5 s. */
  readonly leastMs?: number;
}

/** So many writes there have to be at least. */
const leastWrites = 6;
const leastMs = 5000;
const minuteMs = 60_000;
/** A loop's fields change in nearly every write. */
const nearlyAll = 0.8;
/** Fields of one object that are followed; an object with more is changing in earnest. */
const mostFields = 64;
/** Objects that changed lately are remembered, the others forgotten. */
const mostObjects = 20_000;

class ObjectHistory {
  readonly of: KindName;
  readonly key: ObjectKey;
  readonly uid: string;
  readonly firstAt: number;
  lastAt: number;
  writes = 0;
  empty = 0;
  /** Writes since something else was asked for. */
  settling = 0;
  readonly writers = new Map<string | undefined, number>();
  readonly fields = new Map<string, FieldHistory>();

  constructor({ of, key, uid, receivedAt }: DeltaEvent) {
    this.of = of;
    this.key = key;
    this.uid = uid;
    this.firstAt = receivedAt;
    this.lastAt = receivedAt;
  }

  add({ detail, receivedAt }: DeltaEvent): void {
    if (detail.changes.length > 0 && detail.changes.every(isElection)) return;
    this.writes++;
    this.lastAt = receivedAt;
    this.writers.set(detail.writer, (this.writers.get(detail.writer) ?? 0) + 1);
    const changes = detail.changes.filter(isOwnWill);
    if (changes.length === 0 && !detail.isNew) this.empty++;
    if (changes.some(({ path }) => isAskedFor(path))) this.#begin();
    else this.settling++;
    addChanges(this.fields, changes, detail.writer);
  }

  /** Something else is asked for: what follows in the status is an answer to that, and is looked at anew. */
  #begin(): void {
    this.settling = 0;
    for (const path of this.fields.keys()) if (!isAskedFor(path)) this.fields.delete(path);
  }
}

/** What somebody asks for, as against what comes of it. */
function isAskedFor(path: string): boolean {
  return !path.startsWith(".status") && !path.startsWith(".metadata");
}

function addChanges(
  fields: Map<string, FieldHistory>,
  changes: readonly FieldChange[],
  writer: string | undefined,
): void {
  for (const { path, before, after } of changes) {
    let field = fields.get(path);
    if (field === undefined) {
      if (fields.size >= mostFields) continue;
      field = new FieldHistory(path);
      fields.set(path, field);
    }
    field.add(before, after, writer);
  }
}

/** What a writer chose: the generation goes up by itself. */
function isOwnWill({ path }: FieldChange): boolean {
  return path !== ".metadata.generation";
}

/** An election's record on a ConfigMap or an Endpoints: renewed every few seconds, by design. */
function isElection({ path }: FieldChange): boolean {
  return path.includes('["control-plane.alpha.kubernetes.io/leader"]');
}

interface KeyHistory {
  readonly controller: string;
  readonly key: ObjectKey;
  readonly firstAt: number;
  lastAt: number;
  syncs: number;
  /** For each sync the deltas that woke it. */
  readonly wokenBy: number[][];
  readonly fields: Map<string, FieldHistory>;
}

/** Syncs of one key that are remembered. */
const mostSyncs = 1000;

/** Give it every event; ask it for the loops at any time. */
export class Loops {
  #options: LoopsOptions;
  #objects = new Map<string, ObjectHistory>();
  #keys = new Map<string, KeyHistory>();
  #writes = new Recent<number, WriteEvent & EventHead>();
  /** The keys of the latest syncs, by controller and number. */
  #syncKeys = new Recent<string, ObjectKey>();
  /** Deltas, and the key whose sync wrote them. */
  #ownDeltas = new Recent<number, string>();

  constructor(options: LoopsOptions) {
    this.#options = options;
  }

  /** Objects that are followed. */
  get size(): number {
    return this.#objects.size;
  }

  accept(event: StageEvent): void {
    if (event.stage === "delta") this.#delta(event);
    else if (event.stage === "get") this.#get(event);
    else if (event.stage === "write") this.#writes.set(event.seq, event);
    else if (event.stage === "link") this.#link(event);
  }

  /** The loops so far, the busiest first. */
  found(): readonly Loop[] {
    const rewritten = [...this.#objects.values()].map((history) => this.#rewriteLoop(history));
    const own = [...this.#keys.values()].map((history) => this.#ownLoop(history));
    return [...rewritten, ...own].filter((loop) => loop !== undefined).sort((a, b) => rateOf(b) - rateOf(a));
  }

  /** Objects that were rewritten as often, and get somewhere: a rollout does that. */
  busy(): number {
    let count = 0;
    for (const history of this.#objects.values()) {
      if (this.#isBusy(history) && this.#rewriteLoop(history) === undefined) count++;
    }
    return count;
  }

  #delta(delta: DeltaEvent): void {
    const name = `${delta.of.group} ${delta.of.kind} ${delta.key}`;
    // What a list does not show any more may just not have changed since.
    if (delta.type === "Deleted" && delta.tombstone !== true) this.#objects.delete(name);
    if (delta.type !== "Updated") return;
    let history = this.#objects.get(name);
    if (history === undefined || history.uid !== delta.uid) history = new ObjectHistory(delta);
    // The latest stand last, so that those in front are the first to be forgotten.
    this.#objects.delete(name);
    this.#objects.set(name, history);
    history.add(delta);
    if (this.#objects.size <= mostObjects) return;
    const [oldest = ""] = this.#objects.keys();
    this.#objects.delete(oldest);
  }

  #isBusy({ writes, firstAt, lastAt }: ObjectHistory | (KeyHistory & { readonly writes: number })): boolean {
    const { perMinute, leastMs: least = leastMs } = this.#options;
    const ms = lastAt - firstAt;
    return writes >= leastWrites && ms >= least && (writes - 1) * minuteMs > perMinute * ms;
  }

  #rewriteLoop(history: ObjectHistory): RewriteLoop | undefined {
    if (!this.#isBusy(history)) return undefined;
    const { of, key, writes, firstAt, lastAt } = history;
    const fields = [...history.fields.values()];
    const alternating = fields.filter(({ changes, returns }) => changes >= leastWrites / 2 && returns >= changes / 2);
    const often = (field: FieldHistory): number => (isAskedFor(field.path) ? writes : history.settling) - 1;
    const renewed = fields.filter((field) => field.changes >= Math.max(nearlyAll * often(field), leastWrites - 1));
    const how = howOf(history, { fields, alternating, renewed });
    if (how === undefined) return undefined;
    const shown = how === "alternates" ? alternating : how === "renewed" ? renewed : [];
    return {
      is: "rewritten",
      of,
      key,
      writes,
      ms: lastAt - firstAt,
      how,
      fields: busiest(shown),
      writers: [...history.writers]
        .map(([name, count]) => ({ name, writes: count }))
        .sort((a, b) => b.writes - a.writes),
    };
  }

  #get({ controller, key, sync, at, triggers }: GetEvent & EventHead): void {
    this.#syncKeys.set(`${controller} ${sync}`, key);
    const name = `${controller} ${key}`;
    let history = this.#keys.get(name);
    if (history === undefined) {
      history = { controller, key, firstAt: at, lastAt: at, syncs: 0, wokenBy: [], fields: new Map() };
      this.#keys.set(name, history);
      if (this.#keys.size > mostObjects) {
        const [oldest = ""] = this.#keys.keys();
        this.#keys.delete(oldest);
      }
    }
    history.lastAt = at;
    history.syncs++;
    const all = [...triggers.first, ...triggers.last];
    // A sync that something else woke as well would have come anyway.
    history.wokenBy.push(all.flatMap((trigger) => (trigger.cause === "delta" ? [trigger.delta] : [0])));
    if (history.wokenBy.length > mostSyncs) history.wokenBy.shift();
  }

  #link({ write, delta }: LinkEvent): void {
    const event = this.#writes.get(write);
    if (event?.controller === undefined || delta === 0) return;
    const name = `${event.controller} ${this.#keyOf(event)}`;
    this.#ownDeltas.set(delta, name);
    const history = this.#keys.get(name);
    if (history !== undefined) addChanges(history.fields, event.changes.filter(isOwnWill), event.fieldManager);
  }

  /** The key of the sync that made the write. */
  #keyOf({ controller, sync, key }: WriteEvent): ObjectKey {
    return this.#syncKeys.get(`${controller} ${sync}`) ?? key;
  }

  #ownLoop(history: KeyHistory): OwnLoop | undefined {
    const { controller, key, syncs, firstAt, lastAt } = history;
    const name = `${controller} ${key}`;
    const isOwn = (deltas: readonly number[]): boolean =>
      deltas.length > 0 && deltas.every((delta) => this.#ownDeltas.get(delta) === name);
    const byOwnWrite = history.wokenBy.filter(isOwn).length;
    if (!this.#isBusy({ ...history, writes: syncs }) || byOwnWrite < nearlyAll * (syncs - 1)) return undefined;
    const fields = busiest([...history.fields.values()].filter(({ changes }) => changes >= leastWrites - 1));
    return { is: "own writes", controller, key, syncs, byOwnWrite, ms: lastAt - firstAt, fields };
  }
}

interface Fields {
  readonly fields: readonly FieldHistory[];
  readonly alternating: readonly FieldHistory[];
  readonly renewed: readonly FieldHistory[];
}

function howOf(
  { writes, empty }: ObjectHistory,
  { fields, alternating, renewed }: Fields,
): RewriteLoop["how"] | undefined {
  if (empty >= nearlyAll * (writes - 1)) return "empty";
  const getsOn = fields.some((field) => field.getsOn && !isCounter(field.path));
  // While a rollout gets on, its counts go up and down; what is asked for does not.
  if (alternating.some(({ path }) => !getsOn || !path.startsWith(".status"))) return "alternates";
  return renewed.length > 0 && !getsOn ? "renewed" : undefined;
}

function busiest(fields: readonly FieldHistory[]): readonly FieldFlap[] {
  return [...fields]
    .sort((a, b) => b.changes - a.changes)
    .map(({ path, changes, returns, values, writers }) => ({
      path,
      changes,
      returns,
      values: [...values],
      writers: [...writers],
    }));
}

/** Writes or syncs a millisecond. */
function rateOf(loop: Loop): number {
  return (loop.is === "rewritten" ? loop.writes : loop.syncs) / Math.max(loop.ms, 1);
}
