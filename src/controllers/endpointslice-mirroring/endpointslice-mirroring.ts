/** The mirroring of Endpoints. Source: kubernetes v1.36 pkg/controller/endpointslicemirroring/endpointslicemirroring_controller.go. */
import { keyOf } from "../../api/key.ts";
import { Endpoints as EndpointsKind, Services } from "../../api/kinds.ts";
import type { Endpoints, Service } from "../../api/types.ts";
import {
  type ControllerDefinition,
  defineController,
  type Notification,
  watch,
  type WatchContext,
} from "../../controller/api/definition.ts";
import { watchSlices } from "../../controller/workload/service/watch-slices.ts";
import { bucketLimiter, exponentialFailureLimiter, maxOfLimiters } from "../../workqueue/rate-limiters.ts";
import { sliceTracker } from "./memory.ts";
import { hasSelector, whySkipped } from "./mirrored.ts";
import { managedBy } from "./plan.ts";
import { rules } from "./rules.ts";
import { syncMirror } from "./sync.ts";

/** What kube-controller-manager's flags set. */
export interface MirroringOptions {
  /** `--mirroring-max-endpoints-per-subset` */
  readonly maxPerSubset: number;
}

/** Mirrors user-written Endpoints into EndpointSlices. */
export const endpointsliceMirroring: ControllerDefinition = defineMirroringController({ maxPerSubset: 1000 });

/** The same with other limits. */
export function defineMirroringController({ maxPerSubset }: MirroringOptions): ControllerDefinition {
  return defineController<Endpoints>({
    name: "endpointslice-mirroring",
    aliases: ["mirroring", "endpointslice-mirroring-controller"],
    purpose: "mirrors Endpoints written by users to EndpointSlices",
    component: "endpoint-slice-mirroring-controller",
    source: "pkg/controller/endpointslicemirroring/reconciler.go",
    for: EndpointsKind,
    watches: [
      watch<Endpoints>({ kind: EndpointsKind, on: onEndpoints }),
      watch<Service>({ kind: Services, on: onService }),
      watchSlices({ managedBy, tracker: sliceTracker, delayMs: 0 }),
    ],
    workers: 5,
    retry: {
      rateLimiter: (now) =>
        maxOfLimiters(
          exponentialFailureLimiter({ baseDelayMs: 1000, maxDelayMs: 100_000 }),
          bucketLimiter({ qps: 10, burst: 100, now }),
        ),
      maxRetries: 15,
    },
    ifRunTwice: "each would write the slices that the other has just written, and new Endpoints would get two slices",
    rules,
    // All granted by upstream's role too: kubernetes v1.36 plugin/pkg/auth/authorizer/rbac/bootstrappolicy/controller_policy.go.
    permissions: [
      { group: "discovery.k8s.io", resource: "endpointslices", verbs: ["create", "update", "delete"] },
      { group: "", resource: "endpoints/finalizers", verbs: ["update"] },
    ],
    sync: (_key, context) => syncMirror(context, maxPerSubset),
  });
}

/** Ignores Endpoints that are skipped now and were before. */
function onEndpoints(notification: Notification<Endpoints>, context: WatchContext): void {
  const { type, object } = notification;
  const isMirrored = whySkipped(object) === undefined;
  const wasMirrored = type === "updated" && whySkipped(notification.before) === undefined;
  if (isMirrored || wasMirrored) context.enqueue(keyOf(object));
}

/** Only whether the Service has a selector counts. */
function onService(notification: Notification<Service>, context: WatchContext): void {
  const { type, object } = notification;
  const concerns = type === "updated" ? hasSelector(notification.before) !== hasSelector(object) : !hasSelector(object);
  if (concerns) context.enqueue(keyOf(object));
}
