/** Records what our syncs intended to write and what the owner wrote, and compares the two. */
import { deepEqual } from "../../api/field-changes.ts";
import type { ObjectKey } from "../../api/key.ts";
import type { StoredObject } from "../../api/object.ts";
import { splitKey } from "../../api/key.ts";
import type { Cancel, Timeline } from "../../platform/timeline.ts";
import type { TraceBus } from "../../trace/bus.ts";
import type { Agreement, AgreementEvent } from "../../trace/events.ts";
import { type Act, actOf, type Observed } from "./acts.ts";
import {
  chooserOf,
  differences,
  type Intention,
  isGenerated,
  isIdle,
  isSame,
  type KeyOf,
  otherPropagation,
  overtaken,
  ownerUidOf,
  type Siblings,
} from "./intention.ts";
import type { WouldBeWrite } from "./overlay.ts";

/** What is known about the owner and about the objects. */
export interface IntentionsOptions {
  readonly bus: TraceBus;
  readonly timeline: Timeline;
  /** Whether the controller has an owner. Without one, no intention is ever fulfilled. */
  readonly hasOwner: (controller: string) => boolean;
  /** How often the controller's owner syncs a key that has not changed, in ms; 0 for one that acts on changes. */
  readonly syncsEveryMs: (controller: string) => number;
  /**
   * Whether the controller chooses which objects to delete; the garbage collector does not: each of its keys is the
   * object to delete.
   */
  readonly chooses: (controller: string) => boolean;
  /** The current state of the object of a write; undefined if it does not exist. */
  readonly now: (write: WouldBeWrite) => StoredObject | undefined;
  /** The objects among which one to be deleted is chosen, in their current state. */
  readonly siblingsOf: (kind: string, object: StoredObject) => Siblings;
  /** The criterion by which two siblings rank differently; undefined if they rank equally. */
  readonly distinguishedBy: (kind: string, pair: SiblingPair) => string | undefined;
  /** The API server's message when the owner tried the same write; undefined if there is no trace of that. */
  readonly refusalOf: (name: KeyOf, write: WouldBeWrite) => string | undefined;
  /** The key that an unexpected act belongs to; undefined if it belongs to none here. */
  readonly keyOfAct: (observed: Observed) => KeyOf | undefined;
}

/** Two objects of one owner, when one of the two was chosen for deletion. */
export interface SiblingPair {
  readonly one: StoredObject;
  readonly other: StoredObject;
  readonly related: readonly StoredObject[];
}

/** After this time without an event, a key's episode ends; later if its owner acts at intervals. */
export const quietMs = 2000;

interface Episode extends KeyOf {
  readonly standing: Set<Intention>;
  /** Objects that the owner created or changed without an intention of ours. */
  readonly acts: Map<string, { readonly observed: Observed; readonly act: Act }>;
  /** Objects that were deleted without an intention of ours. */
  readonly deletions: Observed[];
  /** Targets of the intentions of this episode. */
  readonly intended: Set<ObjectKey>;
  lastAt: number;
  timer: Cancel | undefined;
}

/**
 * An intention stands until the owner's delta fulfils it, until a later sync of the key no longer decides it, or,
 * overdue, until the key has been quiet for two seconds and for an interval of its owner. A standing intention is not
 * decided again. All methods are atomic.
 */
export class Intentions {
  #options: IntentionsOptions;
  #episodes = new Map<string, Episode>();
  #last = 0;

  constructor(options: IntentionsOptions) {
    this.#options = options;
  }

