import type { TraceBus } from "./bus.ts";
import type { DeltaEvent, EventHead, KindName, LinkEvent, Stage, StageEvent, WriteEvent } from "./events.ts";
import { GenerationalCache, GenerationalSets } from "./generational-cache.ts";

type Write = WriteEvent & EventHead;
type Delta = DeltaEvent & EventHead;

/** The stages that a linker needs. */
export const linkedStages: readonly Stage[] = ["delta", "write"];

/** Changes remembered per object. */
const rememberedChanges = 4;
/** Writes remembered per object while they wait for their deltas. */
const rememberedWrites = 64;

/**
 * Finds the deltas that a write caused, and emits `link` events. A link is exact or absent:
 *
 * - A create, or a write with a precondition on the version it is based on, produces a unique resourceVersion: the delta with that
 *   version is its own. The delta may be received before the response or after it.
 * - Any other write may have changed nothing, and then its response carries the version of another write. It is linked only if the
 *   delta's writer, read from managedFields, is the write's own field manager.
 * - A deletion is matched by uid, because a response with a deletionTimestamp and no finalizers, or a Status, does not carry the version
 *   of the delta that follows. A delete of ours is linked to the delta that set the deletionTimestamp at the response's version. If the
 *   response shows that the object is removed, it is also linked to the delta that removed it, and to the end of the grace period just
 *   before. Another client that deletes the same object between our request and its delta gets the same response: only in this case may
 *   the link be wrong.
 * - The response to a binding is a Status: it is linked to the delta that set the pod's node, which happens once.
 * - If a relist arrives before the delta of a write, the delta never will: `superseded`, also if the response comes after the list. Only
 *   a write that is identified by its version can still be found in a list.
 *
 * Each version is claimed by at most one write.
 */
export class Linker {
  #bus: TraceBus;
  #deltas = new GenerationalCache<string, Delta>();
  /** The latest change of each object, by kind and uid: a delete may cause two deltas. */
  #latest = new GenerationalCache<string, Delta>();
  /** The latest changes of each pod, by kind and key: the response to a binding has no uid. */
  #byKey = new GenerationalSets<Delta>(rememberedChanges);
  /** Bindings of pods, by kind and key. */
  #bindings = new GenerationalCache<string, Write>();
  /** Deltas that removed an object, by kind and uid. */
  #removals = new GenerationalCache<string, Delta>();
  /** Writes by the version in their response; of the writes with one version, all but one changed nothing. */
  #writes = new GenerationalSets<Write>(rememberedWrites);
  #deletes = new GenerationalCache<string, Write>();
  #claimed = new GenerationalCache<string, true>();
  /** Writes waiting for their delta, by kind and key, in case a relist overtakes them. Kinds that are not watched never get a delta. */
  #waiting = new GenerationalSets<Write>(rememberedWrites);
  /** The delta of each object from the last relist, by kind and key: writes whose responses come later may be older. */
  #relisted = new GenerationalCache<string, Delta>();

  constructor(bus: TraceBus) {
    this.#bus = bus;
  }

  /** Pass this to `bus.listen`. */
  readonly listener = (event: StageEvent): void => {
    if (event.stage === "delta") this.#delta(event);
    else if (event.stage === "write" && event.error === undefined && event.wouldBe !== true) this.#write(event);
  };

  /** The number of entries remembered, which is bounded however long it listens. */
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
    // The write changed nothing.
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

  /** A pod's node is set once, by the binding that succeeded. */
  #linkBinding(write: Write, delta: Delta): void {
    const node = write.changes.find(({ path }) => path === ".spec.nodeName")?.after;
    const given = delta.detail.changes.find(({ path }) => path === ".spec.nodeName");
    if (given === undefined || given.before !== undefined || given.after !== node) return;
    const name = versionName(delta.of, delta.key, delta.resourceVersion);
    if (this.#claimed.get(name) === true || delta.receivedAt < write.sentAt) return;
    this.#claimed.set(name, true);
    this.#link(write, delta, "binding");
  }

  /** Links the removal, and the end of the grace period that the same request caused just before it. */
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
    // A relist may combine several changes, and nothing shows which of them the write made.
    if (delta.type === "Replaced" && write.verb !== "create" && !write.conditional) {
      this.#emitSuperseded(write);
      return;
    }
    // A delete of an object that is already being deleted changes nothing; its response carries the current version.
    if (write.verb === "delete" && delta.type !== "Deleted" && !delta.detail.advancesDeletion) return;
    const isUnique =
      write.verb === "create" || write.verb === "delete" || write.conditional || delta.type === "Deleted";
    if (!isUnique && delta.detail.writer !== write.fieldManager) return;
    this.#claimed.set(name, true);
    this.#link(write, delta, "resourceVersion");
  }

  #link(write: Write, delta: Delta, by: LinkEvent["by"]): void {
    this.#settle(write);
    this.#bus.emit({ stage: "link", write: write.seq, delta: delta.seq, by });
  }

  /** Remembers a write until its delta arrives, unless a relist overtook it before its response came. */
  #await(write: Write): void {
    const name = `${kindName(write.of)} ${write.key}`;
    const relisted = this.#relisted.get(name);
    if (relisted !== undefined && isLater(relisted, write)) {
      this.#emitSuperseded(write);
      return;
    }
    this.#waiting.add(name, write);
  }

  #settle(write: Write): void {
    this.#waiting.delete(`${kindName(write.of)} ${write.key}`, write);
  }

  /** Supersedes the waiting writes that are older than the state in a relist. */
  #supersede(delta: Delta): void {
    const name = `${kindName(delta.of)} ${delta.key}`;
    this.#relisted.set(name, delta);
    for (const write of this.#waiting.get(name)) {
      if (delta.tombstone === true || isNewer(delta.resourceVersion, write.resourceVersion))
        this.#emitSuperseded(write);
    }
  }

  #emitSuperseded(write: Write): void {
    this.#settle(write);
    this.#bus.emit({ stage: "link", write: write.seq, delta: 0, by: "superseded" });
  }
}

function kindName(of: KindName): string {
  return `${of.group}/${of.kind}`;
}

/**
 * Whether a relist received before the response of a write shows a later state: a later version, or that the object is deleted. An
 * object with the same name but another uid may have been created after that list.
 */
function isLater(relisted: Delta, { uid, resourceVersion }: Write): boolean {
  if (relisted.type === "Deleted") return relisted.uid === uid;
  if (resourceVersion === "") return relisted.uid !== uid;
  return isNewer(relisted.resourceVersion, resourceVersion);
}

/** Compares two resourceVersions of one object; the empty one is older than any. */
function isNewer(version: string, than: string): boolean {
  return BigInt(version) > BigInt(than);
}

function versionName(of: KindName, key: string, resourceVersion: string): string {
  return `${kindName(of)} ${key} ${resourceVersion}`;
}
