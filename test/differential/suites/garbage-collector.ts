/** The garbage collector alone: scripts create all owners and dependents. */
import { Pods, ReplicaSets, ServiceAccounts } from "../../../src/api/kinds.ts";
import { garbageCollector } from "../../../src/controllers/garbage-collector/garbage-collector.ts";
import { ownFieldManager } from "../differences.ts";
import { known } from "../kinds.ts";
import { randomScript } from "../scripts/garbage-collector/grammar.ts";
import { scripts } from "../scripts/garbage-collector/index.ts";
import { hold } from "../scripts/garbage-collector/owning.ts";
import type { Stage } from "../stage.ts";
import type { ComparedKind, Suite } from "../suite.ts";

const kinds: readonly ComparedKind[] = [
  { kind: known.configmaps },
  { kind: known.secrets },
  { kind: known.leases },
  { kind: known.clusterroles },
  { kind: known.priorityclasses },
  { kind: ServiceAccounts },
  { kind: ReplicaSets },
  { kind: Pods },
];

interface Meta {
  readonly name: string;
  readonly uid: string;
  readonly deletionTimestamp?: string;
  readonly finalizers?: readonly string[];
  readonly ownerReferences?: readonly { readonly kind: string; readonly name: string; readonly uid: string }[];
}

/**
 * Whether the garbage collector has nothing left to do, as far as can be seen: every referenced owner exists, and everything that was being
 * deleted is gone, unless the script holds something back with a finalizer. Any other permanent leftover only costs a longer silence.
 */
async function isSettled(stage: Stage): Promise<boolean> {
  const there = await Promise.all(
    kinds.map(async ({ kind }) =>
      (await stage.all(kind)).map(({ metadata }) => ({ kind: kind.kind, meta: metadata as Meta })),
    ),
  );
  const all = there.flat();
  const names = new Set(all.map(({ kind, meta }) => `${kind} ${meta.name} ${meta.uid}`));
  const isHeld = all.some(({ meta }) => meta.finalizers?.some((one) => hold.includes(one)) === true);
  return all.every(({ meta: { deletionTimestamp, ownerReferences = [] } }) => {
    if (deletionTimestamp !== undefined) return isHeld;
    return ownerReferences.every(({ kind, name, uid }) => names.has(`${kind} ${name} ${uid}`));
  });
}

export const garbageCollection: Suite = {
  name: "garbage-collector",
  oracle: "garbage-collector-controller",
  ours: [garbageCollector],
  kinds,
  isSettled,
  patienceMs: 10_000,
  // An object that is held back is deleted again if its key is synced before the watch shows that it is being deleted.
  repeated: (what) => what.startsWith("delete "),
  scripts,
  random: randomScript,
  seeds: { short: 8, long: 200 },
  differences: [ownFieldManager],
};
