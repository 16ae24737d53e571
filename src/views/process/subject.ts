/** The writes of a process, and the objects that they are made for. */
import type { ObjectKey } from "../../api/key.ts";
import type { EventHead, WriteEvent } from "../../trace/events.ts";
import type { KindName } from "../../trace/names.ts";

/** A write event with its `seq` and time. */
export type NumberedWrite = EventHead & WriteEvent;

/** The object that a writer reconciles: the written object, or its owner. */
export interface Subject {
  /** `<kind> <key>` if the uid is not known. */
  readonly uid: string;
  readonly of: KindName;
  readonly key: ObjectKey;
}

/** The uid of the written object, also for a refused write if the object is known; otherwise empty. */
export function uidOf({ uid, detail }: NumberedWrite): string {
  return uid === "" ? (detail?.uid ?? "") : uid;
}

/** Whether two writes are of the same object and subresource. */
export function isSameThing(one: NumberedWrite, other: NumberedWrite): boolean {
  return (
    one.of.kind === other.of.kind && one.key === other.key && (one.subresource ?? "") === (other.subresource ?? "")
  );
}
