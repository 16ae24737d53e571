/** The writers of a process, mostly controllers: which objects each reconciles, and its habits. */
import { objectKey, splitKey } from "../../api/key.ts";
import { GenerationalCache } from "../../trace/generational-cache.ts";
import { Habits } from "./habits.ts";
import type { NumberedDelta, RecentDeltas } from "./recent-deltas.ts";
import { uidOf, type NumberedWrite, type Subject } from "./subject.ts";

/** A writer counts as one that reports no status after this many reconciles without one. */
const noStatusFrom = 3;
/** The last writer of at least this many versions, and of as many objects, is kept. */
const maxKept = 20_000;

/** Distinguishes the controllers of one process by user agent and field manager. */
export class Writers {
  readonly #deltas: RecentDeltas;
  /** The kinds that each writer reconciles: kinds whose objects own what it writes, or whose status it writes. */
  readonly #kinds = new Map<string, Set<string>>();
  /** Reconciles made by writers that have not written a status; -Infinity for those that have. */
  readonly #withoutStatus = new Map<string, number>();
  readonly #habits = new Map<string, Habits>();
  /** The last writer for each subject. */
  readonly #last = new GenerationalCache<string, string>(maxKept);
  /** The writer of each version. */
  readonly #versions = new GenerationalCache<string, string>(maxKept);

  constructor(deltas: RecentDeltas) {
    this.#deltas = deltas;
  }

  /** The writer that made a write. A deletion carries no field manager, so it is attributed to the last writer for the subject. */
  of(write: NumberedWrite, { uid }: Subject): string {
    const place = `${write.agent} ${uid}`;
    if (write.verb === "delete") return this.#last.get(place) ?? nameOf(write);
    this.#last.set(place, nameOf(write));
    return nameOf(write);
  }

  /** Records that a writer produced this version. */
  recordWrite(writer: string, { uid, resourceVersion }: NumberedWrite): void {
    if (uid !== "") this.#versions.set(`${uid} ${resourceVersion}`, writer);
  }

  /** Whether a delta is the echo of a write by this writer. */
  isEcho(writer: string, { uid, resourceVersion }: NumberedDelta): boolean {
    return this.#versions.get(`${uid} ${resourceVersion}`) === writer;
  }

  habitsOf(writer: string): Habits {
    return this.#habits.getOrInsertComputed(writer, () => new Habits());
  }

  /** Whether a writer reports its work in a status, as far as is known. */
  reportsStatus(writer: string): boolean {
    return (this.#withoutStatus.get(writer) ?? 0) < noStatusFrom;
  }

  /** Records that a reconcile by this writer is over. */
  recordReconcile(writer: string): void {
    this.#withoutStatus.set(writer, (this.#withoutStatus.get(writer) ?? 0) + 1);
  }

  /** The object that a write is made for: the one that its request names, else the owner of the written object, else the object itself. */
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

  /** A write to an owned object is made for the owner, unless the writer reconciles the written kind itself. */
  #guessed(write: NumberedWrite): Subject {
    const { of, key, subresource, detail, verb } = write;
    const writer = nameOf(write);
    const kinds = this.#kinds.getOrInsertComputed(writer, () => new Set<string>());
    const uid = uidOf(write);
    const itself: Subject = { uid: uid === "" ? `${of.kind} ${key}` : uid, of, key };
    if (subresource === "status") {
      kinds.add(of.kind);
      this.#withoutStatus.set(writer, -Infinity);
    }
    const owner = detail?.owner;
    if (owner === undefined) return itself;
    if (kinds.has(of.kind) && verb !== "delete") return itself;
    // If owner and owned are of one kind, the write does not show which of them is reconciled.
    if (verb !== "delete" && owner.kind !== of.kind) kinds.add(owner.kind);
    return { uid: owner.uid, of: { group: "", kind: owner.kind }, key: objectKey(splitKey(key).namespace, owner.name) };
  }
}

function nameOf({ agent, fieldManager }: NumberedWrite): string {
  return `${agent} ${fieldManager}`;
}
