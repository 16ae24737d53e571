/** What was written in the fork, and how it stands beside what the cluster does. */
import type { FieldChange } from "../../api/field-changes.ts";
import { objectKey, type ObjectKey } from "../../api/key.ts";
import type { StoredObject } from "../../api/object.ts";
import type { Collection } from "../../sandbox/storage/collection.ts";
import type { Change } from "../../sandbox/storage/watch-cache.ts";
import type { KindName } from "../../trace/names.ts";
import { missingFrom } from "./comparison.ts";
import { generatedAs } from "./generated.ts";
import type { DivergedChange } from "./copies.ts";

/** An object that was written in the fork. */
export interface Divergence {
  readonly of: KindName;
  readonly key: ObjectKey;
  /** As the cluster had it before the first of the writes; undefined: it was created here. */
  readonly base: StoredObject | undefined;
  /** As it is in the fork; undefined: deleted here. */
  readonly here: StoredObject | undefined;
  /** When it was first written here, in ms since 1970. */
  readonly since: number;
  /** What the cluster did to the object since. */
  readonly cluster: ClusterSide;
}

/** `silent`: nothing yet. `differs`: its state lacks these changes of what was written here. */
export type ClusterSide =
  { readonly is: "silent" } | { readonly is: "differs"; readonly at: number; readonly missing: readonly FieldChange[] };

/** The cluster's state has come to be what was written here; the object is the cluster's again. */
export interface Agreement extends Pick<Divergence, "of" | "key" | "base" | "here"> {
  /** When it was first written here, and when the cluster had it, in ms since 1970. */
  readonly since: number;
  readonly at: number;
}

/** Called synchronously; must not write to the fork. */
export interface DivergenceListener {
  /** An object was written here. */
  written(divergence: Divergence): void;
  /** The cluster changed an object that was written here, to something else. */
  differs(divergence: Divergence): void;
  /** The cluster has what was written here. */
  agreed(agreement: Agreement): void;
}

/**
 * How an object that changes in the cluster stands here. `comparable`: both have created it, or the cluster has all that was written
 * here; `written`: the cluster lacks some of that, and may still be at it.
 */
export type WrittenState = "untouched" | "comparable" | "written";

/** A resource whose writes are looked at. */
export interface Looked {
  readonly of: KindName;
  readonly collection: Collection;
  /** True while a change is the cluster's. */
  readonly isCopying: () => boolean;
}

/** All objects that were written in the fork. */
export class Divergences {
  readonly #now: () => number;
  readonly #listener: DivergenceListener | undefined;
  readonly #all = new Map<string, Divergence>();

  constructor(now: () => number, listener?: DivergenceListener) {
    this.#now = now;
    this.#listener = listener;
  }

  /** As they are now, in the order in which they were first written. */
  list(): readonly Divergence[] {
    return [...this.#all.values()];
  }

  /** Looks at a resource from now on. */
  look({ of, collection, isCopying }: Looked): void {
    collection.listeners.add((change) => {
      if (!isCopying()) this.#written(of, change);
    });
  }

  /** Compares what the cluster has now with what was written here. True: it has all of it, and its state is to be taken. */
  takesLive(of: KindName, { key, live }: DivergedChange): boolean {
    const name = nameOf(of, key);
    const divergence = this.#all.get(name);
    // What the sandbox itself keeps, such as the counts of a quota, is nothing that was decided here.
    if (divergence === undefined) return true;
    const at = this.#now();
    const missing = missingFrom(live, divergence);
    if (missing.length === 0) {
      this.#all.delete(name);
      this.#listener?.agreed({ ...divergence, at });
      return true;
    }
    const differing: Divergence = { ...divergence, cluster: { is: "differs", at, missing } };
    this.#all.set(name, differing);
    this.#listener?.differs(differing);
    return false;
  }

  /**
   * The object that was created here under another name of the same beginning, and that the cluster now has as it was written: it is the
   * cluster's from then on. One that differs stays.
   */
  twinOf(of: KindName, live: StoredObject): ObjectKey | undefined {
    const divergence = this.#silentTwin(of, live);
    if (divergence === undefined) return undefined;
    const name = nameOf(of, divergence.key);
    const at = this.#now();
    const missing = missingFrom(live, divergence);
    if (missing.length === 0) {
      this.#all.delete(name);
      this.#listener?.agreed({ ...divergence, at });
      return divergence.key;
    }
    const differing: Divergence = { ...divergence, cluster: { is: "differs", at, missing } };
    this.#all.set(name, differing);
    this.#listener?.differs(differing);
    return undefined;
  }

  /** Whether an object that changes in the cluster was written here before, under this name or another one of the same beginning. */
  stateOf(of: KindName, { key, live }: DivergedChange): WrittenState {
    const own = this.#all.get(nameOf(of, key));
    if (own !== undefined)
      return isSilentCreation(own) || missingFrom(live, own).length === 0 ? "comparable" : "written";
    return live !== undefined && this.#silentTwin(of, live) !== undefined ? "comparable" : "untouched";
  }

  #silentTwin(of: KindName, live: StoredObject): Divergence | undefined {
    const generated = generatedAs(live);
    if (generated === undefined) return undefined;
    for (const [name, divergence] of this.#all) {
      const { here } = divergence;
      if (here === undefined || !isSilentCreation(divergence) || nameOf(of, divergence.key) !== name) continue;
      if (generatedAs(here) === generated) return divergence;
    }
    return undefined;
  }

  #written(of: KindName, { type, entry, previous, at }: Change): void {
    const key = objectKey(entry.namespace, entry.name);
    const name = nameOf(of, key);
    const known = this.#all.get(name);
    // Objects in the store are complete.
    const [before, after] = [previous?.object, entry.object] as [StoredObject | undefined, StoredObject];
    const here = type === "DELETED" ? undefined : after;
    if (known === undefined) {
      this.#wrote(name, { of, key, base: before, here, since: at, cluster: { is: "silent" } });
    } else if (known.base === undefined && here === undefined && known.cluster.is === "silent") {
      // Created and deleted here, and never there.
      this.#all.delete(name);
    } else this.#wrote(name, { ...known, here });
  }

  #wrote(name: string, divergence: Divergence): void {
    this.#all.set(name, divergence);
    this.#listener?.written(divergence);
  }
}

function nameOf({ group, kind }: KindName, key: ObjectKey): string {
  return `${group}/${kind} ${key}`;
}

function isSilentCreation({ here, base, cluster }: Divergence): boolean {
  return here !== undefined && base === undefined && cluster.is === "silent";
}
