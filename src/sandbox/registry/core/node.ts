/** Nodes. Source: kubernetes v1.36 pkg/apis/core/validation/validation.go ValidateNode, ValidateNodeUpdate. */
import { deepEqual } from "../../../api/field-changes.ts";
import {
  duplicate,
  internalError,
  invalid,
  notAllowed,
  notSupported,
  required,
  type FieldError,
} from "../../meta/field-errors.ts";
import { textOf, textsIn, fieldsIn, type ApiObject, type Fields } from "../../meta/object.ts";
import { eachErrors, seenBefore } from "../../validation/checks.ts";
import { rangeWarnings } from "../../validation/address-warnings.ts";
import { cidrErrors, cidrOf } from "../../validation/cidr.ts";
import type { RESTStrategy } from "../strategy/rest-strategy.ts";
import { restStrategy } from "../strategy/default-strategy.ts";
import {
  validateChange,
  validateObject,
  validateObjectMeta,
  validateObjectMetaUpdate,
} from "../strategy/validation-steps.ts";
import { labelKeyProblems, labelValueProblems } from "../../../api/label-names.ts";
import { amountsIn } from "./pod/resources/pod-amounts.ts";
import { amountErrors } from "../../validation/resource-names.ts";

const effects = ["NoSchedule", "PreferNoSchedule", "NoExecute"];

function taintErrors({ spec = {} }: ApiObject): FieldError[] {
  const seen = new Set<string>();
  return fieldsIn(spec["taints"]).flatMap((taint, index) => {
    // The real server reports them under the metadata, where they once were.
    const field = `metadata.taints[${index}]`;
    const [key, value, effect] = [textOf(taint["key"]), textOf(taint["value"]), textOf(taint["effect"])];
    const errors = labelKeyProblems(key).map((problem) => invalid(`${field}.key`, key, problem));
    const problems = labelValueProblems(value);
    if (problems.length > 0) errors.push(invalid(`${field}.value`, value, problems.join(";")));
    if (effect === "") errors.push(required(`${field}.effect`));
    else if (!effects.includes(effect)) errors.push(notSupported(`${field}.effect`, effect, effects));
    if (seen.has(`${effect} ${key}`)) errors.push(twice(field, key, value, effect, taint));
    seen.add(`${effect} ${key}`);
    return errors;
  });
}

function twice(field: string, key: string, value: string, effect: string, taint: Fields): FieldError {
  const shown = JSON.stringify({ Key: key, Value: value, Effect: effect, TimeAdded: taint["timeAdded"] ?? null });
  const message = `Duplicate value: ${shown}: taints must be unique by key and effect pair`;
  return { reason: "FieldValueDuplicate", field, message };
}

function fixedErrors({ spec = {} }: ApiObject, { spec: old = {} }: ApiObject): FieldError[] {
  const errors: FieldError[] = [];
  if (old["podCIDRs"] !== undefined && !deepEqual(old["podCIDRs"], spec["podCIDRs"]))
    errors.push(notAllowed("spec.podCIDRs", 'node updates may not change podCIDR except from "" to valid'));
  if (textOf(old["providerID"]) !== "" && old["providerID"] !== spec["providerID"])
    errors.push(notAllowed("spec.providerID", 'node updates may not change providerID except from "" to valid'));
  return errors;
}

function rangeErrors({ spec = {} }: ApiObject): FieldError[] {
  const field = "spec.podCIDRs";
  const ranges = textsIn(spec["podCIDRs"]);
  const errors = eachErrors(ranges, field, cidrErrors);
  if (ranges.length < 2) return errors;
  const wrong = ranges.findIndex((range) => cidrOf(range) === undefined);
  if (wrong >= 0) {
    const why = `invalid CIDR[${wrong}]: <nil> (invalid CIDR address: ${ranges[wrong]})`;
    errors.push(internalError(field, `invalid PodCIDRs. failed to check with dual stack with error:${why}`));
  }
  const families = new Set(ranges.map((range) => cidrOf(range)?.bits));
  if (wrong >= 0 || families.size < 2 || ranges.length > 2)
    errors.push(invalid(field, ranges, "may specify no more than one CIDR for each IP family"));
  return errors;
}

