/** What a process writes, and for which object. */
import type { ObjectKey } from "../../api/key.ts";
import type { EventHead, WriteEvent } from "../../trace/events.ts";
import type { KindName } from "../../trace/names.ts";

/** A write with its number. */
export type NumberedWrite = EventHead & WriteEvent;

/** What a writer reconciles: the written object, or its owner. */
export interface Subject {
  /** Made up where the object is not known. */
  readonly uid: string;
  readonly of: KindName;
  readonly key: ObjectKey;
}

/** The uid of the written object; of a refused write too, as far as its object is known. */
export function uidOf({ uid, detail }: NumberedWrite): string {
  return uid === "" ? (detail?.uid ?? "") : uid;
}

/** Whether two writes are of the same object and subresource. */
export function isSameThing(one: NumberedWrite, other: NumberedWrite): boolean {
  return (
    one.of.kind === other.of.kind && one.key === other.key && (one.subresource ?? "") === (other.subresource ?? "")
  );
}
