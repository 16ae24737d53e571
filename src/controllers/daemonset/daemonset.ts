import { ControllerRevisions, DaemonSets, Pods } from "../../api/kinds.ts";
import type { ControllerRevision, DaemonSet, Pod } from "../../api/types.ts";
import { type ControllerDefinition, defineController, type Watch } from "../../controller/api/definition.ts";
import { watchOwned } from "../../controller/api/owned.ts";
import { isBehindItsSpec, watchPrimary } from "../../controller/api/primary.ts";
import { indexByNodeName, nodeNameIndex } from "../../controller/workload/pods-of-node.ts";
import { isPodReady } from "../../controller/workload/pod-status.ts";
import { rules } from "./rules.ts";
import { minReadySeconds, selectorFor } from "./spec.ts";
import { syncDaemonSet } from "./sync.ts";
import { watchNodes } from "./watch-nodes.ts";

/** Keeps one pod of a DaemonSet on each node that should run one, and rolls out its template. */
export const daemonset: ControllerDefinition = defineController<DaemonSet>({
  name: "daemonset",
  aliases: ["ds", "daemonset-controller"],
  purpose: "runs one pod of a DaemonSet on each matching node, and rolls out its template",
  component: "daemonset-controller",
  source: "pkg/controller/daemon/daemon_controller.go",
  for: DaemonSets,
  watches: [watchPrimary(DaemonSets), watchPods(), watchRevisions(), watchNodes()],
  workers: 2,
  ifRunTwice: "each node would get two pods, of which both would delete one",
  // The status of a set that is being deleted is left alone.
  isLeftUndone: (set) => set.metadata.deletionTimestamp === undefined && isBehindItsSpec(set),
  rules,
  // All granted by upstream's role too: kubernetes v1.36 plugin/pkg/auth/authorizer/rbac/bootstrappolicy/controller_policy.go.
  permissions: [
    { group: "apps", resource: "daemonsets", verbs: ["get"] },
    { group: "apps", resource: "daemonsets/status", verbs: ["update"] },
    { group: "apps", resource: "daemonsets/finalizers", verbs: ["update"] },
    { group: "", resource: "pods", verbs: ["create", "delete", "patch"] },
    { group: "apps", resource: "controllerrevisions", verbs: ["get", "create", "delete", "update", "patch"] },
  ],
  sync: (_key, context) => syncDaemonSet(context),
});

function watchPods(): Watch {
  return watchOwned<DaemonSet, Pod>({
    kind: Pods,
    ownerKind: DaemonSets,
    selectorOf: selectorFor,
    expected: true,
    indexes: { [nodeNameIndex]: indexByNodeName },
    requeueAfter(before, after, set) {
      // No delta arrives when a ready pod becomes available.
      const seconds = minReadySeconds(set);
      if (seconds <= 0 || isPodReady(before) || !isPodReady(after)) return undefined;
      // One second more, as in upstream: timers and pod timestamps differ in precision.
      return { ms: (seconds + 1) * 1000, why: `pod ${after.metadata.name} is ready and may be available by then` };
    },
  });
}

function watchRevisions(): Watch {
  return watchOwned<DaemonSet, ControllerRevision>({
    kind: ControllerRevisions,
    ownerKind: DaemonSets,
    selectorOf: selectorFor,
    expected: false,
    addedEnqueues: false,
  });
}
