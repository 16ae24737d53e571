/** Tracks the objects that were written in the fork, and compares them with what happens in the cluster. */
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
  /** The cluster's state before the first write in the fork; undefined if the object was created in the fork. */
  readonly base: StoredObject | undefined;
  /** The state in the fork; undefined if it was deleted there. */
  readonly here: StoredObject | undefined;
  /** When it was first written in the fork, in ms since 1970. */
  readonly since: number;
  /** What has happened to the object in the cluster since. */
  readonly cluster: ClusterSide;
}

/** `silent`: nothing yet. `differs`: it was changed, but lacks these changes of the fork. */
export type ClusterSide =
  { readonly is: "silent" } | { readonly is: "differs"; readonly at: number; readonly missing: readonly FieldChange[] };

/** The cluster's state now has all changes of the fork; from then on the object follows the cluster again. */
export interface Agreement extends Pick<Divergence, "of" | "key" | "base" | "here"> {
  /** When it was first written in the fork, and when the cluster agreed, in ms since 1970. */
  readonly since: number;
  readonly at: number;
}

/** Called synchronously; must not write to the fork. */
export interface DivergenceListener {
  /** An object was written in the fork. */
  written(divergence: Divergence): void;
  /** An object that was written in the fork was changed differently in the cluster. */
  differs(divergence: Divergence): void;
  /** The cluster now has all changes that the fork made to an object. */
  agreed(agreement: Agreement): void;
}

/**
 * The state in the fork of an object that changes in the cluster. `comparable`: both have created it, or the cluster has all changes of
 * the fork. `written`: the cluster still lacks some of them.
 */
export type WrittenState = "untouched" | "comparable" | "written";

/** A resource whose writes are tracked. */
export interface TrackedResource {
  readonly of: KindName;
  readonly collection: Collection;
  /** True while a change of the store is the cluster's. */
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

  /** The current divergences, in the order in which they were first written. */
  list(): readonly Divergence[] {
    return [...this.#all.values()];
  }

  /** Tracks writes to a resource from now on. */
  look({ of, collection, isCopying }: TrackedResource): void {
    collection.listeners.add((change) => {
      if (!isCopying()) this.#written(of, change);
    });
  }

  /** Compares the cluster's new state of an object with the fork's. Returns true if the cluster has all changes of the fork, so that its state is adopted. */
  takesLive(of: KindName, { key, live }: DivergedChange): boolean {
    const name = nameOf(of, key);
    const divergence = this.#all.get(name);
    // Written by the sandbox itself, such as the counts of a quota: the cluster's state wins.
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
   * The key of the object created in the fork, with another generated name, that equals a new object in the cluster; it is no longer a
   * divergence then. Undefined if there is none, or if it differs.
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

  /** The state in the fork of an object that changes in the cluster, under its own or another generated name. */
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
      this.#record(name, { of, key, base: before, here, since: at, cluster: { is: "silent" } });
    } else if (known.base === undefined && here === undefined && known.cluster.is === "silent") {
      // Created and deleted in the fork, and never known to the cluster.
      this.#all.delete(name);
    } else this.#record(name, { ...known, here });
  }

  #record(name: string, divergence: Divergence): void {
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
