import type { TraceBus } from "./bus.ts";
import type { DeltaEvent, EventHead, KindName, LinkEvent, StageEvent, WriteEvent } from "./events.ts";
import { Recent } from "./recent.ts";

type Write = WriteEvent & EventHead;
type Delta = DeltaEvent & EventHead;

/**
 * Finds which delta a write caused, and says so with `link` events. Exact, or nothing is said:
 *
 * - A create, and a write that the server applied to the very version it was based on, has a resourceVersion that nobody else
 *   has: the delta at that version is its own. It may come before the answer or after.
 * - Any other write may have changed nothing, and then its answer carries somebody else's version. It is linked only if the
 *   delta's writer, read from managedFields, is the write's own field manager.
 * - A deletion is known by the uid: an answer with a deletionTimestamp and no finalizers, or a Status, tells no version of the
 *   delta that follows. A delete of ours links to the delta that set the deletionTimestamp at the answer's version, and to the
 *   one that removed the object if the answer says that it is gone.
 * - When a list has replaced what was known before the delta of a write was seen, it never will be: `superseded`.
 *
 * A version is claimed by one write.
 */
export class Linker {
  #bus: TraceBus;
  #deltas = new Recent<string, Delta>();
  /** Deltas that removed an object, by kind and uid. */
  #removals = new Recent<string, Delta>();
  #writes = new Recent<string, Write>();
  #deletes = new Recent<string, Write>();
  #claimed = new Recent<string, true>();
  /** Writes that wait for their delta, by kind and key, for a relist to overtake. */
  #waiting = new Map<string, Set<Write>>();

  constructor(bus: TraceBus) {
    this.#bus = bus;
  }

  /** The listener; give it to `bus.listen`. */
  readonly listener = (event: StageEvent): void => {
    if (event.stage === "delta") this.#delta(event);
    else if (event.stage === "write" && event.error === undefined && event.wouldBe !== true) this.#write(event);
  };

  #write(write: Write): void {
    if (write.verb === "deletecollection") return;
    const gone = write.deletes || (write.verb === "delete" && write.resourceVersion === "");
    if (gone && write.uid !== "") {
      const name = `${kindName(write.of)} ${write.uid}`;
      const delta = this.#removals.get(name);
      if (delta === undefined) this.#deletes.set(name, write);
      else if (delta.receivedAt >= startOf(write)) this.#link(write, delta, "uid");
      if (write.verb !== "delete" || write.resourceVersion === "") {
        if (delta === undefined) this.#wait(write);
        return;
      }
    }
    // Nothing was changed.
    if (write.resourceVersion === "" || write.resourceVersion === write.before) return;
    const name = versionName(write.of, write.key, write.resourceVersion);
    const delta = this.#deltas.get(name);
    if (delta === undefined) {
      this.#writes.set(name, write);
      this.#wait(write);
    } else if (delta.receivedAt >= startOf(write)) this.#claim(name, write, delta);
  }

  #delta(delta: Delta): void {
    const name = versionName(delta.of, delta.key, delta.resourceVersion);
    if (delta.type === "Sync") return;
    if (delta.type === "Deleted") {
      const uidName = `${kindName(delta.of)} ${delta.uid}`;
      this.#removals.set(uidName, delta);
      const remover = this.#deletes.get(uidName);
      if (remover !== undefined) this.#link(remover, delta, "uid");
    }
    this.#deltas.set(name, delta);
    const write = this.#writes.get(name);
    if (write !== undefined) this.#claim(name, write, delta);
    if (delta.relist === true || delta.tombstone === true) this.#supersede(delta);
  }

  #claim(name: string, write: Write, delta: Delta): void {
    if (this.#claimed.get(name) === true) return;
    const sure = write.verb === "create" || write.conditional || (write.verb === "delete" && delta.type !== "Deleted");
    if (
      !sure &&
      delta.type !== "Deleted" &&
      (delta.detail.writer === undefined || delta.detail.writer !== write.fieldManager)
    )
      return;
    this.#claimed.set(name, true);
    this.#link(write, delta, "resourceVersion");
  }

  #link(write: Write, delta: Delta, by: LinkEvent["by"]): void {
    this.#settle(write);
    if (this.#bus.on) this.#bus.emit({ stage: "link", write: write.seq, delta: delta.seq, by });
  }

  #wait(write: Write): void {
    const name = `${kindName(write.of)} ${write.key}`;
    const waiting = this.#waiting.get(name) ?? new Set();
    waiting.add(write);
    this.#waiting.set(name, waiting);
  }

  #settle(write: Write): void {
    const name = `${kindName(write.of)} ${write.key}`;
    const waiting = this.#waiting.get(name);
    if (waiting?.delete(write) === true && waiting.size === 0) this.#waiting.delete(name);
  }

  /** The list shows a later state of the object than the writes that still wait for their delta. */
  #supersede(delta: Delta): void {
    const name = `${kindName(delta.of)} ${delta.key}`;
    for (const write of this.#waiting.get(name) ?? []) {
      const later = write.resourceVersion === "" || BigInt(delta.resourceVersion || 0) > BigInt(write.resourceVersion);
      if (!later && delta.tombstone !== true) continue;
      this.#settle(write);
      if (this.#bus.on) this.#bus.emit({ stage: "link", write: write.seq, delta: 0, by: "superseded" });
    }
  }
}

function kindName(of: KindName): string {
  return `${of.group}/${of.kind}`;
}

function versionName(of: KindName, key: string, resourceVersion: string): string {
  return `${kindName(of)} ${key} ${resourceVersion}`;
}

/** When the write was sent: a delta received earlier cannot be its own. */
function startOf(write: Write): number {
  return write.at - write.ms;
}
