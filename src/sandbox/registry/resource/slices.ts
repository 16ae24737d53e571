/** ResourceSlices: the devices that a driver offers. Source: kubernetes v1.36 pkg/apis/resource/validation/validation.go. */
import { formatTime } from "../../../api/time.ts";
import { duplicate, invalid, required, type FieldError } from "../../meta/field-errors.ts";
import { isNil } from "../../meta/canonical.ts";
import { fieldsIn, isFields, textOf, textsIn, type Fields, type ApiObject } from "../../meta/object.ts";
import {
  driverNameErrors,
  eachErrors,
  isEqual,
  isNumber,
  labelNameErrors,
  qualifiedNameErrors,
  seenBefore,
  subdomainErrors,
} from "../../validation/checks.ts";
import type { RESTStrategy } from "../strategy/rest-strategy.ts";
import { restStrategy } from "../strategy/default-strategy.ts";
import { validateChange, validateObjectMetaUpdate } from "../strategy/validation-steps.ts";
import { nodeSelectorErrors } from "../../validation/node-selector.ts";
import { fixed } from "../../validation/spec-checks.ts";
import { attributeErrors, counterSetErrors, taintErrors } from "./device-attributes.ts";
import { limitedErrors, manyErrors, namedErrors } from "./lists.ts";
import { deviceNameErrors } from "./qualified-names.ts";
import { capacityErrorsOf } from "./request-policy.ts";

const mostDevices = 128;
const mostAdvancedDevices = 64;
const mostParts = 32;
const mostAttributeValues = 48;
const mostTaints = 16;
const mostConsumptions = 2;
const mostCounterSets = 8;
const unsetOrTrue = "must be either unset or set to true";

/** The name of a pool of devices: subdomains separated by slashes. */
export function poolNameErrors(value: unknown, field: string): FieldError[] {
  const name = textOf(value);
  if (name === "") return [required(field)];
  const errors =
    name.length > 253
      ? [{ reason: "FieldValueTooLong" as const, field, message: "Too long: may not be more than 253 bytes" }]
      : [];
  return [...errors, ...name.split("/").flatMap((part) => subdomainErrors(part, field))];
}

function poolErrors(pool: Fields): FieldError[] {
  const [count, generation] = [pool["resourceSliceCount"], pool["generation"]];
  return [
    ...poolNameErrors(pool["name"], "spec.pool.name"),
    ...(isNumber(count) && count > 0
      ? []
      : [invalid("spec.pool.resourceSliceCount", count ?? 0, "must be greater than zero")]),
    ...(isNumber(generation) && generation < 0
      ? [invalid("spec.pool.generation", generation, "must be greater than or equal to zero")]
      : []),
  ];
}

/** The node-selecting fields that are set, and the errors in them. */
function placeErrors(
  spec: Fields,
  field: string,
  empty: string,
): { readonly used: string[]; readonly errors: FieldError[] } {
  const used: string[] = [];
  const errors: FieldError[] = [];
  const { nodeName, nodeSelector, allNodes } = spec as Record<string, unknown>;
  if (nodeName === "") errors.push(invalid(`${field}.nodeName`, "", empty));
  else if (nodeName !== undefined) {
    used.push("`nodeName`");
    errors.push(...subdomainErrors(nodeName, `${field}.nodeName`));
  }
  if (isFields(nodeSelector)) {
    used.push("`nodeSelector`");
    errors.push(...nodeSelectorErrors(nodeSelector, `${field}.nodeSelector`));
  }
  if (allNodes === true) used.push("`allNodes`");
  else if (allNodes === false) errors.push(invalid(`${field}.allNodes`, false, unsetOrTrue));
  return { used, errors };
}

function whereErrors(spec: Fields): FieldError[] {
  const { used, errors } = placeErrors(spec, "spec", "must be either unset or set to a non-empty string");
  const terms = isFields(spec["nodeSelector"]) ? fieldsIn(spec["nodeSelector"]["nodeSelectorTerms"]) : undefined;
  if (terms !== undefined && terms.length !== 1)
    errors.push(invalid("spec.nodeSelector.nodeSelectorTerms", terms, "must have exactly one node selector term"));
  if (spec["perDeviceNodeSelection"] === true) used.push("`perDeviceNodeSelection`");
  else if (spec["perDeviceNodeSelection"] === false)
    errors.push(invalid("spec.perDeviceNodeSelection", false, unsetOrTrue));
  const one = "exactly one of `nodeName`, `nodeSelector`, `allNodes`, `perDeviceNodeSelection` is required";
  if (used.length === 0) errors.push(required("spec", one));
  if (used.length > 1) errors.push(invalid("spec", `{${used.join(", ")}}`, `${one}, but multiple fields are set`));
  return errors;
}

