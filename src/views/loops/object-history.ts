/** The history of writes to one object, by writer and field. */
import type { ObjectKey } from "../../api/key.ts";
import type { DeltaEvent, KindName } from "../../trace/events.ts";
import { observesSpecChange, FieldHistory } from "./field-history.ts";
import { requestsAction, isDesiredState } from "./loop.ts";
import { Moments } from "./moments.ts";

/** Fields of one object that are followed; an object with more of them makes real changes. */
const maxFields = 64;
/** Writes of one object that are kept individually. */
const recentWrites = 64;

/** One write of an object. */
export interface ObjectWrite {
  readonly writer: string | undefined;
  /** The fields that it changed. */
  readonly fields: readonly FieldHistory[];
  /** It also changed fields that are not followed. */
  readonly hasMore: boolean;
}

/** The writes of one object, field by field, in bounded space. */
export class ObjectHistory {
  readonly of: KindName;
  readonly key: ObjectKey;
  readonly uid: string;
  readonly firstAt: number;
  lastAt: number;
  writes = 0;
  readonly moments: Moments = new Moments();
  /** The times of writes that change nothing but the resourceVersion. */
  readonly emptyMoments: Moments = new Moments();
  empty = 0;
  readonly fields: Map<string, FieldHistory> = new Map();
  readonly writers: Map<string | undefined, number> = new Map();
  /** The latest writes, oldest first. */
  readonly recent: ObjectWrite[] = [];
  /** The uid of its controlling owner. */
  owner: string | undefined;

  constructor({ of, key, uid, receivedAt }: DeltaEvent) {
    this.of = of;
    this.key = key;
    this.uid = uid;
    this.firstAt = receivedAt;
    this.lastAt = receivedAt;
  }

  /** Adds the write that an Updated delta shows. */
  add({ detail, receivedAt: at }: DeltaEvent): void {
    if (detail.changes.length > 0 && detail.changes.every(({ path }) => isElection(path))) return;
    this.owner = detail.owner;
    this.writes++;
    this.lastAt = at;
    this.moments.add(at);
    // The state before the first write is unknown, and with it the writer.
    if (detail.isNew) return;
    const { writer } = detail;
    this.writers.set(writer, (this.writers.get(writer) ?? 0) + 1);
    // The generation only follows from other changes.
    const changes = detail.changes.filter(({ path }) => path !== ".metadata.generation");
    if (changes.length === 0) {
      this.empty++;
      this.emptyMoments.add(at);
    }
    if (changes.some(({ path }) => requestsAction(path))) this.#resetStatus();
    const isFirstObservation = observesSpecChange(changes);
    const fields = changes.flatMap((change) => {
      const field = this.#field(change.path);
      field?.add({ change, writer, at, write: this.writes, isFirstObservation });
      return field ?? [];
    });
    this.recent.push({ writer, fields, hasMore: fields.length < changes.length });
    if (this.recent.length > recentWrites) this.recent.shift();
  }

  /** Called when the spec changes: forgets the histories of status fields, which may now follow from the new spec. */
  #resetStatus(): void {
    for (const path of this.fields.keys()) if (!isDesiredState(path)) this.fields.delete(path);
  }

  #field(path: string): FieldHistory | undefined {
    let field = this.fields.get(path);
    if (field === undefined && this.fields.size < maxFields) {
      field = new FieldHistory(path);
      this.fields.set(path, field);
    }
    return field;
  }
}

/** Whether a field is the leader election record on a ConfigMap or Endpoints, which is renewed every few seconds. */
function isElection(path: string): boolean {
  return path.includes('["control-plane.alpha.kubernetes.io/leader"]');
}
