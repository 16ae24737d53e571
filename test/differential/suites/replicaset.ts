/** ReplicaSets and ReplicationControllers. Pods do not run: scripts bind them and write their status. */
import { Pods, ReplicaSets, ReplicationControllers } from "../../../src/api/kinds.ts";
import { replicaset } from "../../../src/controllers/replicaset/replicaset.ts";
import { replicationcontroller } from "../../../src/controllers/replicaset/replicationcontroller.ts";
import { namespaceInBody, noBodyOfDelete, ownFieldManager } from "../differences.ts";
import { podState } from "../objects.ts";
import { hasPendingPodEvents, replicasAreSettled } from "../quiet.ts";
import { randomScript } from "../scripts/replicaset/grammar.ts";
import { scripts } from "../scripts/replicaset/index.ts";
import type { Suite } from "../suite.ts";

export const replicaSets: Suite = {
  name: "replicaset",
  oracle: "replicaset-controller,replicationcontroller-controller",
  ours: [replicaset, replicationcontroller],
  // Scripts write the usage of quotas.
  runsWithout: ["garbage-collector", "pod-garbage-collector", "resourcequota"],
  kinds: [{ kind: ReplicaSets }, { kind: ReplicationControllers }, { kind: Pods, compared: podState }],
  hasPendingWrites: hasPendingPodEvents,
  isSettled: replicasAreSettled,
  scripts,
  random: randomScript,
  seeds: { short: 8, long: 100 },
  differences: [namespaceInBody, noBodyOfDelete, ownFieldManager],
};
