import type { TraceBus } from "./bus.ts";
import type { DeltaEvent, EventHead, KindName, LinkEvent, Stage, StageEvent, WriteEvent } from "./events.ts";
import { GenerationalCache, GenerationalSets } from "./generational-cache.ts";

type Write = WriteEvent & EventHead;
type Delta = DeltaEvent & EventHead;

/** What a linker listens to. */
export const linkedStages: readonly Stage[] = ["delta", "write"];

/** How many changes of an object are remembered. */
const rememberedChanges = 4;
/** How many writes to one object wait for their deltas at a time. */
const rememberedWrites = 64;

/**
 * Finds which delta a write caused, and emits `link` events. A link is exact or absent:
 *
 * - A create, and a write that the server applied to the very version it was based on, has a unique
 *   resourceVersion: the delta at that version is its own. It may be received before the response or after.
 * - Any other write may have changed nothing, and then its response carries the version of another write. It is linked only if the
 *   delta's writer, read from managedFields, is the write's own field manager.
 * - A deletion is found by the uid: a response with a deletionTimestamp and no finalizers, or a Status, does not have the version of the
 *   delta that follows. A delete of ours links to the delta that set the deletionTimestamp at the response's version, and to the
 *   one that removed the object if the response says that it is gone, with the end of its grace period just before that. A client that
 *   deletes the same object between our request and its delta gets the same response: in this case alone the link may be wrong.
 * - The response to a binding is a Status: it links to the delta that gave the pod this node, which happens once.
 * - When a list has replaced what was known before the delta of a write was received, it never will be: `superseded`, also if the
 *   response comes after the list. Only a write that is identified by its version is still found in a list.
 *
 * A version is claimed by one write.
 */
export class Linker {
  #bus: TraceBus;
  #deltas = new GenerationalCache<string, Delta>();
  /** The latest change of an object, by kind and uid: a delete may cause two deltas. */
  #latest = new GenerationalCache<string, Delta>();
  /** The same by kind and key: the response to a binding has no uid. */
  #byKey = new GenerationalSets<Delta>(rememberedChanges);
  /** Pods that were given their node, by kind and key. */
  #bindings = new GenerationalCache<string, Write>();
  /** Deltas that removed an object, by kind and uid. */
  #removals = new GenerationalCache<string, Delta>();
  /** Writes by the version in their response; all but one of each version have changed nothing. */
  #writes = new GenerationalSets<Write>(rememberedWrites);
  #deletes = new GenerationalCache<string, Write>();
  #claimed = new GenerationalCache<string, true>();
  /** Writes that wait for their delta, by kind and key, for a relist to overtake. For kinds that are not watched none ever comes. */
  #waiting = new GenerationalSets<Write>(rememberedWrites);
  /** The delta of the last relist for an object, by kind and key: writes whose responses come later may be older. */
  #relisted = new GenerationalCache<string, Delta>();

  constructor(bus: TraceBus) {
    this.#bus = bus;
  }

  /** The listener; give it to `bus.listen`. */
  readonly listener = (event: StageEvent): void => {
    if (event.stage === "delta") this.#delta(event);
    else if (event.stage === "write" && event.error === undefined && event.wouldBe !== true) this.#write(event);
  };

