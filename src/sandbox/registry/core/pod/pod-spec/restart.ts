/**
 * When a container is restarted. Source: kubernetes v1.36 pkg/apis/core/validation/validation.go validateContainerRestartPolicy,
 * validateResizePolicy.
 */
import { duplicate, invalid, required, tooMany, type FieldError } from "../../../../meta/field-errors.ts";
import { fieldsIn, isFields, type Fields } from "../../../../meta/object.ts";
import { choiceErrors, eachErrors, neededChoiceErrors, seenBefore } from "../../../../validation/checks.ts";

const policies = ["Always", "Never", "OnFailure"];
const actions = ["Restart", "RestartAllContainers"];
const operators = ["In", "NotIn"];
const mostRules = 20;
const mostCodes = 255;
const rulesNeedPolicy = "must specify restartPolicy when restart rules are used";

function ruleErrors({ action, exitCodes: codes }: Fields, field: string): FieldError[] {
  const errors = choiceErrors(action ?? "", `${field}.action`, actions);
  const here = `${field}.exitCodes`;
  if (!isFields(codes)) return [...errors, required(here, "must be specified")];
  const count = Array.isArray(codes["values"]) ? codes["values"].length : 0;
  return [
    ...errors,
    ...choiceErrors(codes["operator"] ?? "", `${here}.operator`, operators),
    ...(count > mostCodes ? [tooMany(`${here}.values`, count, mostCodes)] : []),
  ];
}

/** A container's restart policy and its rules. */
export function restartErrors(container: Fields, field: string): FieldError[] {
  const policy = container["restartPolicy"];
  const rules = fieldsIn(container["restartPolicyRules"]);
  const [here, list] = [`${field}.restartPolicy`, `${field}.restartPolicyRules`];
  const none = rules.length === 0 ? [] : [required(here, rulesNeedPolicy)];
  return [
    ...(policy === undefined ? none : choiceErrors(policy, here, policies)),
    ...(rules.length > mostRules ? [tooMany(list, rules.length, mostRules)] : []),
    ...eachErrors(rules, list, ruleErrors),
  ];
}

/** For an init container without a policy, rules are not validated. */
export function initRestartErrors(container: Fields, field: string): FieldError[] {
  if (container["restartPolicy"] !== undefined) return restartErrors(container, field);
  const rules = fieldsIn(container["restartPolicyRules"]);
  return rules.length === 0 ? [] : [required(`${field}.restartPolicy`, rulesNeedPolicy)];
}

const resizable = ["cpu", "memory"];
const resizePolicies = ["NotRequired", "RestartContainer"];

/** Resize policies; the real server does not report which entry is wrong. */
export function resizePolicyErrors(list: unknown, field: string, podPolicy: unknown): FieldError[] {
  const isRepeated = seenBefore();
  return fieldsIn(list).flatMap(({ resourceName, restartPolicy }, index) => {
    const mayNot = podPolicy === "Never" && restartPolicy !== "NotRequired";
    const why = "must be 'NotRequired' when pod `restartPolicy` is 'Never'";
    return [
      ...(isRepeated(resourceName) ? [duplicate(`${field}[${index}]`, resourceName)] : []),
      ...neededChoiceErrors(resourceName, field, resizable),
      ...neededChoiceErrors(restartPolicy, field, resizePolicies),
      ...(mayNot ? [invalid(field, restartPolicy ?? "", why)] : []),
    ];
  });
}
