/** The part of a write that reflects a decision: without times, generations, and what was made up for shadow's own objects. */
import { type FieldChange, fieldChanges } from "../../api/field-changes.ts";
import type { StoredObject } from "../../api/object.ts";
import type { Pod } from "../../api/types.ts";
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

/** The write with its made-up uids and names replaced by those of another state of the object, and a pod's claims in the order of that. */
export function likeIn(write: WouldBeWrite, object: StoredObject | undefined): WouldBeWrite {
  if (write.after === undefined) return write;
  const after = withClaimsAsIn(write.after, object);
  if (write.madeUp === undefined) return { ...write, after };
  // Replacing strings by strings keeps the type.
  return { ...write, after: withReal(after, { did: object, madeUp: write.madeUp }) as StoredObject };
}

/**
 * The object with its `status.resourceClaimStatuses` in the order of another state: upstream writes them in the order of a Go map.
 * Source: kubernetes v1.36 pkg/controller/resourceclaim/controller.go syncPod.
 */
function withClaimsAsIn(object: StoredObject, other: StoredObject | undefined): StoredObject {
  const claims = claimsOf(object);
  if (claims.length < 2) return object;
  const names = claimsOf(other).map(({ name }) => name);
  const place = ({ name }: { readonly name: string }): number =>
    names.includes(name) ? names.indexOf(name) : names.length;
  const sorted = claims.toSorted((a, b) => place(a) - place(b));
  return Object.assign({ ...object }, { status: { ...statusOf(object), resourceClaimStatuses: sorted } });
}

function claimsOf(object: StoredObject | undefined): NonNullable<PodStatus["resourceClaimStatuses"]> {
  return statusOf(object).resourceClaimStatuses ?? [];
}

function statusOf(object: StoredObject | undefined): PodStatus {
  // Only pods have claims in their status.
  return (object as Pick<Pod, "status"> | undefined)?.status ?? {};
}

type PodStatus = NonNullable<Pod["status"]>;
