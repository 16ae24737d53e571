/** The strategies of resource.k8s.io. */
import type { RESTStrategy } from "../strategy/rest-strategy.ts";
import { deviceClassStrategy } from "./device-class.ts";
import { claimStrategy } from "./resource-claim.ts";
import { claimTemplateStrategy } from "./resource-claim-template.ts";
import { sliceStrategy } from "./slices.ts";

/** By resource. */
export const deviceStrategies: Readonly<Record<string, RESTStrategy>> = {
  "resourceclaims.resource.k8s.io": claimStrategy,
  "resourceclaimtemplates.resource.k8s.io": claimTemplateStrategy,
  "deviceclasses.resource.k8s.io": deviceClassStrategy,
  "resourceslices.resource.k8s.io": sliceStrategy,
};