  /** How many writes and deltas are remembered, by all their names: bounded, however long it listens. */
  get remembered(): number {
    const deltas = [this.#deltas, this.#latest, this.#byKey, this.#removals, this.#relisted, this.#claimed];
    const writes = [this.#writes, this.#bindings, this.#deletes, this.#waiting];
    return [...deltas, ...writes].reduce((sum, { size }) => sum + size, 0);
  }

  #write(write: Write): void {
    if (write.verb === "deletecollection") return;
    if (write.subresource === "binding") {
      const key = `${kindName(write.of)} ${write.key}`;
      this.#bindings.set(key, write);
      for (const delta of this.#byKey.get(key)) this.#linkBinding(write, delta);
      return;
    }
    if (write.deletes && write.uid !== "") {
      const name = `${kindName(write.of)} ${write.uid}`;
      const delta = this.#removals.get(name);
      if (delta === undefined) this.#deletes.set(name, write);
      else if (delta.receivedAt >= write.sentAt) this.#linkRemoval(write, delta);
      if (write.verb !== "delete" || write.resourceVersion === "") {
        if (delta === undefined) this.#await(write);
        return;
      }
    }
    // Nothing was changed.
    if (write.resourceVersion === "" || write.resourceVersion === write.before) return;
    const name = versionName(write.of, write.key, write.resourceVersion);
    const delta = this.#deltas.get(name);
    if (delta === undefined) {
      this.#writes.add(name, write);
      this.#await(write);
    } else if (delta.receivedAt >= write.sentAt) this.#claim(name, write, delta);
  }

  #delta(delta: Delta): void {
    const name = versionName(delta.of, delta.key, delta.resourceVersion);
    if (delta.type === "Sync") return;
    if (delta.type === "Deleted") {
      const uidName = `${kindName(delta.of)} ${delta.uid}`;
      this.#removals.set(uidName, delta);
      const remover = this.#deletes.get(uidName);
      if (remover !== undefined) this.#linkRemoval(remover, delta);
    }
    this.#deltas.set(name, delta);
    if (delta.type === "Updated") this.#updated(delta);
    for (const write of this.#writes.get(name)) this.#claim(name, write, delta);
    if (delta.relist === true || delta.tombstone === true) this.#supersede(delta);
  }

  #updated(delta: Delta): void {
    const [uidName, key] = [`${kindName(delta.of)} ${delta.uid}`, `${kindName(delta.of)} ${delta.key}`];
    this.#latest.set(uidName, delta);
    if (delta.of.kind === "Pod") this.#byKey.add(key, delta);
    const binding = this.#bindings.get(key);
    if (binding !== undefined) this.#linkBinding(binding, delta);
  }

  /** A pod gets its node once: the binding that succeeded did it. */
  #linkBinding(write: Write, delta: Delta): void {
    const node = write.changes.find(({ path }) => path === ".spec.nodeName")?.after;
    const given = delta.detail.changes.find(({ path }) => path === ".spec.nodeName");
    if (given === undefined || given.before !== undefined || given.after !== node) return;
    const name = versionName(delta.of, delta.key, delta.resourceVersion);
    if (this.#claimed.get(name) === true || delta.receivedAt < write.sentAt) return;
    this.#claimed.set(name, true);
    this.#link(write, delta, "binding");
  }

  /** The removal, and the end of the grace period that the same request has made just before it. */
  #linkRemoval(write: Write, delta: Delta): void {
    this.#claimed.set(versionName(delta.of, delta.key, delta.resourceVersion), true);
    this.#link(write, delta, "uid");
    if (write.verb !== "delete") return;
    const last = this.#latest.get(`${kindName(delta.of)} ${delta.uid}`);
    if (last === undefined || last.receivedAt < write.sentAt || !last.detail.endsGracePeriod) return;
    const name = versionName(last.of, last.key, last.resourceVersion);
    if (this.#claimed.get(name) === true) return;
    this.#claimed.set(name, true);
    this.#link(write, last, "uid");
  }

  #claim(name: string, write: Write, delta: Delta): void {
    if (this.#claimed.get(name) === true) return;
    // Between what was known and a list there may be several changes, and nothing shows which of them the write made.
    if (delta.type === "Replaced" && write.verb !== "create" && !write.conditional) {
      this.#overtaken(write);
      return;
    }
    // A delete of an object that is already being deleted changes nothing; its response has the current version.
    if (write.verb === "delete" && delta.type !== "Deleted" && !delta.detail.deletionGoesOn) return;
    const sure = write.verb === "create" || write.verb === "delete" || write.conditional || delta.type === "Deleted";
    if (!sure && delta.detail.writer !== write.fieldManager) return;
    this.#claimed.set(name, true);
    this.#link(write, delta, "resourceVersion");
  }

  #link(write: Write, delta: Delta, by: LinkEvent["by"]): void {
    this.#settle(write);
    this.#bus.emit({ stage: "link", write: write.seq, delta: delta.seq, by });
  }

  /** Waits for the delta that the write will cause, unless a list overtook it before its response came. */
  #await(write: Write): void {
    const name = `${kindName(write.of)} ${write.key}`;
    const relisted = this.#relisted.get(name);
    if (relisted !== undefined && isLater(relisted, write)) {
      this.#overtaken(write);
      return;
    }
    this.#waiting.add(name, write);
  }

  #settle(write: Write): void {
    this.#waiting.delete(`${kindName(write.of)} ${write.key}`, write);
  }

  /** The list shows a later state of the object than the writes that still wait for their delta. */
  #supersede(delta: Delta): void {
    const name = `${kindName(delta.of)} ${delta.key}`;
    this.#relisted.set(name, delta);
    for (const write of this.#waiting.get(name)) {
      if (delta.tombstone === true || isNewer(delta.resourceVersion, write.resourceVersion)) this.#overtaken(write);
    }
  }

  #overtaken(write: Write): void {
    this.#settle(write);
    this.#bus.emit({ stage: "link", write: write.seq, delta: 0, by: "superseded" });
  }
}

function kindName(of: KindName): string {
  return `${of.group}/${of.kind}`;
}

/**
 * A relist that came before the response of the write shows a later state: a later version, or that the object is gone. An object that
 * has the same name since is another one, and may have been created after that list.
 */
function isLater(relisted: Delta, { uid, resourceVersion }: Write): boolean {
  if (relisted.type === "Deleted") return relisted.uid === uid;
  if (resourceVersion === "") return relisted.uid !== uid;
  return isNewer(relisted.resourceVersion, resourceVersion);
}

/** Of two versions of one object; none is older than any. */
function isNewer(version: string, than: string): boolean {
  return BigInt(version) > BigInt(than);
}

function versionName(of: KindName, key: string, resourceVersion: string): string {
  return `${kindName(of)} ${key} ${resourceVersion}`;
}
