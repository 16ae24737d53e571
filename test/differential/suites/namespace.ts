/** Namespaces that are deleted. Nobody else acts: finalizers stay until a script takes them away, pods until it ends them. */
import { Namespaces, Pods, ReplicaSets, ServiceAccounts } from "../../../src/api/kinds.ts";
import { discover } from "../../../src/client/api/discovery.ts";
import { namespace } from "../../../src/controllers/namespace/namespace.ts";
import type { Effect } from "../../support/audit-log.ts";
import { ownFieldManager } from "../differences.ts";
import { known } from "../kinds.ts";
import { tellPod } from "../objects.ts";
import { randomScript } from "../scripts/namespace/grammar.ts";
import { scripts } from "../scripts/namespace/index.ts";
import type { SideLog } from "../side-log.ts";
import type { Stage, StageServer } from "../stage.ts";
import type { Suite } from "../suite.ts";
import type { Told } from "../told.ts";

/** How many namespaced kinds that can be deleted each server has of its own. */
const kindsOf = new WeakMap<StageServer, Promise<number>>();

async function countKinds(server: StageServer): Promise<number> {
  const raw = async (path: string, options?: { readonly accept?: string }): Promise<unknown> => {
    const headers = options?.accept === undefined ? {} : { accept: options.accept };
    return (await server.request("GET", path, undefined, headers)).body;
  };
  const { kinds } = await discover({ raw });
  const own = kinds.filter(({ group, preferred }) => preferred && !group.endsWith("example.com"));
  return own.filter(({ namespaced, verbs }) => namespaced && verbs.includes("delete")).length;
}

/**
 * Whether each namespace has gone, is not to be emptied, or has been gone through since the last action: that is, all its kinds, or
 * its pods while some are left. A finalizer of anybody in the spec keeps the controller coming, also when its own is gone.
 */
async function isSettled(stage: Stage, { effects }: SideLog, actedAt: number): Promise<boolean> {
  const [there, pods] = await Promise.all([stage.all(Namespaces), stage.all(Pods)]);
  const kinds = kindsOf.get(stage.cluster) ?? countKinds(stage.cluster);
  kindsOf.set(stage.cluster, kinds);
  const count = await kinds;
  return there.every((each) => {
    const { deletionTimestamp, name } = each.metadata;
    const finalizers = (each["spec"] as { readonly finalizers?: readonly string[] } | undefined)?.finalizers ?? [];
    if (deletionTimestamp === undefined || finalizers.length === 0) return true;
    const mine = effects.filter(({ verb, namespace: of }) => verb === "deletecollection" && of === name);
    // Pods come first: before them is the rest of a sync that was under way when the action came.
    const first = mine.findIndex(({ resource, at }) => resource === "pods" && at > actedAt);
    if (first < 0) return false;
    const emptied = new Set(mine.slice(first).map(({ resource }) => resource));
    return emptied.size >= (pods.some(({ metadata }) => metadata.namespace === name) ? 1 : count);
  });
}

/** Whether pods went before the rest, and the finalizer last. The kinds in between come in any order with kube-controller-manager. */
function order(effects: readonly Effect[]): Told[] {
  const steps: string[] = [];
  for (const { resource, verb, code } of effects) {
    if (code >= 300) continue;
    const step = resource.startsWith("namespaces") ? `${verb} ${resource}` : resource === "pods" ? "pods" : "the rest";
    if (steps.at(-1) !== step && !steps.includes(step)) steps.push(step);
  }
  return [{ what: "order", content: { steps } }];
}

export const namespaces: Suite = {
  name: "namespace",
  oracle: "namespace-controller",
  ours: [namespace],
  kinds: [
    { kind: Namespaces },
    { kind: Pods, tell: tellPod },
    { kind: known.configmaps },
    { kind: known.secrets },
    { kind: known.services, tell: ({ metadata: { name, finalizers } }) => ({ name, finalizers }) },
    { kind: known.leases },
    { kind: known.persistentvolumeclaims },
    { kind: ServiceAccounts },
    { kind: ReplicaSets },
  ],
  isSettled,
  quietMs: 2000,
  patienceMs: 30_000,
  repeated: () => true,
  // Each time that it comes back it goes through every kind.
  spareWrites: 40,
  // What stays is asked to go again every 8 seconds, and a touch counts after 5: a step may begin in the middle of that.
  timed: (what) => what.startsWith("deletecollection ") || what === "update namespaces/finalize 200",
  // A kind goes in the middle of a pass; a script touches a namespace, or takes it away, between a controller's look and its write.
  chance: (what) => /^(deletecollection .* 404|update namespaces\/finalize 4\d\d)$/.test(what),
  order,
  scripts,
  random: randomScript,
  randomSteps: 8,
  seeds: { short: 8, long: 200 },
  width: 14,
  differences: [ownFieldManager],
};
