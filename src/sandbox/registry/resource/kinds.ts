/** The rules of the kinds of devices, by resource. */
import type { KindRules } from "../strategy/kind-rules.ts";
import { claimRules, claimTemplateRules, deviceClassRules } from "./claims.ts";
import { sliceRules } from "./slices.ts";

export const deviceKinds: Readonly<Record<string, KindRules>> = {
  "resourceclaims.resource.k8s.io": claimRules,
  "resourceclaimtemplates.resource.k8s.io": claimTemplateRules,
  "deviceclasses.resource.k8s.io": deviceClassRules,
  "resourceslices.resource.k8s.io": sliceRules,
};
