/** The controller of EndpointSlices. Source: kubernetes v1.36 pkg/controller/endpointslice/endpointslice_controller.go. */
import type { ObjectKey } from "../../api/key.ts";
import { Nodes, Services } from "../../api/kinds.ts";
import type { Node, Service } from "../../api/types.ts";
import {
  type ControllerDefinition,
  defineController,
  type Notification,
  watch,
  type WatchContext,
} from "../../controller/api/definition.ts";
import { watchPrimary } from "../../controller/api/primary.ts";
import {
  indexBySelector,
  selectorIndex,
  watchPodsOfServices,
} from "../../controller/workload/service/select-services.ts";
import { watchSlices } from "../../controller/workload/service/watch-slices.ts";
import { bucketLimiter, exponentialFailureLimiter, maxOfLimiters } from "../../workqueue/rate-limiters.ts";
import { isNodeReady } from "../../controller/workload/node-conditions.ts";
import { sliceTracker, zoneMemory } from "./memory.ts";
import { zoneLabel } from "./plan.ts";
import { rules } from "./rules.ts";
import { managedBy } from "./slice.ts";
import { syncSlices } from "./sync.ts";

/** How long a Service waits after a change of its slices, so that several changes share one sync. */
const sliceChangeDelayMs = 1000;

/** What kube-controller-manager's flags set. */
export interface EndpointSliceOptions {
  /** `--max-endpoints-per-slice` */
  readonly maxPerSlice: number;
}

/** Maintains EndpointSlices for the pods that Services select. */
export const endpointslice: ControllerDefinition = defineEndpointSliceController({ maxPerSlice: 100 });

/** The same with other limits. */
export function defineEndpointSliceController({ maxPerSlice }: EndpointSliceOptions): ControllerDefinition {
  return defineController<Service>({
    name: "endpointslice",
    aliases: ["eps", "endpointslice-controller"],
    purpose: "maintains the EndpointSlices of Services: the addresses of the pods that they select",
    component: "endpoint-slice-controller",
    source: "pkg/controller/endpointslice/endpointslice_controller.go",
    for: Services,
    watches: [
      watchPrimary(Services, { indexes: { [selectorIndex]: indexBySelector } }),
      watchPodsOfServices(),
      watchSlices({ managedBy, tracker: sliceTracker, delayMs: sliceChangeDelayMs }),
      watch<Node>({ kind: Nodes, on: onNode }),
    ],
    workers: 5,
    retry: {
      rateLimiter: (now) =>
        maxOfLimiters(
          exponentialFailureLimiter({ baseDelayMs: 1000, maxDelayMs: 1_000_000 }),
          bucketLimiter({ qps: 10, burst: 100, now }),
        ),
      maxRetries: 15,
    },
    ifRunTwice: "each would write the slices that the other has just written, and new Services would get two slices",
    rules,
    // All granted by upstream's role too: kubernetes v1.36 plugin/pkg/auth/authorizer/rbac/bootstrappolicy/controller_policy.go.
    permissions: [
      { group: "discovery.k8s.io", resource: "endpointslices", verbs: ["create", "update", "delete"] },
      { group: "", resource: "services/finalizers", verbs: ["update"] },
    ],
    sync: (_key, context) => syncSlices(context, maxPerSlice),
  });
}

/** If zone shares may have changed, checks the Services that have hints by them. */
function onNode(notification: Notification<Node>, context: WatchContext): void {
  if (notification.type === "updated" && !haveSharesChanged(notification.before, notification.object)) return;
  const memory = context.state(zoneMemory);
  memory.nodesChanged();
  const overloaded: readonly ObjectKey[] = memory.overloaded(() => context.cache(Nodes).list());
  for (const key of overloaded) context.enqueue(key);
}

function haveSharesChanged(before: Node, after: Node): boolean {
  const zone = ({ metadata: { labels } }: Node): string => labels?.[zoneLabel] ?? "";
  return isNodeReady(before) !== isNodeReady(after) || zone(before) !== zone(after);
}