  /** A sync has decided this write. */
  decided(name: KeyOf, sync: number, write: WouldBeWrite): void {
    if (isIdle(write)) return;
    const episode = this.#episode(name);
    const open = [...episode.standing].filter(({ claimedBy }) => claimedBy !== sync);
    const same = open.filter((each) => isSame(each.write, write));
    // Creations without a name: the one of the same contents, otherwise any of the owner's.
    const known =
      same.find((each) => deepEqual(each.write.sent, write.sent)) ??
      same[0] ??
      open.find((each) => isSibling(each.write, write));
    if (known !== undefined) {
      known.claimedBy = sync;
      known.write = write;
      known.siblings = this.#siblings(write);
      this.#tell(known, sync, true);
      return;
    }
    const at = this.#options.timeline.now();
    const siblings = this.#siblings(write);
    const fresh = { claimedBy: sync, overdue: false };
    const intention: Intention = { ...name, id: ++this.#last, sync, at, write, siblings, ...fresh };
    for (const earlier of open.filter((each) => isReplaced(each.write, write))) {
      this.#settle(episode, earlier, "not comparable", `replaced by what sync ${sync} decided`);
    }
    episode.standing.add(intention);
    episode.intended.add(write.target);
    this.#tell(intention, sync, false);
    this.#stir(episode);
  }

  /** A sync has ended. What it has not decided again is no longer intended, unless the sync failed. */
  syncEnded(name: KeyOf, sync: number, failed: boolean): void {
    const episode = this.#episodes.get(textOf(name));
    if (episode === undefined || failed) return;
    for (const intention of episode.standing) {
      if (intention.claimedBy === sync || this.#pairDeletion(episode, intention)) continue;
      this.#settle(episode, intention, "not comparable", `sync ${sync} no longer wants it`);
    }
  }

  /** A delta has reached the cache. */
  observed(observed: Observed): void {
    const act = actOf(observed);
    if (act === undefined) return;
    if (this.#fulfil(observed, act)) return;
    if (act === "delete") {
      this.#deletedElse(observed);
      return;
    }
    const name = this.#options.keyOfAct(observed);
    if (name === undefined || !this.#options.hasOwner(name.controller)) return;
    const episode = this.#episode(name);
    episode.acts.set(`${observed.of.kind} ${observed.key}`, { observed, act });
    this.#stir(episode);
  }

  /** How many intentions stand. */
  get standing(): number {
    return [...this.#episodes.values()].reduce((sum, { standing }) => sum + standing.size, 0);
  }

  /** Ends all episodes as if they had been quiet for long enough. */
  stop(): void {
    for (const episode of this.#episodes.values()) this.#rest(episode);
  }

  #siblings({ verb, kind, before }: WouldBeWrite): Siblings {
    return verb === "delete" && before !== undefined
      ? this.#options.siblingsOf(kind, before)
      : { all: [], related: [] };
  }

  #fulfil(observed: Observed, act: Act): boolean {
    for (const episode of this.#episodes.values()) {
      const open = [...episode.standing].filter(({ write }) => isFulfilled(write, observed, act));
      const intention = closest(open, observed.after);
      if (intention === undefined) continue;
      this.#compare(episode, intention, observed);
      return true;
    }
    return false;
  }

  #compare(episode: Episode, intention: Intention, observed: Observed): void {
    const { write } = intention;
    const did = `owner ${pastOf[write.verb]}${isGenerated(write) ? ` ${splitKey(observed.key).name}` : ""}`;
    const policy = write.verb === "delete" ? otherPropagation(write, observed.after) : [];
    if (policy.length > 0) {
      const why = `${did} with another propagation policy: ${policy.join(", ")}`;
      this.#settle(episode, intention, "differs", why, observed);
      return;
    }
    const gone = write.verb === "delete" || write.after === undefined;
    const paths = gone || observed.after === undefined ? [] : differences(write, observed.after, observed.before);
    // An intermediate status differs: the intended one may still follow.
    if (paths.length > 0 && write.verb !== "create") {
      this.#stir(episode);
      return;
    }
    if (paths.length === 0) this.#settle(episode, intention, "same", did, observed);
    else this.#settle(episode, intention, "differs", `${did} with another ${paths.slice(0, 3).join(", ")}`, observed);
  }

  /** A sibling of an object to be deleted was deleted: possibly instead of it, unless that one is deleted too. */
  #deletedElse(observed: Observed): void {
    for (const episode of this.#episodes.values()) {
      if (!this.#options.chooses(episode.controller)) continue;
      if (![...episode.standing].some(({ write }) => isSiblingOf(write, observed))) continue;
      episode.deletions.push(observed);
      this.#pairDeletions(episode);
      return;
    }
  }

  /** Once at least as many others were deleted as intentions are open, each of those replaces one of these. */
  #pairDeletions(episode: Episode): void {
    const [first] = episode.deletions;
    if (first === undefined) return;
    const open = [...episode.standing].filter(({ write }) => isSiblingOf(write, first));
    if (open.length > episode.deletions.length) return;
    for (const intention of open) this.#pairDeletion(episode, intention);
  }

  /** Compares an object to be deleted with the one that was deleted instead; false if none was. */
  #pairDeletion(episode: Episode, intention: Intention): boolean {
    const { write } = intention;
    const at = episode.deletions.findIndex((each) => isSiblingOf(write, each));
    const [instead] = at < 0 ? [] : episode.deletions.splice(at, 1);
    if (instead?.before === undefined || write.before === undefined) return false;
    const uid = instead.before.metadata.uid;
    const other = intention.siblings.all.find(({ metadata }) => metadata.uid === uid) ?? instead.before;
    const pair = { one: write.before, other, related: intention.siblings.related };
    const by = this.#options.distinguishedBy(write.kind, pair);
    const why = `owner deleted ${splitKey(instead.key).name}${by === undefined ? ", which ranks alike" : ` instead (${by})`}`;
    this.#settle(episode, intention, by === undefined ? "same" : "differs", why, instead);
    return true;
  }

  #settle(episode: Episode, intention: Intention, is: Agreement, why: string, by?: Observed): void {
    episode.standing.delete(intention);
    this.#agree({ ...intention, is, why, intention: intention.id }, intention.write, by, intention.at);
    if (intention.write.verb === "delete" && is === "same") this.#pairDeletions(episode);
    this.#stir(episode);
  }

