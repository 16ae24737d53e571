/** What was written to one object while it was watched: its writes, who made them, and its fields. */
import type { ObjectKey } from "../../api/key.ts";
import type { DeltaEvent, KindName } from "../../trace/events.ts";
import { answersFirst, FieldHistory } from "./field-history.ts";
import { asksFor, isAskedFor } from "./loop.ts";
import { Moments } from "./moments.ts";

/** Fields of one object that are followed; an object with more is changing in earnest. */
const mostFields = 64;
/** Writes of one object that are remembered each by itself. */
const recentWrites = 64;

/** One write of an object, as far as it matters for loops. */
export interface ObjectWrite {
  readonly writer: string | undefined;
  /** The fields that it changed. */
  readonly fields: readonly FieldHistory[];
  /** It changed more than these. */
  readonly hasMore: boolean;
}

/** The writes of one object, field by field. Its size is bounded, however often the object is written. */
export class ObjectHistory {
  readonly of: KindName;
  readonly key: ObjectKey;
  readonly uid: string;
  readonly firstAt: number;
  lastAt: number;
  writes = 0;
  readonly moments: Moments = new Moments();
  /** Of writes that change nothing but the version. */
  readonly emptyMoments: Moments = new Moments();
  empty = 0;
  readonly fields: Map<string, FieldHistory> = new Map();
  readonly writers: Map<string | undefined, number> = new Map();
  /** The latest writes, oldest first. */
  readonly recent: ObjectWrite[] = [];
  /** The uid of its controller. */
  owner: string | undefined;

  constructor({ of, key, uid, receivedAt }: DeltaEvent) {
    this.of = of;
    this.key = key;
    this.uid = uid;
    this.firstAt = receivedAt;
    this.lastAt = receivedAt;
  }

  /** Takes in a write. */
  add({ detail, receivedAt: at }: DeltaEvent): void {
    if (detail.changes.length > 0 && detail.changes.every(({ path }) => isElection(path))) return;
    this.owner = detail.owner;
    this.writes++;
    this.lastAt = at;
    this.moments.add(at);
    // Of the first one that is seen nobody knows what was before it, and so neither who wrote it.
    if (detail.isNew) return;
    const { writer } = detail;
    this.writers.set(writer, (this.writers.get(writer) ?? 0) + 1);
    // A generation goes up by itself.
    const changes = detail.changes.filter(({ path }) => path !== ".metadata.generation");
    if (changes.length === 0) {
      this.empty++;
      this.emptyMoments.add(at);
    }
    if (changes.some(({ path }) => asksFor(path))) this.#begin();
    const isFirstAnswer = answersFirst(changes);
    const fields = changes.flatMap((change) => {
      const field = this.#field(change.path);
      field?.add({ change, writer, at, write: this.writes, isFirstAnswer });
      return field ?? [];
    });
    this.recent.push({ writer, fields, hasMore: fields.length < changes.length });
    if (this.recent.length > recentWrites) this.recent.shift();
  }

  /** The spec was changed: status changes from here on may follow from that, and are counted from zero. */
  #begin(): void {
    for (const path of this.fields.keys()) if (!isAskedFor(path)) this.fields.delete(path);
  }

  #field(path: string): FieldHistory | undefined {
    let field = this.fields.get(path);
    if (field === undefined && this.fields.size < mostFields) {
      field = new FieldHistory(path);
      this.fields.set(path, field);
    }
    return field;
  }
}

/** An election's record on a ConfigMap or an Endpoints: renewed every few seconds, by design. */
function isElection(path: string): boolean {
  return path.includes('["control-plane.alpha.kubernetes.io/leader"]');
}
