/** The rules of the kinds of the core group, by resource. */
import type { KindRules } from "../strategy/kind-rules.ts";
import { configMapRules } from "./config-map.ts";
import { endpointsRules } from "./endpoints.ts";
import { eventRules } from "./event.ts";
import { limitRangeRules, quotaRules } from "./limits.ts";
import { namespaceRules } from "./namespace.ts";
import { nodeRules } from "./node.ts";
import { podTemplateRules } from "./pod-template.ts";
import { claimRules } from "./pod/volumes/claim.ts";
import { podRules } from "./pod/pod.ts";
import { replicationControllerRules } from "./replication-controller.ts";
import { secretRules } from "./secret.ts";
import { serviceAccountRules } from "./service-account.ts";
import { serviceRules } from "./service/service.ts";

export const coreKinds: Readonly<Record<string, KindRules>> = {
  configmaps: configMapRules,
  endpoints: endpointsRules,
  events: eventRules,
  limitranges: limitRangeRules,
  resourcequotas: quotaRules,
  namespaces: namespaceRules,
  nodes: nodeRules,
  persistentvolumeclaims: claimRules,
  pods: podRules,
  podtemplates: podTemplateRules,
  replicationcontrollers: replicationControllerRules,
  secrets: secretRules,
  services: serviceRules,
  serviceaccounts: serviceAccountRules,
};
