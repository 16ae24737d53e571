/** Detects that the whole cluster returns to an earlier state although it was written in between. */
import { generatedPrefix } from "../../api/generated-name.ts";
import type { ObjectKey } from "../../api/key.ts";
import type { StoredObject } from "../../api/object.ts";
import { controllerOf } from "../../api/owner-references.ts";
import type { KindName, WriteEvent } from "../../trace/events.ts";
import { normalizeForDiff } from "../../views/normalize-for-diff.ts";
import type { StoreChange } from "./store.ts";

/** A cycle of states. */
export interface Loop {
  /** The objects written in the cycle, most frequently written first. */
  readonly objects: readonly { readonly of: KindName; readonly key: ObjectKey; readonly paths: readonly string[] }[];
  /** The controllers that wrote them, with the rules that they applied. */
  readonly writers: readonly string[];
  /** Virtual time of one round. */
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
}

/** Writes to one object before states are compared: comparing is expensive, and runs that converge write less. */
const suspiciousWrites = 60;
/** A state that recurs this often recurs forever. */
const returns = 5;
const writesKept = 200;

interface Visit {
  count: number;
  at: number;
}

/** Watches the changes of a run for a cycle. */
export class Recurrence {
  loop: Loop | undefined;
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
    const name = `${of.kind} ${key}`;
    const written = this.#written.get(name) ?? { of, key, count: 0, at };
    this.#written.set(name, written);
    written.count++;
    if (written.count > suspiciousWrites) this.#comparing = true;
    if (!this.#comparing) {
      written.at = at;
      return true;
    }
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
    if (!this.#comparing || event.error !== undefined) return;
    this.#recent.push(event);
    if (this.#recent.length > 2 * writesKept) this.#recent = this.#recent.slice(-writesKept);
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
    if (visit.count >= returns && this.#recent.length >= returns) this.loop ??= loopOf(this.#recent, roundMs);
  }
}

function loopOf(writes: readonly WriteEvent[], roundMs: number): Loop {
  const objects = new Map<string, { of: KindName; key: ObjectKey; paths: Set<string>; count: number }>();
  const writers = new Map<string, number>();
  for (const { of, key, changes, controller, fieldManager } of writes) {
    if (of.kind === "Event" || of.kind === "Lease") continue;
    const name = `${of.kind} ${key}`;
    const object = objects.get(name) ?? { of, key, paths: new Set(), count: 0 };
    object.count++;
    for (const { path } of changes) object.paths.add(path);
    objects.set(name, object);
    const writer = controller ?? fieldManager;
    writers.set(writer, (writers.get(writer) ?? 0) + 1);
  }
  const most = [...objects.values()].sort((a, b) => b.count - a.count).slice(0, 3);
  return {
    objects: most.map(({ of, key, paths }) => ({ of, key, paths: [...paths].slice(0, 5) })),
    writers: [...writers].sort((a, b) => b[1] - a[1]).map(([writer]) => writer),
    roundMs,
  };
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
