/** The part of a write that reflects a decision: without times, generations, and what was made up for shadow's own objects. */
import { type FieldChange, fieldChanges } from "../../api/field-changes.ts";
import type { StoredObject } from "../../api/object.ts";
import { withReal } from "./made-up.ts";
import type { WouldBeWrite } from "./would-be-write.ts";

/** The changes of an update or patch, without timestamps and generations, which differ between any two writers. */
export function wantedChanges({ before, after }: WouldBeWrite): readonly FieldChange[] {
  return fieldChanges(before, after).filter(({ path }) => !isIncidental(path));
}

/** Whether a field does not reflect a decision of the writer. */
export function isIncidental(path: string): boolean {
  return /(Time|Timestamp|\.generation)$/.test(path);
}

/**
 * A type in a warning about an expression: `list(Endpoints186451947.subsets.@idx)`. The number is the nanosecond of the check.
 * Source: apiserver v0.36 pkg/admission/plugin/policy/validating/typechecking.go generateUniqueTypeName.
 */
const numberedType = /(?<=[ (])([A-Z][A-Za-z]+)\d{6,9}(?=[.,)])/g;

/** A value without what does not reflect a decision: times, generations, and random numbers. */
export function decidedPart(value: unknown): unknown {
  if (typeof value === "string") return value.replace(numberedType, "$1");
  if (Array.isArray(value)) return value.map(decidedPart);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([key]) => !isIncidental(key))
      .map(([key, item]) => [key, decidedPart(item)]),
  );
}

/** The write with its made-up uids and names replaced by those of another state of the object, and its lists in the order of that. */
export function likeIn(write: WouldBeWrite, object: StoredObject | undefined): WouldBeWrite {
  if (write.after === undefined) return write;
  const after = withListsAsIn(write.after, object);
  if (write.madeUp === undefined) return { ...write, after };
  // Replacing strings by strings keeps the type.
  return { ...write, after: withReal(after, { did: object, madeUp: write.madeUp }) as StoredObject };
}

/**
 * Lists of a status that upstream writes in the order of a Go map: the claims of a pod, and the volumes of a node.
 * Source: kubernetes v1.36 pkg/controller/resourceclaim/controller.go syncPod;
 * pkg/controller/volume/attachdetach/statusupdater/node_status_updater.go.
 */
const unordered = ["resourceClaimStatuses", "volumesAttached"] as const;

/** The object with those lists in the order of another state. */
function withListsAsIn(object: StoredObject, other: StoredObject | undefined): StoredObject {
  const status = statusOf(object);
  const lists = unordered.filter((list) => (status[list]?.length ?? 0) > 1);
  if (lists.length === 0) return object;
  const sorted = lists.map((list) => [list, sortedAs(status[list], statusOf(other)[list])] as const);
  return Object.assign({ ...object }, { status: { ...status, ...Object.fromEntries(sorted) } });
}

function sortedAs(list: NamedList = [], other: NamedList = []): NamedList {
  const names = other.map(({ name }) => name);
  const place = ({ name }: { readonly name: string }): number =>
    names.includes(name) ? names.indexOf(name) : names.length;
  return list.toSorted((a, b) => place(a) - place(b));
}

type NamedList = readonly { readonly name: string }[];
type WithLists = Readonly<Partial<Record<(typeof unordered)[number], NamedList>>>;

function statusOf(object: StoredObject | undefined): WithLists {
  // Only pods and nodes have these lists in their status.
  return (object as { readonly status?: WithLists } | undefined)?.status ?? {};
}
