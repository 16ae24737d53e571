/** The ledger of shadow: what our syncs meant to write, what the owner wrote, and how the two compare. */
import type { ObjectKey } from "../../api/key.ts";
import type { StoredObject } from "../../api/object.ts";
import { splitKey } from "../../api/key.ts";
import type { Cancel, Timeline } from "../../platform/timeline.ts";
import type { TraceBus } from "../../trace/bus.ts";
import type { Agreement, AgreementEvent } from "../../trace/events.ts";
import { type Act, actOf, type Observed } from "./acts.ts";
import {
  differences,
  type Intention,
  isGenerated,
  isIdle,
  isSame,
  type KeyOf,
  overtaken,
  ownerUidOf,
  type Siblings,
} from "./intention.ts";
import type { WouldBeWrite } from "./overlay.ts";

export interface IntentionsOptions {
  readonly bus: TraceBus;
  readonly timeline: Timeline;
  /** Whether somebody else does what the controller would do. Without an owner nothing is ever fulfilled. */
  readonly hasOwner: (controller: string) => boolean;
  /** Whether the controller chooses what it deletes; the garbage collector does not: each of its keys is the object that goes. */
  readonly chooses: (controller: string) => boolean;
  /** The object of a write as it is known now; undefined where it is gone. */
  readonly now: (write: WouldBeWrite) => StoredObject | undefined;
  /** What an object that is to be deleted is chosen among, as it is now. */
  readonly siblingsOf: (kind: string, object: StoredObject) => Siblings;
  /** By what the first of two siblings goes before the other or after it; undefined where it is all the same which goes. */
  readonly distinguishedBy: (kind: string, pair: SiblingPair) => string | undefined;
  /** What the API server said when the owner tried to write the same; undefined where nothing tells that it did. */
  readonly refusalOf: (name: KeyOf, write: WouldBeWrite) => string | undefined;
  /** Whose answer to what an unexpected act is; undefined where nobody's here. */
  readonly keyOfAct: (observed: Observed) => KeyOf | undefined;
}

/** Two of an owner's objects, as they were when one of the two was chosen to be deleted. */
export interface SiblingPair {
  readonly one: StoredObject;
  readonly other: StoredObject;
  readonly related: readonly StoredObject[];
}

/** A key that has been quiet for so long has come to rest: its episode is over. */
export const quietMs = 2000;

interface Episode extends KeyOf {
  readonly standing: Set<Intention>;
  /** Objects that the owner made or changed without an intention of ours. */
  readonly acts: Map<string, { readonly observed: Observed; readonly act: Act }>;
  /** Objects that somebody deleted without an intention of ours. */
  readonly deletions: Observed[];
  /** Targets that intentions of this episode were about. */
  readonly intended: Set<ObjectKey>;
  lastAt: number;
  timer: Cancel | undefined;
}

/**
 * An intention stands until the owner's delta fulfils it; until a later sync of the key no longer decides it; or, overdue, until
 * the key has been quiet for two seconds. One that stands is not decided again. All methods are atomic.
 */
export class Intentions {
  #options: IntentionsOptions;
  #episodes = new Map<string, Episode>();
  #last = 0;

  constructor(options: IntentionsOptions) {
    this.#options = options;
  }

