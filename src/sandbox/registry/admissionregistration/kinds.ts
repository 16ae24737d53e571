/** The rules of the kinds that others take part in admission by, by resource. */
import type { KindRules } from "../strategy/kind-rules.ts";
import {
  mutatingBindingRules,
  mutatingPolicyRules,
  validatingBindingRules,
  validatingPolicyRules,
} from "./policies.ts";
import { webhookRules } from "./webhooks.ts";

const group = "admissionregistration.k8s.io";

export const admissionKinds: Readonly<Record<string, KindRules>> = {
  [`validatingwebhookconfigurations.${group}`]: webhookRules,
  [`mutatingwebhookconfigurations.${group}`]: webhookRules,
  [`validatingadmissionpolicies.${group}`]: validatingPolicyRules,
  [`validatingadmissionpolicybindings.${group}`]: validatingBindingRules,
  [`mutatingadmissionpolicies.${group}`]: mutatingPolicyRules,
  [`mutatingadmissionpolicybindings.${group}`]: mutatingBindingRules,
};
