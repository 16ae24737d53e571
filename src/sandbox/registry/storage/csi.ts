/** What CSI drivers say of themselves, and where. Source: kubernetes v1.36 pkg/apis/storage/validation/validation.go. */
import { duplicate, invalid, notAllowed, notSupported, required, type FieldError } from "../../meta/field-errors.ts";
import { parseQuantity } from "../../../api/quantity.ts";
import { at, fieldsIn, isFields, textOf, type ApiObject, type Fields } from "../../meta/object.ts";
import {
  choiceErrors,
  driverNameErrors,
  eachErrors,
  isEqual,
  isNumber,
  neededErrors,
  nonNegativeErrors,
  parameterErrors,
  qualifiedNameErrors,
  seenBefore,
  subdomainErrors,
  textsIn,
} from "../../validation/checks.ts";
import type { RESTStrategy } from "../strategy/rest-strategy.ts";
import { restStrategy } from "../strategy/default-strategy.ts";
import { validateChange, validateObject, validateObjectMetaUpdate } from "../strategy/validation-steps.ts";
import { labelKeyProblems } from "../../../api/label-names.ts";
import { fixed, selectorErrors } from "../../validation/spec-checks.ts";

const groupPolicies = ["File", "None", "ReadWriteOnceWithFSType"];
const lifecycles = ["Persistent", "Ephemeral"];
const shortestTokenSeconds = 600;
const longestTokenSeconds = 2 ** 32;

function tokenErrors(requests: readonly Fields[]): FieldError[] {
  const isRepeated = seenBefore();
  return eachErrors(requests, "spec.tokenRequests", ({ audience, expirationSeconds: seconds }, field) => {
    if (isRepeated(audience ?? "")) return [duplicate(`${field}.audience`, audience ?? "")];
    if (!isNumber(seconds)) return [];
    const refused = (why: string): FieldError[] => [invalid(`${field}.expirationSeconds`, seconds, why)];
    if (seconds < shortestTokenSeconds) return refused("may not specify a duration less than 10 minutes");
    return seconds > longestTokenSeconds ? refused("may not specify a duration larger than 2^32 seconds") : [];
  });
}

function driverSpecErrors(spec: Fields): FieldError[] {
  const errors: FieldError[] = [];
  for (const [key, field] of [
    ["attachRequired", "attachedRequired"],
    ["podInfoOnMount", "podInfoOnMount"],
    ["storageCapacity", "storageCapacity"],
  ] as const) {
    if (spec[key] === undefined) errors.push(required(`spec.${field}`));
  }
  const { fsGroupPolicy, nodeAllocatableUpdatePeriodSeconds: period } = spec as Record<string, unknown>;
  if (fsGroupPolicy !== undefined) errors.push(...choiceErrors(fsGroupPolicy, "spec.fsGroupPolicy", groupPolicies));
  const requests = fieldsIn(spec["tokenRequests"]);
  errors.push(...tokenErrors(requests));
  for (const mode of textsIn(spec["volumeLifecycleModes"]))
    if (!lifecycles.includes(mode)) errors.push(notSupported("spec.volumeLifecycleModes", mode, lifecycles));
  if (spec["seLinuxMount"] === undefined) errors.push(required("spec.seLinuxMount"));
  if (isNumber(period) && period < 10) {
    const why = "must be greater than or equal to 10 seconds";
    errors.push(invalid("spec.nodeAllocatableUpdatePeriodSeconds", period, why));
  }
  const inSecrets = spec["serviceAccountTokenInSecrets"];
  if (inSecrets !== undefined && requests.length === 0) {
    const why = "serviceAccountTokenInSecrets is set but no tokenRequests are specified";
    errors.push(invalid("spec.serviceAccountTokenInSecrets", inSecrets, why));
  }
  return errors;
}

/** A field that is behind a gate which is off. */
function dropGated({ spec = {} }: ApiObject): void {
  delete spec["preventPodSchedulingIfMissing"];
}

function tokenWarnings({ spec = {} }: ApiObject): string[] {
  if (fieldsIn(spec["tokenRequests"]).length === 0 || spec["serviceAccountTokenInSecrets"] !== undefined) return [];
  return [
    "spec.serviceAccountTokenInSecrets is unset; if supported by this CSI driver, set to true to prevent possible logging of tokens in volume attributes",
  ];
}

/** CSIDrivers. */
export const csiDriverStrategy: RESTStrategy = restStrategy({
  allowUnconditionalUpdate: false,
  returnsDeletedObject: true,
  prepareForCreate: dropGated,
  prepareForUpdate(driver, old) {
    dropGated(driver);
    // New ones have no generation: the first change is the first.
    if (!isEqual(driver.spec, old.spec)) driver.metadata.generation = (old.metadata.generation ?? 0) + 1;
  },
  validate: ({ spec = {} }) => driverSpecErrors(spec),
  warningsOnCreate: tokenWarnings,
  warningsOnUpdate: (driver, old) =>
    isEqual(driver.spec?.["tokenRequests"], old.spec?.["tokenRequests"]) ? [] : tokenWarnings(driver),
  validateUpdate: ({ spec = {} }, { spec: old = {} }) => [
    ...fixed(spec["attachRequired"], old["attachRequired"], "spec.attachedRequired"),
    ...fixed(spec["volumeLifecycleModes"], old["volumeLifecycleModes"], "spec.volumeLifecycleModes"),
  ],
});

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

/** CSINodes: of a registered driver only the number of volumes may change. */
export const csiNodeStrategy: RESTStrategy = restStrategy({
  allowUnconditionalUpdate: false,
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

/** A driver keeps what it said, but for how much it takes. */
function fixedDriver({ allocatable: _now, ...now }: Fields, { allocatable: _before, ...before }: Fields): FieldError[] {
  if (isEqual(now, before)) return [];
  const { name = "", nodeID = "", topologyKeys = null } = now;
  const printed = { Name: name, NodeID: nodeID, TopologyKeys: topologyKeys, Allocatable: null };
  return [invalid("spec.drivers", printed, "field is immutable")];
}

function capacityErrors(value: unknown, field: string): FieldError[] {
  const quantity = typeof value === "string" ? parseQuantity(value) : undefined;
  return quantity !== undefined && quantity.nano < 0n
    ? [invalid(field, value, "must be greater than or equal to 0")]
    : [];
}

/** CSIStorageCapacities. */
export const csiStorageCapacityStrategy: RESTStrategy = restStrategy({
  allowUnconditionalUpdate: false,
  validate: (capacity) => [
    ...(isFields(capacity["nodeTopology"]) ? selectorErrors(capacity["nodeTopology"], "nodeTopology") : []),
    ...capacityErrors(capacity["capacity"], "capacity"),
    ...subdomainErrors(capacity["storageClassName"], "storageClassName"),
  ],
  validateUpdate: (now, old) =>
    ["nodeTopology", "storageClassName"].flatMap((field) => fixed(now[field], old[field], field)),
});

/** VolumeAttributesClasses: driver and parameters never change. */
export const volumeAttributesClassStrategy: RESTStrategy = restStrategy({
  updateSteps: [validateObjectMetaUpdate, validateChange, validateObject],
  returnsDeletedObject: true,
  validate: (volumeClass) => [
    ...neededErrors(textOf(volumeClass["driverName"]).toLowerCase(), "driverName", qualifiedNameErrors),
    ...parameterErrors(volumeClass["parameters"], "parameters", false),
  ],
  validateUpdate: (now, old) =>
    ["driverName", "parameters"].flatMap((field) =>
      isEqual(now[field], old[field]) ? [] : [notAllowed(field, `updates to ${field} are forbidden.`)],
    ),
});
