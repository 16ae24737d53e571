/** The rules of the kinds by which workloads find each other and their place, by resource. */
import type { RESTStrategy } from "../strategy/rest-strategy.ts";
import { endpointSliceStrategy } from "./endpoint-slice.ts";

/** By resource. */
export const discoveryStrategies: Readonly<Record<string, RESTStrategy>> = {
  "endpointslices.discovery.k8s.io": endpointSliceStrategy,
};
