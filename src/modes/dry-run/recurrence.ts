/** Detects that the whole cluster returns to an earlier state although it was written in between. */
import { fieldChanges } from "../../api/field-changes.ts";
import { generatedPrefix } from "../../api/generated-name.ts";
import type { ObjectKey } from "../../api/key.ts";
import type { StoredObject } from "../../api/object.ts";
import { controllerOf } from "../../api/owner-references.ts";
import type { DoneEvent, EventHead, KindName, WriteEvent } from "../../trace/events.ts";
import { normalizeForDiff } from "../../views/normalize-for-diff.ts";
import { Generations } from "./generations.ts";
import { HotSpots } from "./hot-spots.ts";
import type { StoreChange } from "./store.ts";

/** A cycle of states, or work without end. */
export interface Loop {
  /**
   * `recurring`: the cluster returns to an earlier state. `endless`: objects are written, or keys synced, over and over while no time passes.
   * `spreading`: objects are created, each by the sync of an earlier one.
   */
  readonly is: "recurring" | "endless" | "spreading";
  /**
   * The objects written in the cycle, most frequently written first. Without `paths` if they are only synced; if it is spreading, the latest.
   */
  readonly objects: readonly { readonly of: KindName; readonly key: ObjectKey; readonly paths: readonly string[] }[];
  /** The controllers that wrote them, with the rules that they applied. */
  readonly writers: readonly string[];
  /** Virtual time of one round, in ms; 0 if it is not recurring. */
  readonly roundMs: number;
}

/** An object that was still changing. */
export interface ChangingObject {
  readonly of: KindName;
  readonly key: ObjectKey;
}

/** How many of them are reported. */
const mostChanging = 3;

/** An object, how often it was written, and when it last changed in anything other than times and versions. */
interface Written extends ChangingObject {
  count: number;
  at: number;
  /** Fields that were seen to change since states are compared. */
  readonly paths: Set<string>;
}

/** How many fields of an object are named in a loop. */
const mostPaths = 5;

/** Writes to one object before states are compared: comparing is expensive, and runs that converge write less. */
const suspiciousWrites = 60;
/** A state that recurs this often recurs forever. */
const returns = 5;
const writesKept = 200;

interface Visit {
  count: number;
  at: number;
}

/** Watches the changes and syncs of a run for a cycle. */
export class Recurrence {
  loop: Loop | undefined;
  #hot = new HotSpots();
  #generations = new Generations();
  #written = new Map<string, Written>();
  #comparing = false;
  /** Sum over the objects, relative to the start of the comparison. */
  #digest = 0;
  #hashes = new Map<string, number>();
  #visits = new Map<number, Visit>();
  #recent: WriteEvent[] = [];

  /** Atomic. @returns whether the object has changed in anything other than times and versions. */
  accept(change: StoreChange): boolean {
    const { of, key, before, after, at } = change;
    if (of.kind === "Event" || of.kind === "Lease") return false;
    this.#hot.changed(change);
    const name = `${of.kind} ${key}`;
    const written = this.#written.get(name) ?? { of, key, count: 0, at, paths: new Set() };
    this.#written.set(name, written);
    written.count++;
    if (written.count > suspiciousWrites) this.#comparing = true;
    if (!this.#comparing) {
      written.at = at;
      return true;
    }
    notePaths(written, change);
    const was = this.#hashes.get(name) ?? (before === undefined ? 0 : hashOf(of, before));
    const is = after === undefined ? 0 : hashOf(of, after);
    this.#hashes.set(name, is);
    this.#digest = (this.#digest - was + is + modulus) % modulus;
    this.#visit(at);
    if (was !== is) written.at = at;
    return was !== is;
  }

