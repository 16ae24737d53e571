/**
 * Keeps a process in step with a copy of it that is at work on the cluster. Both see a change at the same time; what the other one then
 * writes comes back within milliseconds, and would leave the process nothing to do. So changes by the managers that the process itself
 * writes as are held back for a while, or until the process has written the same object.
 *
 * Not every change shows who made it. One that only removed fields may be the copy's where the copy writes that object: it is held, and
 * nothing is said of it if the process does not do the same; so is the end of an object that was kept by finalizers. Any other deletion
 * counts as the copy's where the object has a controller, unless the garbage collector deletes it with that, nothing has happened for a
 * while that the copy could have reacted to, or the copy creates the object again at once.
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

/** What the other copy did and the process did not, within the time that it had. */
export interface Missed {
  /** Unknown: it may have been somebody else. */
  readonly by: "copy" | "unknown";
  readonly of: KindName;
  readonly key: ObjectKey;
  readonly before: StoredObject | undefined;
  /** Undefined: it deleted the object, at once or with a grace period. */
  readonly live: StoredObject | undefined;
  readonly at: number;
}

/** How long changes are held, and who hears of those that the process did not make. */
export interface OwnerGateOptions {
  readonly timeline: Timeline;
  /** So long after the process has last asked for anything, and after the change. Default 1 s. */
  readonly holdMs?: number;
  /** In all, for a process that never rests. Default 10 s. */
  readonly mostHeldMs?: number;
  readonly onMissed: (missed: Missed) => void;
}

/** A collection that passes the gate. */
export interface Gated {
  readonly of: KindName;
  readonly sink: CopiesSink;
  /** The object as it is in the fork. */
  readonly here: (key: ObjectKey) => StoredObject | undefined;
  /** Whether the process has written the object that changes. */
  readonly stateOf: (change: DivergedChange) => WrittenState;
}

const defaultHoldMs = 1000;
const defaultMostHeldMs = 10_000;

interface HeldKey {
  /** The process has done the same: it is let through in the next turn. */
  isMatched: boolean;
  readonly since: number;
  readonly changes: Passing[];
  cancel: Cancel;
  /** The first change that is the other copy's: it is missed when the time is over. */
  readonly first: Omit<Missed, "at">;
}

/** Lets a change through. */
interface Passing {
  readonly pass: () => void;
  /** Whether the process has written the object by now. */
  readonly state: () => WrittenState;
}

/** A change that may be held. */
type Arrived = Omit<Missed, "at" | "by">;

/** Owners that are known to be gone, at least. */
const mostGone = 20_000;

/** One for all collections of a fork. */
export class OwnerGate {
  readonly #options: OwnerGateOptions;
  readonly #managers = new Set<string>();
  readonly #held = new Map<string, HeldKey>();
  #isOpen = false;
  #inFlight = 0;
  #lastRequestAt = -Infinity;
  /** When something last came in that the copy may react to. */
  #lastCauseAt = -Infinity;
  /** The uids of objects whose dependents the garbage collector deletes. */
  readonly #gone = new GenerationalCache<string, true>(mostGone);

  constructor(options: OwnerGateOptions) {
    this.#options = options;
  }

  /** How many objects are held. */
  get held(): number {
    return this.#held.size;
  }

  /** The process writes as this manager: what the cluster has of it is the other copy's. */
  learn(manager: string): void {
    if (manager !== "") this.#managers.add(manager);
  }

  /** The process has sent a request, other than a watch: it is at work until that is answered. Returns what to call then. */
  requested(): () => void {
    const { timeline } = this.#options;
    this.#inFlight++;
    return () => {
      this.#inFlight--;
      this.#lastRequestAt = timeline.now();
    };
  }

  /** The sink behind the gate. */
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

  /** The process has written an object: what is held of it can be compared, once the write is over. */
  written({ of, key, base, here }: Pick<Divergence, "of" | "key" | "base" | "here">): void {
    const own = nameOf(of, key);
    const name = this.#held.has(own) || here === undefined || base !== undefined ? own : this.#heldTwin(of, here);
    const held = name === undefined ? undefined : this.#held.get(name);
    if (name === undefined || held === undefined) return;
    held.isMatched = true;
    this.#options.timeline.after(0, "fork in step", () => this.#release(name, "matched"));
  }

  /** The first that is held of those that are the same under another generated name. */
  #heldTwin(of: KindName, here: StoredObject): string | undefined {
    const generated = generatedAs(here);
    if (generated === undefined) return undefined;
    for (const [name, { first, isMatched }] of this.#held) {
      if (isMatched || first.live === undefined || nameOf(of, first.key) !== name) continue;
      if (generatedAs(first.live) === generated) return name;
    }
    return undefined;
  }

  /** Lets everything through from now on. */
  open(): void {
    this.#isOpen = true;
    for (const name of this.#held.keys()) this.#release(name, "opened");
  }

  #admit(arrived: Arrived, passing: Passing): void {
    const change = this.#afterDeletion(arrived);
    const name = nameOf(change.of, change.key);
    const held = this.#held.get(name);
    if (held !== undefined) held.changes.push(passing);
    else {
      const by = this.#isOpen ? "other" : this.#writerOf(change);
      if (by === "other") this.#pass(change, passing);
      else this.#hold({ ...change, by }, passing);
    }
  }

  #pass({ live }: Arrived, { pass }: Passing): void {
    if (live !== undefined) this.#lastCauseAt = this.#options.timeline.now();
    pass();
  }

  #hold(first: HeldKey["first"], passing: Passing): void {
    const name = nameOf(first.of, first.key);
    const { timeline, holdMs = defaultHoldMs } = this.#options;
    this.#held.set(name, {
      isMatched: false,
      since: timeline.now(),
      changes: [passing],
      cancel: this.#lookAfter(holdMs, name),
      first,
    });
  }

  /** What is created again at once was deleted by somebody else: the process is to see that. */
  #afterDeletion(change: Arrived): Arrived {
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

  #lookAfter(ms: number, name: string): Cancel {
    return this.#options.timeline.after(ms, "fork in step", () => this.#look(name));
  }

  /** Whether a held change has been held for long enough. */
  #look(name: string): void {
    const { timeline, holdMs = defaultHoldMs, mostHeldMs = defaultMostHeldMs } = this.#options;
    const held = this.#held.get(name);
    if (held === undefined) return;
    const now = timeline.now();
    const restsAt = this.#inFlight > 0 ? now + holdMs : this.#lastRequestAt + holdMs;
    const until = Math.min(restsAt, held.since + mostHeldMs);
    if (until <= now) this.#release(name, "missed");
    else held.cancel = this.#lookAfter(until - now, name);
  }

  #release(name: string, why: "matched" | "missed" | "opened" | "not the copy's"): void {
    const held = this.#held.get(name);
    if (held === undefined) return;
    this.#held.delete(name);
    held.cancel();
    // What was written here before it came is compared instead.
    const isMissed = why === "missed" && held.changes[0]?.state() === "untouched";
    if (isMissed) this.#options.onMissed({ ...held.first, at: this.#options.timeline.now() });
    for (const { pass } of held.changes) pass();
    this.#lastCauseAt = this.#options.timeline.now();
  }

  #writerOf({ before, live }: Arrived): Missed["by"] | "other" {
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

  /** Who deletes an object is not written in it. */
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

/** The garbage collector waits until an owner is gone, or waits for its dependents. */
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