  /** Emits an event for a new intention, or for a standing one that a sync has decided again. */
  #tell({ controller, key, id, write }: Intention, sync: number, again: boolean): void {
    const { bus } = this.#options;
    if (!bus.on) return;
    const { verb, group, kind, subresource, target } = write;
    bus.emit({
      stage: "intention",
      controller,
      key,
      sync,
      intention: id,
      again,
      verb,
      of: { group, kind },
      ...(subresource !== "" && { subresource }),
      target,
    });
  }

  #agree(
    {
      controller,
      key,
      is,
      why,
      intention,
      sync,
    }: Pick<AgreementEvent, "controller" | "key" | "is" | "why"> & Partial<Pick<AgreementEvent, "intention" | "sync">>,
    {
      verb,
      group,
      kind,
      subresource,
      target,
      sent,
    }: Pick<WouldBeWrite, "verb" | "group" | "kind" | "subresource" | "target"> & Partial<Pick<WouldBeWrite, "sent">>,
    by: Observed | undefined,
    since: number | undefined,
  ): void {
    const { bus, timeline } = this.#options;
    if (!bus.on) return;
    bus.emit({
      stage: "agreement",
      controller,
      key,
      is,
      why,
      verb,
      of: {
        group,
        kind,
      },
      target,
      ...(intention !== undefined && isGenerated({ verb, sent }) && { generatedName: true }),
      ...(subresource !== "" && { subresource }),
      ...(intention !== undefined && { intention }),
      ...(sync !== undefined && { sync }),
      ...(by !== undefined && { delta: by.delta }),
      ...(by !== undefined && since !== undefined && { afterMs: timeline.now() - since }),
    });
  }

  #episode(name: KeyOf): Episode {
    const text = textOf(name);
    let episode = this.#episodes.get(text);
    if (episode === undefined) {
      const { controller, key } = name;
      const parts = { standing: new Set<Intention>(), acts: new Map(), deletions: [], intended: new Set<ObjectKey>() };
      episode = { controller, key, ...parts, lastAt: 0, timer: undefined };
      this.#episodes.set(text, episode);
    }
    return episode;
  }

  /** Something has happened to the key: its episode continues. */
  #stir(episode: Episode): void {
    const { timeline, hasOwner, syncsEveryMs } = this.#options;
    episode.lastAt = timeline.now();
    if (episode.timer !== undefined || !hasOwner(episode.controller)) return;
    const patienceMs = quietMs + syncsEveryMs(episode.controller);
    const wait = (ms: number): void => {
      episode.timer = timeline.after(ms, "shadow episode", () => {
        episode.timer = undefined;
        const quietFor = timeline.now() - episode.lastAt;
        if (quietFor >= patienceMs) this.#rest(episode);
        else wait(patienceMs - quietFor);
      });
    };
    wait(patienceMs);
  }

  /** The owner has not done these in time. It may have tried, or still do them, or nothing may be left to do. */
  #overdue(episode: Episode, open: readonly Intention[]): void {
    const { chooses, now, refusalOf } = this.#options;
    const refusals = new Map(open.map((each) => [each, refusalOf(episode, each.write)]));
    const anyRefused = [...refusals.values()].some((each) => each !== undefined);
    for (const intention of open) {
      const { write } = intention;
      const past = chooses(episode.controller) ? undefined : overtaken(write, now(write));
      if (past === undefined) intention.overdue = true;
      else episode.standing.delete(intention);
      const outcome = past ?? whyNotDone(write, refusals.get(intention), anyRefused);
      this.#agree({ ...intention, ...outcome, intention: intention.id }, write, undefined, undefined);
    }
  }

  /** The key has been quiet: standing intentions were not fulfilled; if there are none, the owner's further acts were right. */
  #rest(episode: Episode): void {
    episode.timer?.();
    episode.timer = undefined;
    const { controller, key, standing } = episode;
    const owned = this.#options.hasOwner(controller);
    const open = [...standing].filter(({ overdue }) => !overdue);
    if (owned) this.#overdue(episode, open);
    for (const { observed, act } of episode.acts.values()) {
      // Either side may write intermediate statuses.
      if (act === "update" && episode.intended.has(observed.key)) continue;
      const is = open.length === 0 ? "owner was faster" : "differs";
      const why = `owner ${pastOf[act]} ${observed.of.kind} ${splitKey(observed.key).name}, which no sync here decided`;
      const write = { ...observed.of, verb: act, subresource: "", target: observed.key };
      this.#agree({ controller, key, is, why }, write, observed, undefined);
    }
    episode.acts.clear();
    episode.deletions.length = 0;
    episode.intended.clear();
    if (standing.size === 0) this.#episodes.delete(textOf(episode));
  }
}

