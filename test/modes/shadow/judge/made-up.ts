/**
 * Uids and generated names of objects created in the same sync: the status of a CronJob refers to the Job that it has just started, that of
 * a pod to its claims. Ours are made up, the owner's are real; both are replaced with what the two sides have in common.
 */
import type { ObjectMeta, StoredObject } from "../../../../src/api/object.ts";
import type { OwnerWrite, SyncRecord, Write } from "./round.ts";

/** What replaces the uid or the generated name of a created object: pairs of the text and its replacement. */
export function namesOfMade(
  { resource, namespace, name, body }: Pick<Write, "resource" | "namespace" | "name" | "body">,
  { metadata }: StoredObject,
): readonly (readonly [made: string, instead: string])[] {
  if (name !== "") return [[metadata.uid, `the uid of ${resource} ${namespace}/${name}`]];
  const { generateName } = ((body ?? {}) as { readonly metadata?: ObjectMeta }).metadata ?? {};
  return generateName === undefined ? [] : [[metadata.name, `a name from ${generateName}`]];
}

/** The writes of both sides, with the same texts for objects that were created in this round. */
export function withMadeNamed(
  syncs: readonly SyncRecord[],
  owner: readonly OwnerWrite[],
): { readonly syncs: readonly SyncRecord[]; readonly owner: readonly OwnerWrite[] } {
  const real = new Map(
    owner.flatMap((write) =>
      write.verb === "create" && write.responseObject !== undefined ? namesOfMade(write, write.responseObject) : [],
    ),
  );
  return {
    owner: owner.map((write) => renamed(write, real)),
    syncs: syncs.map((sync) => {
      const called = new Map([...real, ...sync.made]);
      return { ...sync, writes: sync.writes.map((write) => renamed(write, called)) };
    }),
  };
}

function renamed<W extends Write>(write: W, called: ReadonlyMap<string, string>): W {
  if (called.size === 0 || write.body === undefined) return write;
  let text = JSON.stringify(write.body);
  for (const [made, instead] of called) text = text.replaceAll(made, instead);
  return { ...write, body: JSON.parse(text) as unknown };
}
