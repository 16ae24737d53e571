/** The controller of Endpoints. Source: kubernetes v1.36 pkg/controller/endpoint/endpoints_controller.go. */
import { keyOf } from "../../api/key.ts";
import { Endpoints, Services } from "../../api/kinds.ts";
import type { Endpoints as EndpointsObject, Service } from "../../api/types.ts";
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
import { rules } from "./rules.ts";
import { syncEndpoints } from "./sync.ts";

/** Written by legacy leader election: such Endpoints belong to no Service. */
const leaderAnnotation = "control-plane.alpha.kubernetes.io/leader";

/** Maintains Endpoints for the pods that Services select: the predecessor of EndpointSlices. */
export const endpoints: ControllerDefinition = defineController<Service>({
  name: "endpoints",
  aliases: ["ep", "endpoint", "endpoints-controller"],
  purpose: "maintains the Endpoints of Services: the addresses of the pods that they select",
  component: "endpoint-controller",
  source: "pkg/controller/endpoint/endpoints_controller.go",
  for: Services,
  watches: [
    watchPrimary(Services, { indexes: { [selectorIndex]: indexBySelector } }),
    watchPodsOfServices(),
    watch<EndpointsObject>({ kind: Endpoints, owned: true, on: onEndpoints }),
  ],
  workers: 5,
  retry: { maxRetries: 15 },
  ifRunTwice: "the second of two updates of the same Endpoints would be refused",
  rules,
  // All granted by upstream's role too: kubernetes v1.36 plugin/pkg/auth/authorizer/rbac/bootstrappolicy/controller_policy.go.
  permissions: [
    { group: "", resource: "endpoints", verbs: ["create", "update", "delete"] },
    { group: "", resource: "endpoints/restricted", verbs: ["create"] },
  ],
  sync: (_key, context) => syncEndpoints(context),
});

/** Endpoints present at the start may be left over; those that others delete are recreated. What others write stays, as in upstream. */
function onEndpoints(notification: Notification<EndpointsObject>, context: WatchContext): void {
  const { type, object } = notification;
  const isLeftOver =
    type === "added" && notification.initial && object.metadata.annotations?.[leaderAnnotation] === undefined;
  if (type === "deleted" || isLeftOver) context.enqueue(keyOf(object));
}
