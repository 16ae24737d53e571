/** Nodes whose heartbeats scripts write. The grace period of a node is 10 s, and each zone taints one node every 2 s. */
import { Nodes, Pods } from "../../../src/api/kinds.ts";
import { defineNodeLifecycle } from "../../../src/controllers/node-lifecycle/node-lifecycle.ts";
import { type Allowed, ownFieldManager } from "../differences.ts";
import { type AnyObject, type Json, podState } from "../objects.ts";
import { randomScript } from "../scripts/node-lifecycle/grammar.ts";
import { scripts } from "../scripts/node-lifecycle/index.ts";
import type { SideLog } from "../side-log.ts";
import type { Stage } from "../stage.ts";
import type { Suite } from "../suite.ts";

interface Reported {
  readonly spec: { readonly taints?: readonly { readonly key: string; readonly effect: string }[] };
  readonly status?: { readonly conditions?: readonly Json[] };
}

/** A node with its labels, taints and conditions. Taints are sorted, because their order is random. */
function nodeState(object: AnyObject): Json {
  // Every node has a spec.
  const { spec, status } = object as unknown as Reported & AnyObject;
  const order = ({ key, effect }: { readonly key: string; readonly effect: string }): string => `${key} ${effect}`;
  const taints = (spec.taints ?? []).toSorted((a, b) => (order(a) < order(b) ? -1 : 1));
  const { name, labels } = object.metadata;
  return { name, labels, spec: { ...spec, taints }, conditions: status?.conditions };
}

function compared(object: AnyObject): Json {
  const { status } = object as unknown as Reported;
  // The conditions already contain the time.
  return { ...podState(object), ready: "", conditions: status?.conditions };
}

const conflict: Allowed = {
  id: "a node that has changed in the meantime",
  category: "noise",
  upstream: "pkg/controller/controller_utils.go:AddOrUpdateTaintOnNode",
  why: "taints are written to a node that was read shortly before, by kube-controller-manager from a cache of the API server: the write is rejected and retried",
  matches: ({ what }) => what === "patch nodes 409",
};

const nothingNew: Allowed = {
  id: "a patch that changes nothing",
  category: "noise",
  upstream: "pkg/controller/controller_utils.go:AddOrUpdateLabelsOnNode",
  why: "labels are compared with a fresh read of the node: if the cache was behind, nothing is left to patch, and kube-controller-manager sends an empty patch",
  matches: ({ what, path, theirs, ours }) =>
    what === "patch nodes 200" &&
    (path === ".body.metadata" || [theirs, ours].some((one) => JSON.stringify(one)?.includes('"body":{}'))),
};

const inTurn: Allowed = {
  id: "which of two loops taints a node first",
  category: "noise",
  upstream: "pkg/controller/nodelifecycle/node_lifecycle_controller.go:Run",
  why: "NoSchedule and NoExecute taints are written by two concurrent loops: a list of taints may or may not contain those of the other loop, and a write with an outdated version is repeated. The final taints are compared",
  matches: ({ what, path, theirs, ours }) =>
    what === "patch nodes 200" &&
    (path === ".about.name" ||
      [theirs, ours].some((one) =>
        /node.kubernetes.io.(not-ready|unreachable)|NoExecute/.test(JSON.stringify(one) ?? ""),
      )),
};

/** Whether some node has no RegisteredNode Event yet: each is recorded in the next monitoring pass, up to a second later. */
async function hasPendingAnnouncements({ effects }: SideLog, stage: Stage): Promise<boolean> {
  const events = effects.filter(({ resource }) => resource.startsWith("events"));
  // The sandbox's log has no bodies.
  const announced = events.filter(
    ({ request }) => request === undefined || JSON.stringify(request).includes("Registered"),
  );
  return announced.length < (await stage.all(Nodes)).length;
}

export const nodeLifecycles: Suite = {
  name: "node-lifecycle",
  oracle: "node-lifecycle-controller",
  oracleFlags: [
    "--node-monitor-period=1s",
    "--node-monitor-grace-period=10s",
    "--node-startup-grace-period=10s",
    "--node-eviction-rate=0.5",
  ],
  ours: [
    defineNodeLifecycle({
      monitorPeriodMs: 1000,
      gracePeriodMs: 10_000,
      startupGracePeriodMs: 10_000,
      evictionRate: 0.5,
    }),
  ],
  kinds: [
    { kind: Nodes, compared: nodeState },
    { kind: Pods, compared },
  ],
  hasPendingWrites: hasPendingAnnouncements,
  // Labels are set again until the cache shows them. Upstream reads the node first, and can then send an empty patch.
  repeated: (what) => what === "patch nodes 200",
  scripts,
  random: randomScript,
  randomSteps: 8,
  seeds: { short: 4, long: 40 },
  width: 12,
  differences: [ownFieldManager, conflict, nothingNew, inTurn],
};
