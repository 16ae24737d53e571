/** The rules of kinds of the core group, and of those that only hold templates, by resource. */
import type { KindRules } from "../kind-rules.ts";
import { signingRequestRules } from "../certificates/signing-request.ts";
import { endpointsRules } from "./endpoints.ts";
import { runtimeClassRules } from "./runtime-class.ts";
import { serviceAccountRules } from "./service-account.ts";
import { controllerRevisionRules, podTemplateRules } from "./templates.ts";

export const coreKinds: Readonly<Record<string, KindRules>> = {
  endpoints: endpointsRules,
  serviceaccounts: serviceAccountRules,
  "runtimeclasses.node.k8s.io": runtimeClassRules,
  "certificatesigningrequests.certificates.k8s.io": signingRequestRules,
  podtemplates: podTemplateRules,
  "controllerrevisions.apps": controllerRevisionRules,
};
