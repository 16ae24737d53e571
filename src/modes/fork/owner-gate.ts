/**
 * Keeps a process in the fork in step with a copy of it that runs on the cluster. Both see a change at the same time. The copy's writes
 * arrive within milliseconds, and would leave the process nothing to do. So changes by the field managers of the process are held back for
 * a while, or until the process has written the same object.
 *
 * Not every change shows its writer. A change that only removed fields may be the copy's if the copy writes that object: it is held, but
 * not reported as missed with certainty; the same goes for the removal of an object with finalizers. Any other deletion of an object with
 * a controller is taken as the copy's, unless the garbage collector deletes it with its owner, nothing that the copy could have reacted to
 * has happened for a while, or the object is recreated at once.
 */
import { compactManagedFields, fieldManagerOfChange } from "../../api/field-manager.ts";
import type { ObjectKey } from "../../api/key.ts";
import type { StoredObject } from "../../api/object.ts";
import type { ObjectDelta } from "../../cache/delta-queue.ts";
import type { Cancel, Timeline } from "../../platform/timeline.ts";
import type { KindName } from "../../trace/names.ts";
import { GenerationalCache } from "../../trace/generational-cache.ts";
import type { CopiesSink, DivergedChange } from "./copies.ts";
import type { Divergence, WrittenState } from "./divergences.ts";
import { generatedAs } from "./generated.ts";

/** A write of the copy that the process did not make in time. */
export interface Missed {
  /** `unknown`: it may be the write of another client. */
  readonly by: "copy" | "unknown";
  readonly of: KindName;
  readonly key: ObjectKey;
  readonly before: StoredObject | undefined;
  /** Undefined if the object was deleted, at once or with a grace period. */
  readonly live: StoredObject | undefined;
  readonly at: number;
}

/** Options of an `OwnerGate`. */
export interface OwnerGateOptions {
  readonly timeline: Timeline;
  /** A change is held this long after it arrived, and after the last request of the process. Default 1 s. */
  readonly holdMs?: number;
  /** The maximum time for which a change is held. Default 10 s. */
  readonly maxHeldMs?: number;
  readonly onMissed: (missed: Missed) => void;
}

/** A collection behind the gate. */
export interface Gated {
  readonly of: KindName;
  readonly sink: CopiesSink;
  /** The object in the fork. */
  readonly here: (key: ObjectKey) => StoredObject | undefined;
  /** Whether the process has written the changed object. */
  readonly stateOf: (change: DivergedChange) => WrittenState;
}

const defaultHoldMs = 1000;
const defaultMaxHeldMs = 10_000;

interface HeldKey {
  /** The process has written the object too: it is released in the next turn. */
  isMatched: boolean;
  readonly since: number;
  readonly changes: PendingChange[];
  cancel: Cancel;
  /** The first change by the copy, which is reported as missed when the time is over. */
  readonly first: Omit<Missed, "at">;
}

/** A change with the function that lets it through. */
interface PendingChange {
  readonly pass: () => void;
  /** Whether the process has written the object by now. */
  readonly state: () => WrittenState;
}

/** A change that may be held. */
type ArrivedChange = Omit<Missed, "at" | "by">;

/** At least this many deleted owners are remembered. */
const maxGone = 20_000;

/** The gate, shared by all collections of a fork. */
export class OwnerGate {
  readonly #options: OwnerGateOptions;
  readonly #managers = new Set<string>();
  readonly #held = new Map<string, HeldKey>();
  #isOpen = false;
  #inFlight = 0;
  #lastRequestAt = -Infinity;
  /** When a change last arrived that the copy may react to. */
  #lastCauseAt = -Infinity;
  /** The uids of objects whose dependents the garbage collector now deletes. */
  readonly #gone = new GenerationalCache<string, true>(maxGone);

  constructor(options: OwnerGateOptions) {
    this.#options = options;
  }

  /** The number of objects with held changes. */
  get held(): number {
    return this.#held.size;
  }

