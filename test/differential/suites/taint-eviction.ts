/** Pods on tainted nodes. Only scripts taint nodes, and no kubelet terminates pods. */
import { Pods } from "../../../src/api/kinds.ts";
import { taintEviction } from "../../../src/controllers/taint-eviction/taint-eviction.ts";
import type { Effect } from "../../support/audit-log.ts";
import { noBodyOfDelete } from "../differences.ts";
import { type AnyObject, type Json, podState } from "../objects.ts";
import { randomScript } from "../scripts/taint-eviction/grammar.ts";
import { scripts } from "../scripts/taint-eviction/index.ts";
import type { SideLog } from "../side-log.ts";
import type { Suite } from "../suite.ts";

/** A pod with its tolerations, and its conditions, which contain the reason for its eviction. */
function compared(object: AnyObject): Json {
  const { conditions = [] } = (object["status"] ?? {}) as { readonly conditions?: readonly Json[] };
  const { tolerations } = object["spec"] as { readonly tolerations?: readonly Json[] };
  return { ...podState(object), conditions, tolerations };
}

const isEvent = ({ resource }: Effect): boolean => resource.startsWith("events");
// The sandbox's log has no bodies.
const marks = ({ request }: Effect): boolean =>
  request === undefined || JSON.stringify(request).includes("Marking for deletion");

/** Whether Events of deletions are still missing: each has one, written asynchronously, with repetitions counted. */
function hasPendingEvents({ effects }: SideLog): boolean {
  const deletions = effects.filter(({ resource, verb }) => resource === "pods" && verb === "delete").length;
  const events = effects.filter((effect) => isEvent(effect) && (effect.verb === "patch" || marks(effect))).length;
  return events < deletions;
}

export const taintEvictions: Suite = {
  name: "taint-eviction",
  // It needs a node index of pods that another controller must add: the DaemonSet controller, which has nothing else to do here.
  oracle: "taint-eviction-controller,daemonset-controller",
  ours: [taintEviction],
  // Nodes have no heartbeats; conditions have no times and so count as stale at once.
  runsWithout: ["disruption", "node-lifecycle", "pod-garbage-collector"],
  kinds: [{ kind: Pods, compared }],
  hasPendingWrites: hasPendingEvents,
  // A running toleration time is not visible, so a script could act before it has started.
  quietMs: 1000,
  scripts,
  random: randomScript,
  seeds: { short: 6, long: 100 },
  width: 16,
  differences: [noBodyOfDelete],
};
