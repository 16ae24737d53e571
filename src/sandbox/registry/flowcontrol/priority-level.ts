/** PriorityLevelConfigurations. Source: kubernetes v1.36 pkg/apis/flowcontrol/validation/validation.go. */
import { invalid, notAllowed, required, type FieldError } from "../../meta/field-errors.ts";
import { isFields, textOf, type Fields } from "../../meta/object.ts";
import { isNumber, neededChoiceErrors } from "../../validation/checks.ts";
import type { RESTStrategy } from "../strategy/rest-strategy.ts";
import { allButStatus, keepMetadata, restStrategy } from "../strategy/default-strategy.ts";
import { validateChange, validateObject, validateObjectMeta } from "../strategy/validation-steps.ts";
import { typedConditionErrors } from "./typed-conditions.ts";

const mostQueues = 10_000_000;

const mostEntropyBits = 60;

/** The entropy of shuffle sharding: log2 of the number of hands that can be dealt. */
function entropyBits(queues: number, hand: number): number {
  let bits = 0;
  for (let card = 0; card < hand && card < queues; card++) bits += Math.log2(queues - card);
  return Math.ceil(bits);
}

function queuingErrors(queuing: Fields, field: string): FieldError[] {
  const [length, queues, hand] = ["queueLengthLimit", "queues", "handSize"].map((key) =>
    isNumber(queuing[key]) ? queuing[key] : 0,
  ) as [number, number, number];
  const errors = length <= 0 ? [invalid(`${field}.queueLengthLimit`, length, "must be positive")] : [];
  if (queues <= 0) errors.push(invalid(`${field}.queues`, queues, "must be positive"));
  else if (queues > mostQueues)
    errors.push(invalid(`${field}.queues`, queues, `must not be greater than ${mostQueues}`));
  const here = `${field}.handSize`;
  if (hand <= 0) errors.push(invalid(here, hand, "must be positive"));
  else if (hand > queues) errors.push(invalid(here, hand, `should not be greater than queues (${queues})`));
  else if (entropyBits(queues, hand) > mostEntropyBits) {
    const why = `required entropy bits of deckSize ${queues} and handSize ${hand} should not be greater than ${mostEntropyBits}`;
    errors.push(invalid(here, hand, why));
  }
  return errors;
}

function responseErrors(response: Fields, field: string): FieldError[] {
  const type = textOf(response["type"]);
  const queuing = response["queuing"];
  const here = `${field}.queuing`;
  if (type === "Reject")
    return queuing === undefined ? [] : [notAllowed(here, "must be nil if limited.limitResponse.type is not Limited")];
  if (type !== "Queue") return neededChoiceErrors(type, `${field}.type`, ["Queue", "Reject"]);
  return isFields(queuing)
    ? queuingErrors(queuing, here)
    : [required(here, "must not be empty if limited.limitResponse.type is Limited")];
}

function shareErrors(level: Fields, field: string): FieldError[] {
  const shares = level["nominalConcurrencyShares"];
  return isNumber(shares) && shares < 0
    ? [invalid(`${field}.nominalConcurrencyShares`, shares, "must be a non-negative integer")]
    : [];
}

function lendableErrors(level: Fields, field: string): FieldError[] {
  const percent = level["lendablePercent"];
  return isNumber(percent) && (percent < 0 || percent > 100)
    ? [invalid(`${field}.lendablePercent`, percent, "must be between 0 and 100, inclusive")]
    : [];
}

function limitedErrors(limited: Fields, field: string): FieldError[] {
  const { limitResponse: response, borrowingLimitPercent: borrowing } = limited as Record<string, unknown>;
  const why = "if specified, must be a non-negative integer";
  return [
    ...shareErrors(limited, field),
    ...responseErrors(isFields(response) ? response : {}, `${field}.limitResponse`),
    ...lendableErrors(limited, field),
    ...(isNumber(borrowing) && borrowing < 0 ? [invalid(`${field}.borrowingLimitPercent`, borrowing, why)] : []),
  ];
}

function levelErrors(spec: Fields): FieldError[] {
  const { exempt, limited } = spec as Record<string, unknown>;
  switch (spec["type"]) {
    case "Exempt":
      return [
        ...(limited === undefined ? [] : [notAllowed("spec.limited", "must be nil if the type is not Limited")]),
        ...(isFields(exempt) ? [...shareErrors(exempt, "spec.exempt"), ...lendableErrors(exempt, "spec.exempt")] : []),
      ];
    case "Limited":
      return [
        ...(exempt === undefined ? [] : [notAllowed("spec.exempt", "must be nil if the type is Limited")]),
        ...(isFields(limited)
          ? limitedErrors(limited, "spec.limited")
          : [required("spec.limited", "must not be empty when type is Limited")]),
      ];
    default:
      return neededChoiceErrors(spec["type"], "spec.type", ["Exempt", "Limited"]);
  }
}

/** PriorityLevelConfigurations: only `exempt` is of type Exempt. */
export const priorityLevelStrategy: RESTStrategy = restStrategy({
  generation: "spec",
  updateSteps: [validateObjectMeta, validateObject],
  status: {
    resetFields: allButStatus,
    prepareForUpdate: keepMetadata,
    updateSteps: [validateChange],
    validateUpdate: typedConditionErrors,
  },
  validate({ metadata, spec = {} }) {
    const isExempt = metadata.name === "exempt";
    const why = "must be 'Exempt' if and only if `name` is 'exempt'";
    return [
      ...(isExempt === (spec["type"] === "Exempt") ? [] : [invalid("spec.type", spec["type"] ?? "", why)]),
      ...levelErrors(spec),
    ];
  },
});
