/** The strategies of discovery.k8s.io. */
import type { RESTStrategy } from "../strategy/rest-strategy.ts";
import { endpointSliceStrategy } from "./endpoint-slice.ts";

/** By resource. */
export const discoveryStrategies: Readonly<Record<string, RESTStrategy>> = {
  "endpointslices.discovery.k8s.io": endpointSliceStrategy,
};
