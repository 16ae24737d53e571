/** The rules of the kinds of devices, by resource. */
import type { RESTStrategy } from "../strategy/rest-strategy.ts";
import { claimStrategy, claimTemplateStrategy, deviceClassStrategy } from "./claims.ts";
import { sliceStrategy } from "./slices.ts";

/** By resource. */
export const deviceStrategies: Readonly<Record<string, RESTStrategy>> = {
  "resourceclaims.resource.k8s.io": claimStrategy,
  "resourceclaimtemplates.resource.k8s.io": claimTemplateStrategy,
  "deviceclasses.resource.k8s.io": deviceClassStrategy,
  "resourceslices.resource.k8s.io": sliceStrategy,
};