  /** Records a field manager of the process: writes by it on the cluster are the copy's. */
  learn(manager: string): void {
    if (manager !== "") this.#managers.add(manager);
  }

  /** Records a request of the process other than a watch. The process counts as busy until the returned function is called. */
  requested(): () => void {
    const { timeline } = this.#options;
    this.#inFlight++;
    return () => {
      this.#inFlight--;
      this.#lastRequestAt = timeline.now();
    };
  }

  /** Puts the gate in front of a sink. */
  around({ of, sink, here, stateOf }: Gated): CopiesSink {
    return {
      ...sink,
      put: (delta) => {
        const { key, type, object } = delta;
        const before = here(key);
        const live = type === "Deleted" || deletionBegins(before, object) ? undefined : object;
        if (isGone(delta)) this.#gone.set(object.metadata.uid, true);
        const state = (): WrittenState => stateOf({ key, live: type === "Deleted" ? undefined : object });
        const pass = (): void => sink.put(delta);
        if (!this.#held.has(nameOf(of, key)) && state() === "comparable") pass();
        else this.#admit({ of, key, before, live }, { pass, state });
      },
    };
  }

  /** Called when the process has written an object: releases the held changes of it once the write is over, so that they can be compared. */
  written({ of, key, base, here }: Pick<Divergence, "of" | "key" | "base" | "here">): void {
    const own = nameOf(of, key);
    const name = this.#held.has(own) || here === undefined || base !== undefined ? own : this.#heldTwin(of, here);
    const held = name === undefined ? undefined : this.#held.get(name);
    if (name === undefined || held === undefined) return;
    held.isMatched = true;
    this.#options.timeline.after(0, "fork in step", () => this.#release(name, "matched"));
  }

  /** The first held object that corresponds to this one under another generated name. */
  #heldTwin(of: KindName, here: StoredObject): string | undefined {
    const generated = generatedAs(here);
    if (generated === undefined) return undefined;
    for (const [name, { first, isMatched }] of this.#held) {
      if (isMatched || first.live === undefined || nameOf(of, first.key) !== name) continue;
      if (generatedAs(first.live) === generated) return name;
    }
    return undefined;
  }

  /** Releases all held changes, and holds none from now on. */
  open(): void {
    this.#isOpen = true;
    for (const name of this.#held.keys()) this.#release(name, "opened");
  }

  #admit(arrived: ArrivedChange, pending: PendingChange): void {
    const change = this.#afterDeletion(arrived);
    const name = nameOf(change.of, change.key);
    const held = this.#held.get(name);
    if (held !== undefined) held.changes.push(pending);
    else {
      const by = this.#isOpen ? "other" : this.#writerOf(change);
      if (by === "other") this.#pass(change, pending);
      else this.#hold({ ...change, by }, pending);
    }
  }

