/**
 * Keeps a process in step with a copy of it that is at work on the cluster. Both see a change at the same time; what the other one then
 * writes comes back within milliseconds, and would leave the process nothing to do. So changes by the managers that the process itself
 * writes as are held back for a while, or until the process has written the same object.
 */
import { compactManagedFields, fieldManagerOfChange } from "../../api/field-manager.ts";
import type { ObjectKey } from "../../api/key.ts";
import type { StoredObject } from "../../api/object.ts";
import type { Cancel, Timeline } from "../../platform/timeline.ts";
import type { KindName } from "../../trace/names.ts";
import type { CopiesSink } from "./copies.ts";
import type { Divergence } from "./divergences.ts";
import { generatedAs } from "./generated.ts";

/** What the other copy did and the process did not, within the time that it had. */
export interface Missed {
  readonly of: KindName;
  readonly key: ObjectKey;
  readonly before: StoredObject | undefined;
  /** Undefined: it deleted the object. */
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
}

const defaultHoldMs = 1000;
const defaultMostHeldMs = 10_000;

interface HeldKey {
  /** The process has done the same: it is let through in the next turn. */
  isMatched: boolean;
  readonly since: number;
  readonly changes: (() => void)[];
  cancel: Cancel;
  /** The first change that is the other copy's: it is missed when the time is over. */
  readonly first: Omit<Missed, "at">;
}

/** One for all collections of a fork. */
export class OwnerGate {
  readonly #options: OwnerGateOptions;
  readonly #managers = new Set<string>();
  readonly #held = new Map<string, HeldKey>();
  #isOpen = false;
  #inFlight = 0;
  #lastRequestAt = -Infinity;

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
  around({ of, sink, here }: Gated): CopiesSink {
    return {
      ...sink,
      put: (delta) => {
        const { key, type, object } = delta;
        const live = type === "Deleted" ? undefined : object;
        this.#admit({ of, key, before: here(key), live }, () => sink.put(delta));
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

  #admit(change: Omit<Missed, "at">, release: () => void): void {
    const name = nameOf(change.of, change.key);
    const held = this.#held.get(name);
    if (held !== undefined) held.changes.push(release);
    else if (this.#isOpen || !this.#isOwners(change)) release();
    else {
      const { timeline, holdMs = defaultHoldMs } = this.#options;
      this.#held.set(name, {
        isMatched: false,
        since: timeline.now(),
        changes: [release],
        cancel: this.#lookAfter(holdMs, name),
        first: change,
      });
    }
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

  #release(name: string, why: "matched" | "missed" | "opened"): void {
    const held = this.#held.get(name);
    if (held === undefined) return;
    this.#held.delete(name);
    held.cancel();
    if (why === "missed") this.#options.onMissed({ ...held.first, at: this.#options.timeline.now() });
    for (const change of held.changes) change();
  }

  #isOwners({ before, live }: Omit<Missed, "at">): boolean {
    // Who deletes an object is not written in it: what has an owner is deleted by it.
    if (live === undefined) return before?.metadata.ownerReferences?.some(({ controller }) => controller) === true;
    const manager = fieldManagerOfChange({
      before,
      managedBefore: before && compactManagedFields(before.metadata.managedFields ?? []),
      after: live,
      managedAfter: live.metadata.managedFields ?? [],
    });
    return manager !== undefined && this.#managers.has(manager);
  }
}

function nameOf({ group, kind }: KindName, key: ObjectKey): string {
  return `${group}/${kind} ${key}`;
}
