/** Writes of one sync whose contents the owner distributes over its objects in the order of a Go map. */
import { essenceOf } from "./essence.ts";
import type { OwnerWrite, Round, SyncRecord, Write } from "./round.ts";

/**
 * The owner's writes, with what ours does to each object, where the owner did the same to the same objects, but each to another one: new
 * EndpointSlices take the names of old ones, and old ones that are left over are deleted.
 * Source: kubernetes v1.36 pkg/controller/endpointslicemirroring/reconciler_helpers.go recycleSlices.
 */
export function distributedAlike({ owner, syncs, recycles }: Round): readonly OwnerWrite[] {
  if (recycles === undefined) return owner;
  return syncs.reduce<readonly OwnerWrite[]>((writes, sync) => asIn(sync, { writes, recycles }), owner);
}

function asIn(
  { writes }: SyncRecord,
  { writes: theirs, recycles }: { readonly writes: readonly OwnerWrite[]; readonly recycles: string },
): readonly OwnerWrite[] {
  const ours = writes.filter(({ resource }) => resource === recycles);
  const objects = sorted(ours.map(objectOf));
  const contents = sorted(ours.map(contentText));
  const isRelated = (write: OwnerWrite): boolean =>
    isNew(write) ? contents.includes(contentText(write)) : objects.includes(objectOf(write));
  const related = theirs.filter((write) => write.resource === recycles && isRelated(write));
  for (let first = 0; first + ours.length <= related.length; first++) {
    const batch = related.slice(first, first + ours.length);
    const isAlike =
      Bun.deepEquals(sorted(batch.map(objectOf)), objects) && Bun.deepEquals(sorted(batch.map(contentText)), contents);
    if (!isAlike) continue;
    const left = [...ours];
    const asOurs = new Map(
      batch.map((write) => {
        const index = left.findIndex((each) => objectOf(each) === objectOf(write));
        const { verb = write.verb, body = write.body } = left.splice(index, 1)[0] ?? {};
        return [write, { ...write, verb, body }] as const;
      }),
    );
    return theirs.map((write) => asOurs.get(write) ?? write);
  }
  return theirs;
}

const sorted = (texts: readonly string[]): readonly string[] => texts.toSorted();

const isNew = ({ verb }: Write): boolean => verb === "create";

const objectOf = (write: Write): string => (isNew(write) ? "a new one" : `${write.namespace}/${write.name}`);

/** What is written, regardless of the object, and of whether that is new. */
function contentText(write: Write): string {
  return write.verb === "delete" ? "nothing" : essenceOf({ ...write, verb: "update", name: "" });
}