  #pass({ live }: ArrivedChange, { pass }: PendingChange): void {
    if (live !== undefined) this.#lastCauseAt = this.#options.timeline.now();
    pass();
  }

  #hold(first: HeldKey["first"], pending: PendingChange): void {
    const name = nameOf(first.of, first.key);
    const { timeline, holdMs = defaultHoldMs } = this.#options;
    this.#held.set(name, {
      isMatched: false,
      since: timeline.now(),
      changes: [pending],
      cancel: this.#checkAfter(holdMs, name),
      first,
    });
  }

  /** An object that is recreated at once was not deleted by the copy: its deletion is released, so that the process sees it. */
  #afterDeletion(change: ArrivedChange): ArrivedChange {
    const { of, key, live } = change;
    if (live === undefined) return change;
    const own = nameOf(of, key);
    const isDeletion = (held: HeldKey | undefined): boolean =>
      held !== undefined && !held.isMatched && held.first.live === undefined && held.changes.length === 1;
    if (isDeletion(this.#held.get(own))) {
      this.#release(own, "not the copy's");
      return { ...change, before: undefined };
    }
    const generated = change.before === undefined ? generatedAs(live) : undefined;
    if (generated === undefined) return change;
    for (const [name, held] of this.#held) {
      const { first } = held;
      if (!isDeletion(held) || first.before === undefined || nameOf(of, first.key) !== name) continue;
      if (generatedAs(first.before) !== generated) continue;
      this.#release(name, "not the copy's");
      break;
    }
    return change;
  }

  #checkAfter(ms: number, name: string): Cancel {
    return this.#options.timeline.after(ms, "fork in step", () => this.#check(name));
  }

  /** Releases a held object if its time is over. */
  #check(name: string): void {
    const { timeline, holdMs = defaultHoldMs, maxHeldMs = defaultMaxHeldMs } = this.#options;
    const held = this.#held.get(name);
    if (held === undefined) return;
    const now = timeline.now();
    const restsAt = this.#inFlight > 0 ? now + holdMs : this.#lastRequestAt + holdMs;
    const until = Math.min(restsAt, held.since + maxHeldMs);
    if (until <= now) this.#release(name, "missed");
    else held.cancel = this.#checkAfter(until - now, name);
  }

  #release(name: string, why: "matched" | "missed" | "opened" | "not the copy's"): void {
    const held = this.#held.get(name);
    if (held === undefined) return;
    this.#held.delete(name);
    held.cancel();
    // Not missed if the process had written the object before the change came: then the two are compared.
    const isMissed = why === "missed" && held.changes[0]?.state() === "untouched";
    if (isMissed) this.#options.onMissed({ ...held.first, at: this.#options.timeline.now() });
    for (const { pass } of held.changes) pass();
    this.#lastCauseAt = this.#options.timeline.now();
  }

  #writerOf({ before, live }: ArrivedChange): Missed["by"] | "other" {
    if (live === undefined) return this.#deleterOf(before);
    const manager = fieldManagerOfChange({
      before,
      managedBefore: before && compactManagedFields(before.metadata.managedFields ?? []),
      after: live,
      managedAfter: live.metadata.managedFields ?? [],
    });
    if (manager !== undefined) return this.#managers.has(manager) ? "copy" : "other";
    return this.#isWrittenByCopy(before) || this.#isWrittenByCopy(live) ? "unknown" : "other";
  }

  #isWrittenByCopy(object: StoredObject | undefined): boolean {
    return object?.metadata.managedFields?.some(({ manager = "" }) => this.#managers.has(manager)) === true;
  }

  /** Guesses who deleted an object, since the object does not record it. */
  #deleterOf(before: StoredObject | undefined): Missed["by"] | "other" {
    const { deletionTimestamp, finalizers = [] } = before?.metadata ?? {};
    if (deletionTimestamp !== undefined && finalizers.length > 0)
      return this.#isWrittenByCopy(before) ? "unknown" : "other";
    const controller = before?.metadata.ownerReferences?.find((reference) => reference.controller === true);
    if (controller === undefined || this.#gone.get(controller.uid) !== undefined) return "other";
    const { timeline, holdMs = defaultHoldMs } = this.#options;
    const lastAt = Math.max(this.#lastCauseAt, this.#lastRequestAt);
    return this.#inFlight === 0 && timeline.now() - lastAt > holdMs ? "other" : "copy";
  }
}

/** Whether the garbage collector deletes the dependents: the owner is removed, or waits for them. */
function isGone({ type, object }: ObjectDelta<StoredObject>): boolean {
  const { deletionTimestamp, finalizers = [] } = object.metadata;
  return type === "Deleted" || (deletionTimestamp !== undefined && finalizers.includes("foregroundDeletion"));
}

function deletionBegins(before: StoredObject | undefined, after: StoredObject): boolean {
  return before?.metadata.deletionTimestamp === undefined && after.metadata.deletionTimestamp !== undefined;
}

function nameOf({ group, kind }: KindName, key: ObjectKey): string {
  return `${group}/${kind} ${key}`;
}
