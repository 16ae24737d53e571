/** The strategies of the core group. */
import type { RESTStrategy } from "../strategy/rest-strategy.ts";
import { configMapStrategy } from "./config-map.ts";
import { endpointsStrategy } from "./endpoints.ts";
import { eventStrategy } from "./event.ts";
import { limitRangeStrategy } from "./limit-range.ts";
import { namespaceStrategy } from "./namespace.ts";
import { nodeStrategy } from "./node.ts";
import { podTemplateStrategy } from "./pod-template.ts";
import { claimStrategy } from "./pod/volumes/claim.ts";
import { podStrategy } from "./pod/pod.ts";
import { replicationControllerStrategy } from "./replication-controller.ts";
import { quotaStrategy } from "./resource-quota.ts";
import { secretStrategy } from "./secret.ts";
import { serviceAccountStrategy } from "./service-account.ts";
import { serviceStrategy } from "./service/service.ts";

/** By resource. */
export const coreStrategies: Readonly<Record<string, RESTStrategy>> = {
  configmaps: configMapStrategy,
  endpoints: endpointsStrategy,
  events: eventStrategy,
  "events.events.k8s.io": eventStrategy,
  limitranges: limitRangeStrategy,
  resourcequotas: quotaStrategy,
  namespaces: namespaceStrategy,
  nodes: nodeStrategy,
  persistentvolumeclaims: claimStrategy,
  pods: podStrategy,
  podtemplates: podTemplateStrategy,
  replicationcontrollers: replicationControllerStrategy,
  secrets: secretStrategy,
  services: serviceStrategy,
  serviceaccounts: serviceAccountStrategy,
};
