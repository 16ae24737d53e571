import { PersistentVolumeClaims, Pods, StatefulSets } from "../../api/kinds.ts";
import { selectorOf } from "../../api/labels.ts";
import type { PersistentVolumeClaim, Pod, StatefulSet } from "../../api/types.ts";
import { type ControllerDefinition, defineController, type Watch, watch } from "../../controller/api/definition.ts";
import { watchOwned } from "../../controller/api/owned.ts";
import { isBehindItsSpec, watchPrimary } from "../../controller/api/primary.ts";
import { watchRevisions } from "../../controller/workload/controller-revision/history.ts";
import { isPodReady } from "../../controller/workload/pod-status.ts";
import { rules } from "./rules.ts";
import { minReadySeconds } from "./spec.ts";
import { syncStatefulSet } from "./sync.ts";

/** Runs the pods of a StatefulSet, each with its own name and claims, and rolls out its template. */
export const statefulset: ControllerDefinition = defineController<StatefulSet>({
  name: "statefulset",
  aliases: ["sts", "statefulset-controller"],
  purpose: "runs the pods of a StatefulSet in order, each with its own name and claims",
  component: "statefulset-controller",
  source: "pkg/controller/statefulset/stateful_set.go",
  for: StatefulSets,
  watches: [watchPrimary(StatefulSets), watchPods(), watchClaims(), watchRevisions()],
  workers: 5,
  ifRunTwice: "both would write the same pods and claims, and one would fail where the other came first",
  isLeftUndone: isBehindItsSpec,
  rules,
  // All granted by upstream's role too: kubernetes v1.36 plugin/pkg/auth/authorizer/rbac/bootstrappolicy/controller_policy.go.
  permissions: [
    { group: "apps", resource: "statefulsets", verbs: ["get"] },
    { group: "apps", resource: "statefulsets/status", verbs: ["update"] },
    { group: "apps", resource: "statefulsets/finalizers", verbs: ["update"] },
    { group: "", resource: "pods", verbs: ["create", "delete", "update", "patch"] },
    { group: "", resource: "pods/finalizers", verbs: ["update"] },
    { group: "apps", resource: "controllerrevisions", verbs: ["get", "create", "delete", "update", "patch"] },
    { group: "", resource: "persistentvolumeclaims", verbs: ["create", "update"] },
  ],
  sync: (_key, context) => syncStatefulSet(context),
});

function watchPods(): Watch {
  return watchOwned<StatefulSet, Pod>({
    kind: Pods,
    ownerKind: StatefulSets,
    selectorOf: ({ spec }) => selectorOf(spec?.selector),
    expected: false,
    requeueAfter(before, after, set) {
      // No delta arrives when a ready pod becomes available.
      const seconds = minReadySeconds(set);
      if (seconds <= 0 || isPodReady(before) || !isPodReady(after)) return undefined;
      return { ms: seconds * 1000, why: `pod ${after.metadata.name} is ready and may be available by then` };
    },
  });
}

/** Claims enqueue nothing: their pods do, once scheduled. */
function watchClaims(): Watch {
  return watch<PersistentVolumeClaim>({ kind: PersistentVolumeClaims, owned: true, on: () => undefined });
}
