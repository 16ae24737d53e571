import { Pods } from "../../api/kinds.ts";
import type { Pod } from "../../api/types.ts";
import {
  type ControllerDefinition,
  defineController,
  type Permission,
  type Watch,
} from "../../controller/api/definition.ts";
import { watchOwned } from "../../controller/api/owned.ts";
import { isPodReady } from "../../controller/workload/pod-status.ts";
import { isBehindItsSpec, watchPrimary } from "../../controller/api/primary.ts";
import type { ReplicaControllerConfig, ReplicaOwner } from "./replica-owner.ts";
import { rules } from "./rules.ts";
import { syncReplicaSet } from "./sync.ts";

/** What a ReplicaSet and a ReplicationController define themselves; `defineReplicaController` adds what they share. */
export interface ReplicaController<T extends ReplicaOwner> extends Pick<
  ControllerDefinition,
  "name" | "aliases" | "purpose" | "component" | "source"
> {
  readonly config: ReplicaControllerConfig<T>;
  readonly indexes?: NonNullable<Watch<T>["indexes"]>;
}

/** Defines the controller of one of the two kinds: same watches, workers, rules and sync. */
export function defineReplicaController<T extends ReplicaOwner>(
  controller: ReplicaController<T>,
): ControllerDefinition {
  const { config, indexes, ...names } = controller;
  return defineController<T>({
    ...names,
    for: config.kind,
    watches: [watchPrimary(config.kind, indexes === undefined ? {} : { indexes }), watchPods(config)],
    workers: 5,
    ifRunTwice: "each scale-up would create twice the pods, and each scale-down delete twice as many",
    isLeftUndone: isBehindItsSpec,
    rules,
    permissions: permissionsFor(config.kind),
    sync: (_key, context) => syncReplicaSet(context, config),
  });
}

function watchPods<T extends ReplicaOwner>(config: ReplicaControllerConfig<T>): Watch {
  return watchOwned<T, Pod>({
    kind: Pods,
    ownerKind: config.kind,
    selectorOf: (owner) => config.selectorOf(owner),
    expected: true,
    requeueAfter(before, after, owner) {
      // No delta arrives when a ready pod becomes available.
      const minReadySeconds = owner.spec?.minReadySeconds ?? 0;
      if (minReadySeconds <= 0 || isPodReady(before) || !isPodReady(after)) return undefined;
      return { ms: minReadySeconds * 1000, why: `pod ${after.metadata.name} is ready and may be available by then` };
    },
  });
}

/**
 * The permissions used, all granted by upstream's role too. Permission to write Events is added for every controller.
 * Source: kubernetes v1.36 plugin/pkg/auth/authorizer/rbac/bootstrappolicy/controller_policy.go.
 */
function permissionsFor({ group, plural }: { readonly group: string; readonly plural: string }): readonly Permission[] {
  return [
    { group, resource: plural, verbs: ["get"] },
    { group, resource: `${plural}/status`, verbs: ["update"] },
    { group, resource: `${plural}/finalizers`, verbs: ["update"] },
    { group: "", resource: "pods", verbs: ["patch", "create", "delete"] },
  ];
}
