/** Compares the claims of our events (this write caused that delta, which triggered that sync) with the truth. */
import type { ObjectKey } from "../../../src/api/key.ts";
import type {
  DeltaEvent,
  EventHead,
  GetEvent,
  LinkEvent,
  ListEvent,
  StageEvent,
  WatchEvent,
  WriteEvent,
} from "../../../src/trace/events.ts";
import type { Trigger } from "../../../src/trace/triggers.ts";
import type { Author, Authors } from "./authors.ts";

type Write = WriteEvent & EventHead;
type Delta = DeltaEvent & EventHead;

/** The claims of a run; `listener` must be added to its bus. */
export class Claims {
  readonly writes: Map<number, Write> = new Map();
  readonly deltas: Map<number, Delta> = new Map();
  readonly links: LinkEvent[] = [];
  readonly syncs: GetEvent[] = [];
  /** Lists and watches of all kinds. */
  readonly reading: ((ListEvent | WatchEvent) & EventHead)[] = [];
  relists = 0;

  readonly listener = (event: StageEvent): void => {
    if (event.stage === "write") this.writes.set(event.seq, event);
    else if (event.stage === "delta") {
      // Computed now, as a view does, because the objects may not be available later.
      void event.detail.changes;
      this.deltas.set(event.seq, event);
    } else if (event.stage === "link") this.links.push(event);
    else if (event.stage === "get") this.syncs.push(event);
    else if (event.stage === "list" || event.stage === "watch") this.reading.push(event);
    if (event.stage === "list" && event.why !== "start" && event.error === undefined) this.relists++;
  };

  /** All kinds that were ever watched, separated by whether their watch is open. */
  watches(): { readonly open: readonly string[]; readonly closed: readonly string[] } {
    const last = new Map<string, WatchEvent["state"]>();
    for (const event of this.reading)
      if (event.stage === "watch") last.set(`${event.of.kind}.${event.of.group}`, event.state);
    const kinds = [...last.keys()];
    const isOpen = (kind: string): boolean => last.get(kind) === "opened";
    return { open: kinds.filter(isOpen), closed: kinds.filter((kind) => !isOpen(kind)) };
  }

  /** The deltas of a written object around the write, and the lists and watches of its kind: for failure messages. */
  around(write: Write): string {
    const at = (time: number): string => `${Math.round(time - write.sentAt)} ms`;
    const isOf = ({ of }: { readonly of: Write["of"] }): boolean =>
      of.kind === write.of.kind && of.group === write.of.group;
    const deltas = [...this.deltas.values()]
      .filter((delta) => isOf(delta) && delta.key === write.key)
      .map((delta) => ({
        seq: delta.seq,
        says: `${nameOf(delta)}${delta.relist === true ? " by a relist" : ""} received at ${at(delta.receivedAt)}`,
      }));
    const reading = this.reading.filter(isOf).map((event) => ({
      seq: event.seq,
      says: `${event.stage} ${event.stage === "list" ? "" : `${event.state} `}${event.resourceVersion} (${event.why}) at ${at(event.at)}`,
    }));
    const response = { seq: write.seq, says: `its answer at ${at(write.sentAt + write.ms)}, told at ${at(write.at)}` };
    const all = [...deltas, ...reading, response].sort((a, b) => a.seq - b.seq);
    const index = all.indexOf(response);
    return all
      .slice(Math.max(0, index - 5), index + 6)
      .map(({ says }) => says)
      .join("; ");
  }
}

export interface Verdict {
  /** Links to a delta that another client caused, each as one line. */
  readonly falseLinks: readonly string[];
  /** Deltas caused by our writes, and writes that caused one, without a link, except for superseded ones. */
  readonly missing: readonly string[];
  /** Missing links that cannot be proven: a patch without a resourceVersion that only removes something leaves no trace of its author. */
  readonly unproven: readonly string[];
  /** Triggers that name a delta that does not exist, or that belongs to an object unrelated to the sync. */
  readonly falseTriggers: readonly string[];
  readonly links: number;
  readonly superseded: number;
  readonly triggers: number;
  /** Links to deltas without a logged author, because the server was killed before it wrote the log. */
  readonly unknown: readonly string[];
  /** Links to deltas with more than one possible author, including ours. */
  readonly ambiguous: readonly string[];
  /** Links of our delete to a deletion that a concurrent delete started: the exception documented for `Linker`. */
  readonly raced: readonly string[];
}

/** The resource of the delta's kind, such as `replicasets`. */
type ResourceOf = (delta: { readonly of: { readonly kind: string } }) => string;

