/** The strategies of admissionregistration.k8s.io. */
import type { RESTStrategy } from "../strategy/rest-strategy.ts";
import { mutatingBindingStrategy } from "./mutating-binding.ts";
import { mutatingPolicyStrategy } from "./mutating-policy.ts";
import { validatingBindingStrategy } from "./validating-binding.ts";
import { validatingPolicyStrategy } from "./validating-policy.ts";
import { webhookStrategy } from "./webhooks.ts";

const group = "admissionregistration.k8s.io";

/** By resource. */
export const admissionStrategies: Readonly<Record<string, RESTStrategy>> = {
  [`validatingwebhookconfigurations.${group}`]: webhookStrategy,
  [`mutatingwebhookconfigurations.${group}`]: webhookStrategy,
  [`validatingadmissionpolicies.${group}`]: validatingPolicyStrategy,
  [`validatingadmissionpolicybindings.${group}`]: validatingBindingStrategy,
  [`mutatingadmissionpolicies.${group}`]: mutatingPolicyStrategy,
  [`mutatingadmissionpolicybindings.${group}`]: mutatingBindingStrategy,
};
