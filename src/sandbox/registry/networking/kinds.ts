/** The strategies of networking.k8s.io. */
import type { RESTStrategy } from "../strategy/rest-strategy.ts";
import { ingressClassStrategy } from "./ingress-class.ts";
import { ingressStrategy } from "./ingress.ts";
import { addressStrategy } from "./ip-address.ts";
import { networkPolicyStrategy } from "./network-policy.ts";
import { serviceRangeStrategy } from "./service-cidr.ts";

/** By resource. */
export const networkingStrategies: Readonly<Record<string, RESTStrategy>> = {
  "ingressclasses.networking.k8s.io": ingressClassStrategy,
  "ingresses.networking.k8s.io": ingressStrategy,
  "ipaddresses.networking.k8s.io": addressStrategy,
  "networkpolicies.networking.k8s.io": networkPolicyStrategy,
  "servicecidrs.networking.k8s.io": serviceRangeStrategy,
};