/** Our status reflects writes that succeeded locally: if the owner's were refused, there is nothing to compare. */
function whyNotDone(
  { verb, subresource }: WouldBeWrite,
  refusal: string | undefined,
  anyRefused: boolean,
): { readonly is: Agreement; readonly why: string } {
  if (refusal !== undefined) return { is: "owner was refused", why: `owner tried, was refused: ${refusal}` };
  const follows = anyRefused && (verb === "update" || verb === "patch") && subresource === "status";
  if (follows) return { is: "not comparable", why: "it follows from a write that the owner was refused" };
  return { is: "differs", why: "owner has not done it" };
}

const pastOf = { create: "created", update: "wrote", patch: "wrote", delete: "deleted" } as const;

function textOf({ controller, key }: KeyOf): string {
  return `${controller} ${key}`;
}

/** Which of an owner's objects is chosen for deletion may change until one is deleted. */
function isSibling(standing: WouldBeWrite, write: WouldBeWrite): boolean {
  if (standing.verb !== "delete" || write.verb !== "delete" || standing.kind !== write.kind) return false;
  const uid = chooserOf(write.before);
  return uid !== undefined && uid === chooserOf(standing.before);
}

/** Whether a deleted object has the same owner as the one to be deleted. */
function isSiblingOf(write: WouldBeWrite, { of, before }: Observed): boolean {
  if (write.verb !== "delete" || write.kind !== of.kind || before === undefined) return false;
  const uid = chooserOf(write.before);
  return uid !== undefined && uid === chooserOf(before);
}

/** Whether a change replaces an earlier one of the same object. */
function isReplaced(standing: WouldBeWrite, write: WouldBeWrite): boolean {
  return (
    (write.verb === "update" || write.verb === "patch") &&
    standing.verb === write.verb &&
    standing.kind === write.kind &&
    standing.target === write.target &&
    standing.subresource === write.subresource
  );
}

/** Of several creations without a name, the one that intended this object: a DaemonSet creates one pod for each node, in any order. */
function closest(open: readonly Intention[], object: StoredObject | undefined): Intention | undefined {
  const [first] = open;
  if (first === undefined || open.length === 1 || object === undefined || !isGenerated(first.write)) return first;
  return open.find(({ write }) => differences(write, object, undefined).length === 0) ?? first;
}

/** Whether the delta may fulfil the write, by verb and object. */
function isFulfilled(write: WouldBeWrite, { of, key, after }: Observed, act: Act): boolean {
  if (write.kind !== of.kind || write.group !== of.group) return false;
  switch (write.verb) {
    case "create": {
      if (act !== "create") return false;
      if (!isGenerated(write)) return write.target === key;
      const uid = ownerUidOf(write);
      return (
        uid !== undefined && after !== undefined && uid === ownerUidOf({ ...write, verb: "delete", before: after })
      );
    }
    case "delete":
      return act === "delete" && write.target === key;
    case "update":
    case "patch":
      if (write.target !== key) return false;
      return write.after === undefined ? after === undefined : act === "update" || after !== undefined;
  }
}