export function judge(claims: Claims, authors: Authors, resourceOf: ResourceOf): Verdict {
  const authorsOf = (delta: Delta): readonly Author[] => {
    const removers = delta.type === "Deleted" ? authors.ofRemoval(delta.uid) : [];
    return removers.length > 0 ? removers : authors.of(resourceOf(delta), delta.key, delta.resourceVersion);
  };
  const links = claims.links.filter(({ by, delta }) => by !== "superseded" && isLogged(claims.deltas.get(delta)));
  const verdict = {
    falseLinks: [] as string[],
    unknown: [] as string[],
    ambiguous: [] as string[],
    raced: [] as string[],
  };
  for (const { write, delta, by } of links) {
    const [ours, caused] = [claims.writes.get(write), claims.deltas.get(delta)];
    const all = caused === undefined ? [] : authorsOf(caused);
    const text = `${nameOf(caused)}: ${authorsText(all)}, linked by ${by} to ${nameOfWrite(ours)}`;
    if (ours !== undefined && all.some((author) => isOf(author, ours))) {
      if (new Set(all.map(({ id }) => id)).size > 1) verdict.ambiguous.push(text);
    } else if (caused !== undefined && all.length === 0) verdict.unknown.push(text);
    else (isRace(ours, caused, all) ? verdict.raced : verdict.falseLinks).push(text);
  }
  const unlinked = unlinkedDeltas(claims, authorsOf);
  return {
    ...verdict,
    missing: [
      ...unlinked.filter(({ unproven }) => !unproven).map(({ text }) => text),
      ...unlinkedWrites(claims, authors, resourceOf),
    ],
    unproven: unlinked.filter(({ unproven }) => unproven).map(({ text }) => text),
    falseTriggers: falseTriggers(claims, authors),
    links: links.length,
    superseded: claims.links.filter(({ by }) => by === "superseded").length,
    triggers: claims.syncs.reduce((sum, { triggers }) => sum + triggers.total, 0),
  };
}

/** Both deletes returned the version at which the first one started the deletion, and ours was sent before that was observed. */
function isRace(ours: Write | undefined, caused: Delta | undefined, authors: readonly Author[]): boolean {
  return (
    ours?.verb === "delete" &&
    caused !== undefined &&
    ours.resourceVersion === caused.resourceVersion &&
    ours.sentAt <= caused.receivedAt &&
    authors.every(({ verb }) => verb === "delete")
  );
}

/** The audit log does not contain the responses for Leases. */
function isLogged(delta: Delta | undefined): boolean {
  return delta?.of.kind !== "Lease";
}

interface Unlinked {
  readonly text: string;
  readonly unproven: boolean;
}

function unlinkedDeltas(claims: Claims, authorsOf: (delta: Delta) => readonly Author[]): Unlinked[] {
  const linked = new Set(claims.links.map(({ delta }) => delta));
  const succeeded = new Set([...claims.writes.values()].filter(({ error }) => error === undefined).map(decisionOf));
  return [...claims.deltas.values()].flatMap((delta) => {
    const seen = delta.type !== "Replaced" && delta.type !== "Sync" && delta.relist !== true;
    if (!seen || delta.tombstone === true || linked.has(delta.seq)) return [];
    const all = authorsOf(delta);
    // A write whose response was lost cannot know that it was stored.
    const areOurs =
      all.length > 0 && all.every(({ decision }) => decision !== undefined && succeeded.has(nameOfDecision(decision)));
    if (!areOurs) return [];
    return [
      {
        text: `${nameOf(delta)}: ${authorsText(all)}`,
        unproven: all.some(({ verb }) => verb === "patch") && onlyTakesAway(delta),
      },
    ];
  });
}

