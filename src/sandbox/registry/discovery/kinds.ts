/** The rules of the kinds by which workloads find each other and their place, by resource. */
import type { KindRules } from "../strategy/kind-rules.ts";
import { endpointSliceRules } from "./endpoint-slice.ts";

export const discoveryKinds: Readonly<Record<string, KindRules>> = {
  "endpointslices.discovery.k8s.io": endpointSliceRules,
};
