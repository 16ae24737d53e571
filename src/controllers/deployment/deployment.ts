import { keyOf, objectKey } from "../../api/key.ts";
import { Deployments, Pods, ReplicaSets } from "../../api/kinds.ts";
import { matches, selectorOf } from "../../api/labels.ts";
import { controllerOf } from "../../api/owner-references.ts";
import type { Deployment, Pod, ReplicaSet } from "../../api/types.ts";
import {
  type ControllerDefinition,
  defineController,
  type Watch,
  watch,
  type WatchContext,
} from "../../controller/api/definition.ts";
import {
  controllerIndex,
  indexByController,
  ownedAndOrphaned,
  ownedBy,
  watchOwned,
} from "../../controller/api/owned.ts";
import { isBehindItsSpec, watchPrimary } from "../../controller/api/primary.ts";
import { rules } from "./rules.ts";
import { syncDeployment } from "./sync.ts";

/** Rolls out Deployments through ReplicaSets, one per template. */
export const deployment: ControllerDefinition = defineController<Deployment>({
  name: "deployment",
  aliases: ["deploy", "deployment-controller"],
  purpose: "rolls out a Deployment with one ReplicaSet per template",
  component: "deployment-controller",
  source: "pkg/controller/deployment/deployment_controller.go",
  for: Deployments,
  watches: [
    watchPrimary(Deployments),
    watchOwned<Deployment, ReplicaSet>({
      kind: ReplicaSets,
      ownerKind: Deployments,
      selectorOf: ({ spec }) => selectorOf(spec?.selector),
      expected: false,
    }),
    watchPods(),
  ],
  workers: 5,
  ifRunTwice: "both would scale the ReplicaSets of a rollout, each from what the other has just changed",
  isLeftUndone: isBehindItsSpec,
  // 5 ms · 2ⁿ: the fifteenth retry, the last, follows the fourteenth after 82 s.
  retry: { maxRetries: 15 },
  rules,
  // All granted by upstream's role too: kubernetes v1.36 plugin/pkg/auth/authorizer/rbac/bootstrappolicy/controller_policy.go.
  permissions: [
    { group: "apps", resource: "deployments", verbs: ["get", "update"] },
    { group: "apps", resource: "deployments/status", verbs: ["update"] },
    { group: "apps", resource: "deployments/finalizers", verbs: ["update"] },
    { group: "apps", resource: "replicasets", verbs: ["create", "update", "patch", "delete"] },
  ],
  sync: (_key, context) => syncDeployment(context),
});

/** Of all pod events, only the deletion of the last pod matters: Recreate waits for it. */
function watchPods(): Watch {
  return watch<Pod>({
    kind: Pods,
    // Usually the longest list of any kind, and only Recreate needs it.
    deferred: true,
    indexes: { [controllerIndex]: indexByController },
    on(notification, context) {
      if (notification.type !== "deleted") return;
      const owner = deploymentOf(notification.object, context);
      if (owner?.spec?.strategy?.type === "Recreate" && !hasPods(owner, context)) context.enqueue(keyOf(owner));
    },
  });
}

/** The Deployment that controls the ReplicaSet that controls the pod. */
function deploymentOf({ metadata, ...pod }: Pod, context: WatchContext): Deployment | undefined {
  const { namespace } = metadata;
  const setRef = controllerOf({ metadata, ...pod });
  if (setRef?.kind !== ReplicaSets.kind) return undefined;
  const replicaSet = context.cache(ReplicaSets).get(objectKey(namespace, setRef.name));
  if (replicaSet?.metadata.uid !== setRef.uid) return undefined;
  const ref = controllerOf(replicaSet);
  if (ref?.kind !== Deployments.kind) return undefined;
  const owner = context.cache(Deployments).get(objectKey(namespace, ref.name));
  return owner?.metadata.uid === ref.uid ? owner : undefined;
}

/** Reads ReplicaSets from the cache; upstream lists them from the API server. A ReplicaSet not cached yet has no deleted pods. */
function hasPods(owner: Deployment, context: WatchContext): boolean {
  const selector = selectorOf(owner.spec?.selector);
  return ownedAndOrphaned(context.cache(ReplicaSets), owner, Deployments)
    .filter((one) => controllerOf(one)?.uid === owner.metadata.uid && matches(selector, one.metadata.labels))
    .some((one) => ownedBy(context.cache(Pods), one, ReplicaSets).length > 0);
}