function unlinkedWrites(claims: Claims, authors: Authors, resourceOf: ResourceOf): string[] {
  const linked = new Set(claims.links.map(({ write }) => write));
  const watched = new Set([...claims.deltas.values()].map(({ of }) => of.kind));
  const shown = new Map<string, Delta>();
  const latest = new Map<string, number>();
  for (const delta of claims.deltas.values()) {
    const version = `${delta.of.kind} ${delta.key} ${delta.resourceVersion}`;
    if (!shown.has(version)) shown.set(version, delta);
    latest.set(`${delta.of.kind} ${delta.key}`, delta.seq);
  }
  return [...claims.writes.values()].flatMap((write) => {
    if (write.sync === undefined || write.error !== undefined || linked.has(write.seq)) return [];
    if (!watched.has(write.of.kind)) return [];
    const stored = write.resourceVersion === "" ? [] : authors.of(resourceOf(write), write.key, write.resourceVersion);
    // The write changed nothing: the version in its response is from another client, or there is none.
    if (stored.length === 0 ? !write.deletes : !stored.every((author) => isOf(author, write))) return [];
    const name = `${write.of.kind} ${write.key}`;
    const delta = shown.get(`${name} ${write.resourceVersion}`);
    // A change that happened while no watch was open, and is no longer visible in the next list, has no delta.
    if (delta === undefined && claims.relists > 0 && (latest.get(name) ?? 0) < write.seq) return [];
    // Already reported with its delta.
    if (write.verb === "patch" && delta !== undefined && onlyTakesAway(delta)) return [];
    return [`no delta for ${nameOfWrite(write)}: ${claims.around(write)}`];
  });
}

function falseTriggers(claims: Claims, authors: Authors): string[] {
  return claims.syncs.flatMap((sync) =>
    [...sync.triggers.first, ...sync.triggers.last].flatMap((trigger) => {
      if (trigger.cause !== "delta") return [];
      const delta = claims.deltas.get(trigger.delta);
      const same =
        delta !== undefined &&
        delta.of.kind === trigger.kind &&
        delta.type === trigger.type &&
        delta.key === trigger.key &&
        delta.resourceVersion === trigger.resourceVersion;
      if (same && concerns(sync.controller, sync.key, trigger, authors)) return [];
      return [`${sync.controller} ${sync.key} by ${trigger.kind} ${trigger.key}: ${nameOf(delta)}`];
    }),
  );
}

/** Whether a change of the object can trigger this key: the object itself, one that it owns or has owned, or an orphan. */
function concerns(
  controller: string,
  key: ObjectKey,
  trigger: Trigger & { cause: "delta" },
  authors: Authors,
): boolean {
  const own = { replicaset: ["ReplicaSet", ["pods"]], deployment: ["Deployment", ["replicasets", "pods"]] } as const;
  if (controller !== "replicaset" && controller !== "deployment") return true;
  const [kind, owned] = own[controller];
  if (trigger.kind === kind) return trigger.key === key;
  const resource = `${trigger.kind.toLowerCase()}s`;
  if (!(owned as readonly string[]).includes(resource)) return false;
  const namespace = key.split("/")[0];
  const isOwner = (owner: string): boolean => owner === "" || `${kind} ${key}` === owner.replace(" ", ` ${namespace}/`);
  const owners = [...authors.ownersOf(resource, trigger.key)];
  // A Deployment is also triggered by the pods of its ReplicaSets.
  return owners.some(
    (owner) =>
      isOwner(owner) ||
      (controller === "deployment" &&
        [...authors.ownersOf("replicasets", `${namespace}/${owner.split(" ")[1]}`)].some(isOwner)),
  );
}

function isOf(author: Author, write: Write): boolean {
  if (author.decision === undefined)
    return write.sync === undefined && author.agent === write.fieldManager && author.key === write.key;
  const target = write.verb !== "create" || write.subresource !== undefined ? author.key === write.key : true;
  return nameOfDecision(author.decision) === decisionOf(write) && author.verb === write.verb && target;
}

function nameOfDecision({ controller, sync, seq }: NonNullable<Author["decision"]>): string {
  return `${controller} ${sync} ${seq}`;
}

function decisionOf({ controller, sync, decision }: Write): string {
  return `${controller} ${sync} ${decision}`;
}

function onlyTakesAway({ detail }: Delta): boolean {
  return (
    detail.changes.length > 0 &&
    detail.changes.every(
      ({ before, after }) =>
        after === undefined || (Array.isArray(before) && Array.isArray(after) && after.length < before.length),
    )
  );
}

function nameOf(delta: Delta | undefined): string {
  return delta === undefined ? "no delta" : `${delta.type} ${delta.of.kind} ${delta.key} ${delta.resourceVersion}`;
}

function nameOfWrite(write: Write | undefined): string {
  if (write === undefined) return "no write";
  const { verb, of, key, resourceVersion, fieldManager, sync } = write;
  return `${verb} ${of.kind} ${key} ${resourceVersion} by ${fieldManager} sync ${sync ?? "-"}`;
}

function authorsText(authors: readonly Author[]): string {
  return authors.map(({ verb, agent, decision }) => `${verb} by ${agent} sync ${decision?.sync ?? "-"}`).join(" or ");
}