  /** The objects that have changed after this time, the most frequently written first. */
  changedSince(ms: number): readonly ChangingObject[] {
    const late = [...this.#written.values()].filter(({ at }) => at > ms).sort((a, b) => b.count - a.count);
    return late.slice(0, mostChanging).map(({ of, key }) => ({ of, key }));
  }

  /** Recent writes are kept to name the writers in the cycle. */
  wrote(event: WriteEvent): void {
    this.#generations.wrote(event);
    if (!this.#comparing || event.error !== undefined) return;
    this.#recent.push(event);
    if (this.#recent.length > 2 * writesKept) this.#recent = this.#recent.slice(-writesKept);
    if (this.#hot.isWrittenHot) this.loop ??= this.#loopOf({ is: "endless", roundMs: 0 });
  }

  /** A sync has ended. @param kindOf the kind of a controller's objects; without a name if it is for none. */
  synced(event: DoneEvent & EventHead, kindOf: (controller: string) => KindName): void {
    this.#hot.synced(event, event.at);
    this.#generations.synced(event, kindOf);
    if (this.loop !== undefined) return;
    const { spread } = this.#generations;
    const { hotKey } = this.#hot;
    if (spread !== undefined) {
      const objects = spread.objects.map((each) => ({ ...each, paths: [] }));
      this.loop = { is: "spreading", objects, writers: spread.writers, roundMs: 0 };
    } else if (hotKey !== undefined) {
      const { key, controller } = hotKey;
      const objects = [{ of: kindOf(controller), key, paths: [] }];
      this.loop = { is: "endless", objects, writers: [controller], roundMs: 0 };
    }
  }

  #loopOf(what: Pick<Loop, "is" | "roundMs">): Loop {
    const counts = new Map<string, number>();
    const writers = new Map<string, number>();
    for (const { of, key, controller, fieldManager } of this.#recent) {
      if (of.kind === "Event" || of.kind === "Lease") continue;
      const [name, writer] = [`${of.kind} ${key}`, controller ?? fieldManager];
      counts.set(name, (counts.get(name) ?? 0) + 1);
      writers.set(writer, (writers.get(writer) ?? 0) + 1);
    }
    const most = [...counts].sort((a, b) => b[1] - a[1]).slice(0, 3);
    return {
      ...what,
      objects: most.flatMap(([name]) => {
        const written = this.#written.get(name);
        return written === undefined
          ? []
          : [{ of: written.of, key: written.key, paths: [...written.paths].slice(0, mostPaths) }];
      }),
      writers: [...writers].sort((a, b) => b[1] - a[1]).map(([writer]) => writer),
    };
  }

  #visit(at: number): void {
    const visit = this.#visits.get(this.#digest);
    if (visit === undefined) {
      this.#visits.set(this.#digest, { count: 1, at });
      return;
    }
    const roundMs = at - visit.at;
    visit.count++;
    visit.at = at;
    if (visit.count >= returns && this.#recent.length >= returns)
      this.loop ??= this.#loopOf({ is: "recurring", roundMs });
  }
}

/** The fields that a write changes are not always known to its event: the store knows them. */
function notePaths({ paths }: Written, { before, after }: StoreChange): void {
  if (before === undefined || after === undefined || paths.size >= mostPaths) return;
  for (const { path } of fieldChanges(before, after)) if (path !== ".metadata.generation") paths.add(path);
}

/** Keeps sums of hashes exact. */
const modulus = 2 ** 48;

/** Covers everything except times, versions and generated names. */
function hashOf(of: KindName, object: StoredObject): number {
  const form = normalizeForDiff({ group: "", kind: of.kind }, object, {}) as { metadata?: { name?: string } };
  const owner = controllerOf(object);
  const prefix = generatedPrefix(object.metadata);
  if (prefix !== undefined && form.metadata !== undefined) form.metadata.name = prefix;
  const text = JSON.stringify([form, owner?.kind, owner?.name]);
  let [a, b] = [0x811c9dc5, 0x1000193];
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index);
    a = Math.imul(a ^ code, 0x01000193);
    b = Math.imul(b ^ code, 0x85ebca6b);
  }
  return (a >>> 0) * 65_536 + ((b >>> 0) % 65_536);
}
