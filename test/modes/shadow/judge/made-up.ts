/**
 * Uids of objects created in the same sync: the status of a CronJob refers to the Job that it has just started. Ours are generated, the
 * owner's are real; both are replaced with the name of the object to which they refer.
 */
import type { OwnerWrite, SyncRecord, Write } from "./round.ts";

/** Names of objects, keyed by uid. */
export type Called = ReadonlyMap<string, string>;

export function nameOfMade({ resource, namespace, name }: Pick<Write, "resource" | "namespace" | "name">): string {
  return `the uid of ${resource} ${namespace}/${name}`;
}

/** The writes of both sides, with the same names for objects that the owner created by name in this round. */
export function withMadeNamed(
  syncs: readonly SyncRecord[],
  owner: readonly OwnerWrite[],
): { readonly syncs: readonly SyncRecord[]; readonly owner: readonly OwnerWrite[] } {
  const real = new Map(
    owner.flatMap((write) => {
      const uid = write.verb === "create" && write.name !== "" ? write.answer?.metadata.uid : undefined;
      return uid === undefined ? [] : [[uid, nameOfMade(write)] as const];
    }),
  );
  return {
    owner: owner.map((write) => renamed(write, real)),
    syncs: syncs.map((sync) => {
      const called = new Map([...real, ...sync.made]);
      return { ...sync, writes: sync.writes.map((write) => renamed(write, called)) };
    }),
  };
}

function renamed<W extends Write>(write: W, called: Called): W {
  if (called.size === 0 || write.body === undefined) return write;
  let text = JSON.stringify(write.body);
  for (const [uid, name] of called) text = text.replaceAll(uid, name);
  return { ...write, body: JSON.parse(text) as unknown };
}
