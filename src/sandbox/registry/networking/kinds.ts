/** The rules of the kinds of networking.k8s.io, by resource. */
import type { KindRules } from "../strategy/kind-rules.ts";
import { addressRules, serviceRangeRules } from "./addresses.ts";
import { ingressClassRules, ingressRules } from "./ingress.ts";
import { networkPolicyRules } from "./network-policy.ts";

export const networkingKinds: Readonly<Record<string, KindRules>> = {
  "ingressclasses.networking.k8s.io": ingressClassRules,
  "ingresses.networking.k8s.io": ingressRules,
  "ipaddresses.networking.k8s.io": addressRules,
  "networkpolicies.networking.k8s.io": networkPolicyRules,
  "servicecidrs.networking.k8s.io": serviceRangeRules,
};