  /** A sync would have written this. */
  decided(name: KeyOf, sync: number, write: WouldBeWrite): void {
    if (isIdle(write)) return;
    const episode = this.#episode(name);
    const open = [...episode.standing].filter(({ claimedBy }) => claimedBy !== sync);
    const known = open.find((each) => isSame(each.write, write)) ?? open.find((each) => isSibling(each.write, write));
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

  /** A sync has ended. What it has not decided again is no longer meant, unless it failed on the way. */
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
      for (const intention of episode.standing) {
        if (isFulfilled(intention.write, observed, act)) {
          this.#compare(episode, intention, observed);
          return true;
        }
      }
    }
    return false;
  }

  #compare(episode: Episode, intention: Intention, observed: Observed): void {
    const { write } = intention;
    const gone = write.verb === "delete" || write.after === undefined;
    const paths = gone || observed.after === undefined ? [] : differences(write, observed.after, observed.before);
    const did = `owner ${pastOf[write.verb]}${isGenerated(write) ? ` ${splitKey(observed.key).name}` : ""}`;
    // A status on its way is another one: the one that is meant may still come.
    if (paths.length > 0 && write.verb !== "create") {
      this.#stir(episode);
      return;
    }
    if (paths.length === 0) this.#settle(episode, intention, "same", did, observed);
    else this.#settle(episode, intention, "differs", `${did} with another ${paths.slice(0, 3).join(", ")}`, observed);
  }

  /** A sibling of an object that was meant to go has gone: it may be in its place, if that one does not go too. */
  #deletedElse(observed: Observed): void {
    for (const episode of this.#episodes.values()) {
      if (!this.#options.chooses(episode.controller)) continue;
      if (![...episode.standing].some(({ write }) => isSiblingOf(write, observed))) continue;
      episode.deletions.push(observed);
      this.#pairDeletions(episode);
      return;
    }
  }

  /** When as many are still meant to go as others have gone, each of those went in the place of one of these. */
  #pairDeletions(episode: Episode): void {
    const [first] = episode.deletions;
    if (first === undefined) return;
    const open = [...episode.standing].filter(({ write }) => isSiblingOf(write, first));
    if (open.length > episode.deletions.length) return;
    for (const intention of open) this.#pairDeletion(episode, intention);
  }

  /** Compares an object that was meant to go with one that went in its place; false where none did. */
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

  /** Tells the bus of a new intention, or of one that stands already and that a sync has decided again. */
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

  /** Something has happened to the key: its episode goes on. */
  #stir(episode: Episode): void {
    const { timeline, hasOwner } = this.#options;
    episode.lastAt = timeline.now();
    if (episode.timer !== undefined || !hasOwner(episode.controller)) return;
    const wait = (ms: number): void => {
      episode.timer = timeline.after(ms, "shadow episode", () => {
        episode.timer = undefined;
        const quietFor = timeline.now() - episode.lastAt;
        if (quietFor >= quietMs) this.#rest(episode);
        else wait(quietMs - quietFor);
      });
    };
    wait(quietMs);
  }

  /** The owner has let these stand. It may have tried, and may still do them; or there is nothing left to do. */
  #overdue(episode: Episode, open: readonly Intention[]): void {
    const { chooses, now, refusalOf } = this.#options;
    const refusals = new Map(open.map((each) => [each, refusalOf(episode, each.write)]));
    const anyRefused = [...refusals.values()].some((each) => each !== undefined);
    for (const intention of open) {
      const { write } = intention;
      const past = chooses(episode.controller) ? undefined : overtaken(write, now(write));
      if (past === undefined) intention.overdue = true;
      else episode.standing.delete(intention);
      const told = past ?? whyNotDone(write, refusals.get(intention), anyRefused);
      this.#agree({ ...intention, ...told, intention: intention.id }, write, undefined, undefined);
    }
  }

  /** The key has come to rest. What stands now was not done; what the owner did beyond it was right, if nothing stands. */
  #rest(episode: Episode): void {
    episode.timer?.();
    episode.timer = undefined;
    const { controller, key, standing } = episode;
    const owned = this.#options.hasOwner(controller);
    const open = [...standing].filter(({ overdue }) => !overdue);
    if (owned) this.#overdue(episode, open);
    for (const { observed, act } of episode.acts.values()) {
      // Between the first and the last status there are others, on either side.
      if (act === "update" && episode.intended.has(observed.key)) continue;
      const is = open.length === 0 ? "owner was faster" : "differs";
      const why = `owner ${pastOf[act]} ${observed.of.kind} ${splitKey(observed.key).name}, which no sync here had decided`;
      const write = { ...observed.of, verb: act, subresource: "", target: observed.key };
      this.#agree({ controller, key, is, why }, write, observed, undefined);
    }
    episode.acts.clear();
    episode.deletions.length = 0;
    episode.intended.clear();
    if (standing.size === 0) this.#episodes.delete(textOf(episode));
  }
}

/** Our status tells of writes that were answered here: where the owner's were refused, there is nothing to compare. */
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

/** Which of an owner's objects is to go may change while none has gone. */
function isSibling(standing: WouldBeWrite, write: WouldBeWrite): boolean {
  if (standing.verb !== "delete" || write.verb !== "delete" || standing.kind !== write.kind) return false;
  const uid = ownerUidOf(write);
  return uid !== undefined && uid === ownerUidOf(standing);
}

/** Whether what somebody deleted has the owner of what was meant to be deleted. */
function isSiblingOf(write: WouldBeWrite, { of, before }: Observed): boolean {
  if (write.verb !== "delete" || write.kind !== of.kind || before === undefined) return false;
  const uid = ownerUidOf(write);
  return uid !== undefined && uid === ownerUidOf({ ...write, before });
}

/** A change that is meant in place of another one of the same object. */
function isReplaced(standing: WouldBeWrite, write: WouldBeWrite): boolean {
  return (
    (write.verb === "update" || write.verb === "patch") &&
    standing.verb === write.verb &&
    standing.kind === write.kind &&
    standing.target === write.target &&
    standing.subresource === write.subresource
  );
}

/** Whether the delta may be what was meant, as far as verb and object go. */
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
