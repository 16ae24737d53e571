/** The garbage collector alone: whatever owns and is owned is made by the scripts. */
import { Pods, ReplicaSets, ServiceAccounts } from "../../../src/api/kind.ts";
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
  readonly ownerReferences?: readonly { readonly uid: string }[];
}

/** Whether nothing waits for the garbage collector, as far as can be seen: it may have been given up, or be held by the script. */
async function isSettled(stage: Stage): Promise<boolean> {
  const all = (await Promise.all(kinds.map(({ kind }) => stage.all(kind))))
    .flat()
    .map(({ metadata }) => metadata as Meta);
  const uids = new Set(all.map(({ uid }) => uid));
  const isHeld = all.some(({ finalizers }) => finalizers?.some((one) => hold.includes(one)) === true);
  const isLeft = ({ ownerReferences = [], finalizers = [] }: Meta): boolean =>
    finalizers.length === 0 && ownerReferences.length > 0 && !ownerReferences.some(({ uid }) => uids.has(uid));
  return !all.some(isLeft) && (isHeld || !all.some(({ deletionTimestamp }) => deletionTimestamp !== undefined));
}

export const garbageCollection: Suite = {
  name: "garbage-collector",
  oracle: "garbage-collector-controller",
  ours: [garbageCollector],
  kinds,
  isSettled,
  // What is held is deleted again if its key comes before the watch has shown that it is being deleted.
  repeated: (what) => what.startsWith("delete "),
  scripts,
  random: randomScript,
  seeds: { short: 8, long: 200 },
  differences: [ownFieldManager],
};
