/** Writes of one sync whose contents the owner distributes over its objects in the order of a Go map. */
import { essenceOf, targetOf } from "./essence.ts";
import type { OwnerWrite, Round, SyncRecord, Write } from "./round.ts";

/**
 * The owner's writes, with the contents that ours gives to each object, where the owner wrote the same contents to the same objects, but each
 * to another one: new EndpointSlices take the names of old ones.
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
  const targets = sorted(ours.map(targetOf));
  const contents = sorted(ours.map(contentText));
  const related = theirs.filter(
    (write) =>
      write.resource === recycles && (targets.includes(targetOf(write)) || contents.includes(contentText(write))),
  );
  for (let first = 0; first + ours.length <= related.length; first++) {
    const batch = related.slice(first, first + ours.length);
    const isAlike =
      Bun.deepEquals(sorted(batch.map(targetOf)), targets) && Bun.deepEquals(sorted(batch.map(contentText)), contents);
    if (!isAlike) continue;
    const left = [...ours];
    const bodies = new Map(
      batch.map((write) => {
        const index = left.findIndex((each) => targetOf(each) === targetOf(write));
        return [write, left.splice(index, 1)[0]?.body] as const;
      }),
    );
    return theirs.map((write) => (bodies.has(write) ? { ...write, body: bodies.get(write) } : write));
  }
  return theirs;
}

const sorted = (texts: readonly string[]): readonly string[] => texts.toSorted();

/** What is written, regardless of the object, and of whether that is new. */
function contentText(write: Write): string {
  return write.verb === "delete" ? targetOf(write) : essenceOf({ ...write, verb: "update", name: "" });
}
