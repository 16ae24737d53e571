/**
 * Uids of objects that the same sync creates: the status of a CronJob has the uid of the Job that was just started. Ours are invented, the
 * owner's are real; both are replaced by a text that identifies the object.
 */
import type { OwnerWrite, SyncRecord, Write } from "./judged.ts";

/** Replacements for uids. */
export type Called = ReadonlyMap<string, string>;

export function nameOfMade({ resource, namespace, name }: Pick<Write, "resource" | "namespace" | "name">): string {
  return `the uid of ${resource} ${namespace}/${name}`;
}

/** Returns both sides' writes with the same replacements for objects that the owner has created in this round under fixed names. */
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
