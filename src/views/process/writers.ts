/** The writers of a process, controllers mostly: what each reconciles, and how it goes about it. */
import { objectKey, splitKey } from "../../api/key.ts";
import { GenerationalCache } from "../../trace/generational-cache.ts";
import { Habits } from "./habits.ts";
import type { NumberedDelta, RecentDeltas } from "./recent-deltas.ts";
import { uidOf, type NumberedWrite, type Subject } from "./subject.ts";

/** After so many reconciles without a status, a writer is one that writes none. */
const untoldFrom = 3;
/** Versions, and objects, whose last writer is kept, at least. */
const mostKept = 20_000;

/** Controllers of one process differ by user agent or by field manager. */
export class Writers {
  readonly #deltas: RecentDeltas;
  /** Of each writer, the kinds that it reconciles: it owns what it creates, or writes its status. */
  readonly #kinds = new Map<string, Set<string>>();
  /** Of writers that have written no status yet, how many reconciles they made. */
  readonly #untold = new Map<string, number>();
  readonly #habits = new Map<string, Habits>();
  /** Who wrote last for an object. */
  readonly #last = new GenerationalCache<string, string>(mostKept);
  /** Who wrote a version. */
  readonly #versions = new GenerationalCache<string, string>(mostKept);

  constructor(deltas: RecentDeltas) {
    this.#deltas = deltas;
  }

  /** Whose a write is. A deletion carries no field manager, so it is of who wrote for the object last. */
  of(write: NumberedWrite, { uid }: Subject): string {
    const place = `${write.agent} ${uid}`;
    if (write.verb === "delete") return this.#last.get(place) ?? nameOf(write);
    this.#last.set(place, nameOf(write));
    return nameOf(write);
  }

  /** Notes what a writer wrote. */
  wrote(writer: string, { uid, resourceVersion }: NumberedWrite): void {
    if (uid !== "") this.#versions.set(`${uid} ${resourceVersion}`, writer);
  }

  /** Whether a delta shows what a writer wrote. */
  isEcho(writer: string, { uid, resourceVersion }: NumberedDelta): boolean {
    return this.#versions.get(`${uid} ${resourceVersion}`) === writer;
  }

  /** How it usually behaves. */
  habitsOf(writer: string): Habits {
    return this.#habits.getOrInsertComputed(writer, () => new Habits());
  }

  /** Whether it reports its work in a status, as far as is known. */
  tells(writer: string): boolean {
    return (this.#untold.get(writer) ?? 0) < untoldFrom;
  }

  /** A reconcile of it is over. */
  reconciled(writer: string): void {
    this.#untold.set(writer, (this.#untold.get(writer) ?? 0) + 1);
  }

  /** What a write is for: the object that its request names, or the one that it is owned by, or the written object itself. */
  subjectOf(write: NumberedWrite): Subject {
    const guessed = this.#guessed(write);
    const object = write.reconcile?.object;
    if (object === undefined || (object.key === guessed.key && object.kind === "")) return guessed;
    const { kind, key } = object;
    const itself = key === write.key && (kind === "" || kind === write.of.kind) ? uidOf(write) : "";
    const uid = itself === "" ? this.#deltas.uidOf(kind, key) : itself;
    const of = itself === "" ? { group: "", kind: kind === "" ? "object" : kind } : write.of;
    return { uid: uid === "" ? `${of.kind} ${key}` : uid, of, key };
  }

  /** An object that has an owner is written for the owner, unless the writer reconciles its kind itself. */
  #guessed(write: NumberedWrite): Subject {
    const { of, key, subresource, detail, verb } = write;
    const writer = nameOf(write);
    const kinds = this.#kinds.getOrInsertComputed(writer, () => new Set<string>());
    const uid = uidOf(write);
    const itself: Subject = { uid: uid === "" ? `${of.kind} ${key}` : uid, of, key };
    if (subresource === "status") {
      kinds.add(of.kind);
      this.#untold.set(writer, -Infinity);
    }
    const owner = detail?.owner;
    if (owner === undefined) return itself;
    if (kinds.has(of.kind) && verb !== "delete") return itself;
    // A kind that owns its own kind does not tell one from the other.
    if (verb !== "delete" && owner.kind !== of.kind) kinds.add(owner.kind);
    return { uid: owner.uid, of: { group: "", kind: owner.kind }, key: objectKey(splitKey(key).namespace, owner.name) };
  }
}

function nameOf({ agent, fieldManager }: NumberedWrite): string {
  return `${agent} ${fieldManager}`;
}
