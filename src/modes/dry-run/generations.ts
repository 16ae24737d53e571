/** Detects objects that are created without end, each by the sync of one that was created before. */
import type { DoneEvent, EventHead, KindName, WriteEvent } from "../../trace/events.ts";
import { entryName, type StateEntry } from "../../views/state.ts";

/** A CronJob's Job, its pod, the pod's claim and its volume are the fourth; users' own kinds may come before. */
const usualGenerations = 8;
/** So many objects of later generations do not end by themselves. */
const mostDescendants = 2000;
/** How many of them are named. */
const mostNamed = 3;

type Descendant = Pick<StateEntry, "of" | "key">;

/** Descendants without end. */
export interface Spread {
  /** The latest ones. */
  readonly objects: readonly Descendant[];
  /** The controllers that created them. */
  readonly writers: readonly string[];
}

/** Follows, from sync to sync, how many creations an object is away from one that was there at first or that the user applied. */
export class Generations {
  /** Set once too many have followed. */
  spread: Spread | undefined;
  /** By object. */
  #generations = new Map<string, number>();
  /** What syncs that have not ended yet have created. */
  #created = new Map<string, Descendant[]>();
  #writers = new Set<string>();
  #descendants = 0;

  wrote({ verb, controller, sync, of, key, error }: WriteEvent): void {
    if (verb !== "create" || error !== undefined || controller === undefined || sync === undefined) return;
    if (of.kind === "Event" || of.kind === "Lease") return;
    const id = `${controller} ${sync}`;
    const created = this.#created.get(id);
    if (created === undefined) this.#created.set(id, [{ of, key }]);
    else created.push({ of, key });
  }

  /** A sync has ended. @param kindOf the kind of a controller's objects. */
  synced({ controller, sync, key }: DoneEvent & EventHead, kindOf: (controller: string) => KindName): void {
    const id = `${controller} ${sync}`;
    const created = this.#created.get(id);
    if (created === undefined) return;
    this.#created.delete(id);
    const generation = (this.#generations.get(entryName(kindOf(controller), key)) ?? 0) + 1;
    for (const each of created) this.#generations.set(entryName(each.of, each.key), generation);
    if (generation <= usualGenerations) return;
    this.#writers.add(controller);
    this.#descendants += created.length;
    if (this.#descendants > mostDescendants)
      this.spread ??= { objects: created.slice(-mostNamed), writers: [...this.#writers] };
  }
}