/** Named values of a device, each validated with its name; sorted, since the real server iterates in any order. */
function mapErrors(map: unknown, field: string, errors: (value: unknown, field: string) => FieldError[]): FieldError[] {
  const entries = isFields(map) ? Object.entries(map).sort(([a], [b]) => (a < b ? -1 : 1)) : [];
  return entries.flatMap(([key, value]) => [...deviceNameErrors(key, field), ...errors(value, `${field}[${key}]`)]);
}

const mostConditions = 4;

/** Binding conditions and binding failure conditions of a device: both, or none. */
export function bindingErrors(device: Fields, field: string): FieldError[] {
  const [succeeds, fails] = ["bindingConditions", "bindingFailureConditions"] as const;
  const [conditions, failures] = [textsIn(device[succeeds]), textsIn(device[fails])];
  const eachName = (list: readonly string[], here: string): FieldError[] => [
    ...manyErrors(list, here, mostConditions),
    ...eachErrors(list, here, qualifiedNameErrors),
  ];
  const isRepeated = [seenBefore(), seenBefore()] as const;
  const overlap = "bindingFailureConditions must not overlap with bindingConditions";
  const missing = (key: string, other: string): FieldError[] => [
    invalid(`${field}.${key}`, null, `${key} are required to use ${other}`),
  ];
  return [
    ...eachName(conditions, `${field}.${succeeds}`),
    ...eachName(failures, `${field}.${fails}`),
    ...eachErrors(conditions, `${field}.${succeeds}`, (name, here) =>
      isRepeated[0](name) ? [duplicate(here, name)] : [],
    ),
    ...eachErrors(failures, `${field}.${fails}`, (name, here) => [
      ...(isRepeated[1](name) ? [duplicate(here, name)] : []),
      ...(conditions.includes(name) ? [invalid(here, name, overlap)] : []),
    ]),
    ...(conditions.length === 0 && failures.length > 0 ? missing(succeeds, fails) : []),
    ...(failures.length === 0 && conditions.length > 0 ? missing(fails, succeeds) : []),
  ];
}

/** The old device, and whether each device must specify its node. */
interface DeviceRules {
  readonly before: Fields | undefined;
  readonly perDevice: boolean;
}

function deviceErrors(device: Fields, field: string, { before, perDevice }: DeviceRules): FieldError[] {
  const errorsOfCapacity = capacityErrorsOf(device["allowMultipleAllocations"] === true);
  const [attributes, taints] = [sizeOf(device["attributes"]), fieldsIn(device["taints"])];
  const parts = attributes + sizeOf(device["capacity"]);
  const many = (what: string, most: number): string => `the total number of ${what} must not exceed ${most}`;
  return [
    ...labelNameErrors(device["name"], `${field}.name`),
    ...(parts > mostParts ? [invalid(field, parts, many("attributes and capacities", mostParts))] : []),
    ...(attributes > mostAttributeValues
      ? [invalid(field, attributes, many("attribute values", mostAttributeValues))]
      : []),
    ...mapErrors(device["attributes"], `${field}.attributes`, attributeErrors),
    ...mapErrors(device["capacity"], `${field}.capacity`, (capacity, here) =>
      isFields(capacity) ? errorsOfCapacity(capacity, here) : [],
    ),
    ...(before !== undefined && isEqual(before["taints"] ?? [], taints)
      ? []
      : limitedErrors(taints, { field: `${field}.taints`, most: mostTaints, errors: taintErrors })),
    ...namedErrors(fieldsIn(device["consumesCounters"]), {
      field: `${field}.consumesCounters`,
      most: mostConsumptions,
      errors: counterSetErrors("counterSet"),
      key: "counterSet",
    }),
    ...devicePlaceErrors(device, field, perDevice),
    ...bindingErrors(device, field),
  ];
}

const sizeOf = (map: unknown): number => (isFields(map) ? Object.keys(map).length : 0);

