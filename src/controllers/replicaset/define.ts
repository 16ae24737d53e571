import { Pods } from "../../api/kind.ts";
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
import type { Flavour, Replicated } from "./replicated.ts";
import { rules } from "./rules.ts";
import { syncReplicated } from "./sync.ts";

export interface ReplicatedController<T extends Replicated> extends Pick<
  ControllerDefinition,
  "name" | "aliases" | "purpose" | "component" | "source"
> {
  readonly flavour: Flavour<T>;
  readonly indexes?: NonNullable<Watch<T>["indexes"]>;
}

/** A controller of one flavour: the same watches, workers, rules and sync for both kinds. */
export function defineReplicated<T extends Replicated>(controller: ReplicatedController<T>): ControllerDefinition {
  const { flavour, indexes, ...names } = controller;
  return defineController<T>({
    ...names,
    for: flavour.kind,
    watches: [watchPrimary(flavour.kind, indexes === undefined ? {} : { indexes }), watchPods(flavour)],
    workers: 5,
    ifRunTwice: "each scale-up would create twice the pods, and each scale-down delete twice as many",
    isLeftUndone: isBehindItsSpec,
    rules,
    permissions: permissionsFor(flavour.kind),
    sync: (_key, context) => syncReplicated(context, flavour),
  });
}

function watchPods<T extends Replicated>(flavour: Flavour<T>): Watch {
  return watchOwned<T, Pod>({
    kind: Pods,
    ownerKind: flavour.kind,
    selectorOf: (owner) => flavour.selectorOf(owner),
    expected: true,
    requeueAfter(before, after, owner) {
      // No delta comes when a ready pod becomes available.
      const minReadySeconds = owner.spec?.minReadySeconds ?? 0;
      if (minReadySeconds <= 0 || isPodReady(before) || !isPodReady(after)) return undefined;
      return { ms: minReadySeconds * 1000, why: `pod ${after.metadata.name} is ready and may be available by then` };
    },
  });
}

/**
 * What is used; within what upstream's role grants. Events are every controller's.
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
