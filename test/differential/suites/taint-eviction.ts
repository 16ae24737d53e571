/** Pods on tainted nodes. Only scripts taint nodes, and no kubelet ends pods. */
import { Pods } from "../../../src/api/kinds.ts";
import { taintEviction } from "../../../src/controllers/taint-eviction/taint-eviction.ts";
import type { Effect } from "../../support/audit-log.ts";
import { noBodyOfDelete } from "../differences.ts";
import { type AnyObject, type Json, tellPod } from "../objects.ts";
import { randomScript } from "../scripts/taint-eviction/grammar.ts";
import { scripts } from "../scripts/taint-eviction/index.ts";
import type { SideLog } from "../side-log.ts";
import type { Suite } from "../suite.ts";

/** A pod with its tolerations, and the conditions that explain its deletion. */
function tell(object: AnyObject): Json {
  const { conditions = [] } = (object["status"] ?? {}) as { readonly conditions?: readonly Json[] };
  const { tolerations } = object["spec"] as { readonly tolerations?: readonly Json[] };
  return { ...tellPod(object), conditions, tolerations };
}

const isEvent = ({ resource }: Effect): boolean => resource.startsWith("events");
// The sandbox's writes have no bodies.
const marks = ({ request }: Effect): boolean =>
  request === undefined || JSON.stringify(request).includes("Marking for deletion");

/** Each deletion has an Event, which is written in the background; a repetition is counted. */
function owesEvents({ effects }: SideLog): boolean {
  const deletions = effects.filter(({ resource, verb }) => resource === "pods" && verb === "delete").length;
  const events = effects.filter((effect) => isEvent(effect) && (effect.verb === "patch" || marks(effect))).length;
  return events < deletions;
}

export const taintEvictions: Suite = {
  name: "taint-eviction",
  // It needs an index of pods by node that another controller adds: that of DaemonSets does, and has nothing else to do here.
  oracle: "taint-eviction-controller,daemonset-controller",
  ours: [taintEviction],
  kinds: [{ kind: Pods, tell }],
  owes: owesEvents,
  // A running toleration time is invisible, so a script could be too fast for it.
  quietMs: 1000,
  scripts,
  random: randomScript,
  seeds: { short: 6, long: 100 },
  width: 16,
  differences: [noBodyOfDelete],
};
