/** CSINodes. Source: kubernetes v1.36 pkg/apis/storage/validation/validation.go. */
import { duplicate, invalid, required, type FieldError } from "../../meta/field-errors.ts";
import { at, fieldsIn, textOf, textsIn, type Fields } from "../../meta/object.ts";
import { driverNameErrors, eachErrors, isEqual, nonNegativeErrors, seenBefore } from "../../validation/checks.ts";
import type { RESTStrategy } from "../strategy/rest-strategy.ts";
import { restStrategy } from "../strategy/default-strategy.ts";
import { validateChange, validateObject, validateObjectMeta } from "../strategy/validation-steps.ts";
import { labelKeyProblems } from "../../../api/label-names.ts";

const longestNodeId = 256;

function nodeDriverErrors(driver: Fields, field: string, isRepeated: boolean): FieldError[] {
  const errors = driverNameErrors(driver["name"], `${field}.name`);
  const id = textOf(driver["nodeID"]);
  if (id === "") errors.push(required(`${field}.nodeID`));
  if (id.length > longestNodeId)
    errors.push(invalid(`${field}.nodeID`, id, `must be ${longestNodeId} characters or less`));
  errors.push(...nonNegativeErrors(at(driver, "allocatable", "count"), `${field}.allocatable.count`));
  if (isRepeated) errors.push(duplicate(`${field}.name`, driver["name"] ?? ""));
  const isAgain = seenBefore();
  for (const key of textsIn(driver["topologyKeys"])) {
    if (key === "") errors.push(required(field));
    if (isAgain(key)) errors.push(duplicate(field, key));
    errors.push(...labelKeyProblems(key).map((problem) => invalid(field, key, problem)));
  }
  return errors;
}

/** CSINodes: for a registered driver, only the number of volumes may change. */
export const csiNodeStrategy: RESTStrategy = restStrategy({
  allowUnconditionalUpdate: false,
  updateSteps: [validateObjectMeta, validateObject, validateChange],
  returnsDeletedObject: true,
  validate({ spec = {} }) {
    const isRepeated = seenBefore();
    return eachErrors(fieldsIn(spec["drivers"]), "spec.drivers", (driver, field) =>
      nodeDriverErrors(driver, field, isRepeated(driver["name"])),
    );
  },
  validateUpdate(node, old) {
    const [drivers, before] = [node, old].map(({ spec }) => fieldsIn(spec?.["drivers"])) as [Fields[], Fields[]];
    return before.flatMap((driver) =>
      drivers.filter(({ name }) => name === driver["name"]).flatMap((now) => fixedDriver(now, driver)),
    );
  },
});

/** The fields of a driver are immutable, except for its allocatable volumes. */
function fixedDriver({ allocatable: _now, ...now }: Fields, { allocatable: _before, ...before }: Fields): FieldError[] {
  if (isEqual(now, before)) return [];
  const { name = "", nodeID = "", topologyKeys = null } = now;
  const printed = { Name: name, NodeID: nodeID, TopologyKeys: topologyKeys, Allocatable: null };
  return [invalid("spec.drivers", printed, "field is immutable")];
}
