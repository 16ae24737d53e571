/** The rules of the kinds that others take part in admission by, by resource. */
import type { RESTStrategy } from "../strategy/rest-strategy.ts";
import {
  mutatingBindingStrategy,
  mutatingPolicyStrategy,
  validatingBindingStrategy,
  validatingPolicyStrategy,
} from "./policies.ts";
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
