/** Defaults of webhooks, admission policies and flow control. Source: kubernetes v1.36 pkg/apis/{admissionregistration,flowcontrol}/v1/defaults.go. */
import { fill, fillNumbers, fillUnset, type Filler } from "../strategy/fill.ts";

/** New objects each time: the defaults become part of the object. */
const webhook: Filler = (fields) =>
  fillUnset(fields, {
    failurePolicy: "Fail",
    matchPolicy: "Equivalent",
    namespaceSelector: {},
    objectSelector: {},
    timeoutSeconds: 10,
  });
const rule: Filler = (fields) => fillUnset(fields, { scope: "*" });
const failing: Filler = (fields) => fillUnset(fields, { failurePolicy: "Fail" });

/** The defaults of policies and webhooks, by type. */
export const policyDefaults: Readonly<Record<string, Filler>> = {
  "admissionregistration.v1.ValidatingWebhook": webhook,
  "admissionregistration.v1.MutatingWebhook": (fields) => {
    webhook(fields);
    fillUnset(fields, { reinvocationPolicy: "Never" });
  },
  "admissionregistration.v1.RuleWithOperations": rule,
  "admissionregistration.v1.NamedRuleWithOperations": rule,
  "admissionregistration.v1.ServiceReference": (reference) => fill(reference, { port: 443 }),
  "admissionregistration.v1.MatchResources": (resources) =>
    fillUnset(resources, { matchPolicy: "Equivalent", namespaceSelector: {}, objectSelector: {} }),
  "admissionregistration.v1.ValidatingAdmissionPolicySpec": failing,
  "admissionregistration.v1.MutatingAdmissionPolicySpec": failing,
  "flowcontrol.v1.FlowSchemaSpec": (spec) => fillNumbers(spec, { matchingPrecedence: 1000 }),
  "flowcontrol.v1.ExemptPriorityLevelConfiguration": (exempt) =>
    fill(exempt, { nominalConcurrencyShares: 0, lendablePercent: 0 }),
  "flowcontrol.v1.LimitedPriorityLevelConfiguration": (limited) =>
    fill(limited, { nominalConcurrencyShares: 30, lendablePercent: 0 }),
  "flowcontrol.v1.QueuingConfiguration": (queuing) =>
    fillNumbers(queuing, { handSize: 8, queues: 64, queueLengthLimit: 50 }),
};
