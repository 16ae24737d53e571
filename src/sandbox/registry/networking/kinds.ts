/** The rules of the kinds of networking.k8s.io, by resource. */
import type { RESTStrategy } from "../strategy/rest-strategy.ts";
import { addressStrategy, serviceRangeStrategy } from "./addresses.ts";
import { ingressClassStrategy, ingressStrategy } from "./ingress.ts";
import { networkPolicyStrategy } from "./network-policy.ts";

/** By resource. */
export const networkingStrategies: Readonly<Record<string, RESTStrategy>> = {
  "ingressclasses.networking.k8s.io": ingressClassStrategy,
  "ingresses.networking.k8s.io": ingressStrategy,
  "ipaddresses.networking.k8s.io": addressStrategy,
  "networkpolicies.networking.k8s.io": networkPolicyStrategy,
  "servicecidrs.networking.k8s.io": serviceRangeStrategy,
};
