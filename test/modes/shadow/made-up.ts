/**
 * Uids of objects that a write of the same sync creates: the status of a CronJob names the Job that it has just started. Ours are made
 * up, the owner's are real; each is told by the object that it names.
 */
import type { OwnerWrite, SyncRecord, Write } from "./judged.ts";

/** Uids, with what to call them. */
export type Called = ReadonlyMap<string, string>;

export function nameOfMade({ resource, namespace, name }: Pick<Write, "resource" | "namespace" | "name">): string {
  return `the uid of ${resource} ${namespace}/${name}`;
}

/** Both sides' writes with the same names for what the owner has created in this round, where it has given the name itself. */
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