function devicePlaceErrors(device: Fields, field: string, perDevice: boolean): FieldError[] {
  const ways = "`nodeName`, `nodeSelector` and `allNodes` can only be set";
  const set = "if `perDeviceNodeSelection` is set to true in the ResourceSlice spec";
  if (!perDevice) {
    const placed = ["nodeName", "nodeSelector", "allNodes"].some((key) => device[key] !== undefined);
    return placed ? [invalid(field, null, `${ways} ${set}`)] : [];
  }
  const where = placeErrors(device, field, "must not be empty");
  const one =
    "exactly one of `nodeName`, `nodeSelector`, or `allNodes` is required when `perDeviceNodeSelection` is set to true in the ResourceSlice spec";
  const { errors } = where;
  if (where.used.length === 0) errors.push(required(field, one));
  if (where.used.length > 1) errors.push(invalid(field, `{${where.used.join(", ")}}`, one));
  return errors;
}

/** The limit of devices is lower if some have more than attributes and capacities. */
const mostIn = (devices: readonly Fields[]): number =>
  devices.some((device) => ["taints", "consumesCounters"].some((key) => fieldsIn(device[key]).length > 0))
    ? mostAdvancedDevices
    : mostDevices;

function afterChanges(spec: Fields, old: Fields = {}): FieldError[] {
  const perDevice = spec["perDeviceNodeSelection"] === true;
  const both = !isNil(spec, "sharedCounters") && !isNil(spec, "devices");
  const [devices, before] = [fieldsIn(spec["devices"]), fieldsIn(old["devices"])];
  return [
    ...whereErrors(spec),
    ...(both ? [invalid("spec", "", "only one of `sharedCounters` or `devices` is allowed")] : []),
    ...namedErrors(devices, {
      field: "spec.devices",
      most: mostIn(devices),
      errors: (device, field) =>
        deviceErrors(device, field, { before: before.find(({ name }) => name === device["name"]), perDevice }),
    }),
    ...namedErrors(fieldsIn(spec["sharedCounters"]), {
      field: "spec.sharedCounters",
      most: mostCounterSets,
      errors: counterSetErrors("name"),
    }),
  ];
}

/** A taint without a time gets the current time. Source: pkg/apis/resource/v1/defaults.go SetDefaults_DeviceTaint. */
function fillTimes({ spec = {} }: ApiObject, now: number): void {
  const taints = fieldsIn(spec["devices"]).flatMap((device) => fieldsIn(device["taints"]));
  for (const taint of taints) taint["timeAdded"] ??= formatTime(now);
}

/** Drops fields behind disabled feature gates: attributes that are lists, and node resources of devices. */
function dropGated({ spec = {} }: ApiObject): void {
  for (const device of fieldsIn(spec["devices"])) {
    delete device["nodeAllocatableResourceMappings"];
    for (const attribute of Object.values(isFields(device["attributes"]) ? device["attributes"] : {}))
      if (isFields(attribute)) for (const key of listTypes) delete attribute[key];
  }
}

const listTypes = ["bools", "ints", "strings", "versions"];

const beforeChanges = (spec: Fields): FieldError[] => [
  ...driverNameErrors(spec["driver"], "spec.driver"),
  ...poolErrors(isFields(spec["pool"]) ? spec["pool"] : {}),
];

const poolName = ({ pool }: Fields): unknown => (isFields(pool) ? textOf(pool["name"]) : "");

function driverWarnings({ spec = {} }: ApiObject): string[] {
  const driver = textOf(spec["driver"]);
  if (driver === driver.toLowerCase()) return [];
  return [`spec.driver: driver names should be lowercase; ${JSON.stringify(driver)} contains uppercase characters`];
}

/** ResourceSlices: driver, pool and node never change. */
export const sliceStrategy: RESTStrategy = restStrategy({
  generation: "spec",
  updateSteps: [validateObjectMetaUpdate, validateChange],
  returnsDeletedObject: true,
  prepareForCreate(slice, { now }) {
    dropGated(slice);
    fillTimes(slice, now);
  },
  prepareForUpdate(slice, _old, { now }) {
    dropGated(slice);
    fillTimes(slice, now);
  },
  warningsOnCreate: driverWarnings,
  warningsOnUpdate: driverWarnings,
  validate: ({ spec = {} }) => [...beforeChanges(spec), ...afterChanges(spec)],
  validateUpdate: ({ spec = {} }, { spec: old = {} }) => [
    ...beforeChanges(spec),
    ...fixed(poolName(spec), poolName(old), "spec.pool.name"),
    ...fixed(textOf(spec["driver"]), textOf(old["driver"]), "spec.driver"),
    ...fixed(spec["nodeName"], old["nodeName"], "spec.nodeName"),
    ...afterChanges(spec, old),
  ],
});