function resourceErrors({ status = {} }: ApiObject): FieldError[] {
  return ["capacity", "allocatable"].flatMap((key) =>
    [...amountsIn(status[key])].flatMap(([name, quantity]) => amountErrors(name, quantity, `status.${key}.${name}`)),
  );
}

const feature = /^[A-Z][a-zA-Z0-9]*(\/[a-zA-Z][a-zA-Z0-9]*)*$/;
const longestFeature = 253;

/** Declared features: names, sorted. */
function featureErrors({ status = {} }: ApiObject): FieldError[] {
  const names = textsIn(status["declaredFeatures"]);
  const wrong = (name: string): string =>
    name.length > longestFeature
      ? `must be no more than ${longestFeature} characters`
      : feature.test(name)
        ? ""
        : "must start with an UpperCamelCase segment, with subsequent segments separated by '/' (e.g., MyFeature or MyFeature/mySubFeature), and contain only alphanumeric characters and slashes";
  return eachErrors(names, "status.declaredFeatures", (name, field, index) => {
    const [why, before] = [wrong(name), names[index - 1]];
    return [
      ...(before === undefined || before < name
        ? []
        : before === name
          ? [duplicate(field, name)]
          : [invalid(field, name, "list must be sorted alphabetically")]),
      ...(why === "" ? [] : [invalid(field, name, `invalid feature name ${JSON.stringify(name)}: ${why}`)]),
    ];
  });
}

function addressErrors({ status }: ApiObject): FieldError[] {
  const isRepeated = seenBefore();
  return eachErrors(fieldsIn(status?.["addresses"]), "status.addresses", ({ type, address }, field) =>
    isRepeated(`${textOf(type)} ${textOf(address)}`) ? [duplicate(field, { Type: type, Address: address })] : [],
  );
}

// The real server validates the resources again on update.
const changeErrors = (node: ApiObject, old: ApiObject): FieldError[] => [
  ...resourceErrors(node),
  ...addressErrors(node),
  ...fixedErrors(node, old),
  ...taintErrors(node),
  ...(textOf(node.spec?.["externalID"]) === textOf(old.spec?.["externalID"])
    ? []
    : [notAllowed("spec.externalID", "may not be updated")]),
];

/** Drops the configuration of a removed feature, unless the old node has one. */
function dropConfig({ spec }: ApiObject, old?: ApiObject): void {
  if (old?.spec?.["configSource"] === undefined) delete spec?.["configSource"];
}

/** Warnings about fields. Source: kubernetes v1.36 pkg/registry/core/node/strategy.go nodeWarnings; differs: none about `configSource`. */
const warnings = ({ spec = {} }: ApiObject): string[] => [
  ...(textOf(spec["externalID"]) === ""
    ? []
    : ["spec.externalID: this field is deprecated, and is unused by Kubernetes"]),
  ...textsIn(spec["podCIDRs"]).flatMap((range, index) => rangeWarnings(range, `spec.podCIDRs[${index}]`)),
];

/** Nodes; their status is validated as an update of the node. */
export const nodeStrategy: RESTStrategy = restStrategy({
  keepsStatusOnCreate: true,
  updateSteps: [validateObjectMeta, validateObject, validateObjectMetaUpdate, validateChange],
  status: {
    updateSteps: [validateObjectMetaUpdate, validateChange],
    prepareForUpdate({ status }, old) {
      // The field belongs to a removed feature: only objects that have it keep it.
      if (old.status?.["config"] === undefined) delete status?.["config"];
    },
    validateUpdate: (node, old) => [...changeErrors(node, old), ...featureErrors(node)],
  },
  setDefaults({ spec = {} }) {
    // `podCIDR` is the first item of `podCIDRs`.
    const first = textOf(spec["podCIDR"]);
    const all = textsIn(spec["podCIDRs"]);
    if (first !== "" && all[0] !== first) spec["podCIDRs"] = [first];
    else if (all.length > 0) spec["podCIDR"] = all[0];
  },
  validate: (node) => [...taintErrors(node), ...resourceErrors(node), ...featureErrors(node), ...rangeErrors(node)],
  validateUpdate: changeErrors,
  prepareForCreate: (node) => dropConfig(node),
  prepareForUpdate: dropConfig,
  warningsOnCreate: warnings,
  warningsOnUpdate: warnings,
});
