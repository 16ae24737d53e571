/** Deleted namespaces. No other controller runs: finalizers stay until a script removes them, and pods until it terminates them. */
import { Namespaces, Pods, ReplicaSets, ServiceAccounts } from "../../../src/api/kinds.ts";
import { discover } from "../../../src/client/api/discovery.ts";
import { namespace } from "../../../src/controllers/namespace/namespace.ts";
import type { Effect } from "../../support/audit-log.ts";
import { ownFieldManager } from "../differences.ts";
import { known } from "../kinds.ts";
import { podState } from "../objects.ts";
import { randomScript } from "../scripts/namespace/grammar.ts";
import { scripts } from "../scripts/namespace/index.ts";
import type { SideLog } from "../side-log.ts";
import type { Stage, StageServer } from "../stage.ts";
import type { Suite } from "../suite.ts";
import type { Entry } from "../step-record.ts";

/** Number of deletable namespaced kinds that each server has built in. */
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
 * Whether each namespace is gone, needs no more deletion, or was processed since the last action: all its kinds, or only its pods while
 * some are left. Any finalizer in the spec keeps the controller retrying, even after its own is gone.
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
    // Each pass begins with pods: whatever precedes them belongs to a sync that was already running when the script acted.
    const first = mine.findIndex(({ resource, at }) => resource === "pods" && at > actedAt);
    if (first < 0) return false;
    const emptied = new Set(mine.slice(first).map(({ resource }) => resource));
    return emptied.size >= (pods.some(({ metadata }) => metadata.namespace === name) ? 1 : count);
  });
}

/** Records that pods are deleted first and the finalizer last. kube-controller-manager deletes the kinds in between in random order. */
function order(effects: readonly Effect[]): Entry[] {
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
  // Pods are bound to nodes that do not exist.
  runsWithout: ["pod-garbage-collector"],
  kinds: [
    { kind: Namespaces },
    { kind: Pods, compared: podState },
    { kind: known.configmaps },
    { kind: known.secrets },
    { kind: known.services, compared: ({ metadata: { name, finalizers } }) => ({ name, finalizers }) },
    { kind: known.leases },
    { kind: known.persistentvolumeclaims },
    { kind: ServiceAccounts },
    { kind: ReplicaSets },
  ],
  isSettled,
  quietMs: 2000,
  patienceMs: 30_000,
  repeated: () => true,
  // Each retry goes through every kind.
  spareWrites: 40,
  // Remaining objects are deleted again every 8 seconds, and an update of the namespace takes effect after 5: a step can begin in between.
  timed: (what) => what.startsWith("deletecollection ") || what === "update namespaces/finalize 200",
  // A kind can disappear during a pass, and a script can update or delete a namespace between a controller's read and its write.
  chance: (what) => /^(deletecollection .* 404|update namespaces\/finalize 4\d\d)$/.test(what),
  order,
  scripts,
  random: randomScript,
  randomSteps: 8,
  seeds: { short: 8, long: 200 },
  width: 14,
  differences: [ownFieldManager],
};
