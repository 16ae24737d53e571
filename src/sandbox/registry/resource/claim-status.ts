/**
 * The status of a ResourceClaim: its consumers, its allocated devices, and what their drivers report.
 * Source: kubernetes v1.36 pkg/apis/resource/validation/validation.go validateResourceClaimStatusUpdate.
 */
import { duplicate, invalid, notAllowed, required, tooLong, type FieldError } from "../../meta/field-errors.ts";
import { at, fieldsIn, isFields, textOf, textsIn, type ApiObject, type Fields } from "../../meta/object.ts";
import {
  driverNameErrors,
  eachErrors,
  isEqual,
  labelNameErrors,
  neededChoiceErrors,
  neededErrors,
} from "../../validation/checks.ts";
import { conditionsErrors } from "../../validation/conditions.ts";
import { nodeSelectorErrors } from "../../validation/node-selector.ts";
import { fixed } from "../../validation/spec-checks.ts";
import type { UpdateStrategy } from "../strategy/rest-strategy.ts";
import { allButStatus } from "../strategy/default-strategy.ts";
import { validateChange, validateObjectMetaUpdate } from "../strategy/validation-steps.ts";
import { validateClaimRights } from "./claim-rights.ts";
import { configErrors, parameterErrors, referenceErrors, requestNames, type Requests } from "./device-requests.ts";
import { identityKeyOf, identityOf } from "./device-identity.ts";
import { manyErrors } from "./lists.ts";
import { bindingErrors, poolNameErrors } from "./slices.ts";

const mostConsumers = 256;
const mostResults = 32;
const mostConfigs = 64;
const mostConditions = 8;
const longestInterface = 256;
const longestHardwareAddress = 128;
const mostAddresses = 16;

const allocatedIn = (status: Fields | undefined): Set<string> =>
  new Set(fieldsIn(at(status, "allocation", "devices", "results")).map(identityKeyOf));

const consumerErrors = (consumers: readonly Fields[]): FieldError[] => {
  const field = "status.reservedFor";
  const seen = new Set<string>();
  return [
    ...manyErrors(consumers, field, mostConsumers),
    ...eachErrors(consumers, field, (consumer, here) => {
      const errors = ["resource", "name", "uid"].flatMap((key) =>
        textOf(consumer[key]) === "" ? [required(`${here}.${key}`)] : [],
      );
      const uid = textOf(consumer["uid"]);
      if (seen.has(uid)) errors.push(duplicate(here, uid));
      seen.add(uid);
      return errors;
    }),
  ];
};

const normalUid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
const anyUid = /^(urn:uuid:)?\{?[0-9a-f]{8}-?([0-9a-f]{4}-?){3}[0-9a-f]{12}\}?$/i;
const uidForm =
  "uid must be in RFC 4122 normalized form, `xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx` with lowercase hexadecimal characters";

function shareErrors(value: unknown, field: string): FieldError[] {
  const uid = textOf(value);
  if (value === undefined || normalUid.test(uid)) return [];
  const length = `error validating uid: invalid UUID length: ${uid.length}`;
  return [invalid(field, uid, anyUid.test(uid) ? uidForm : length)];
}

function networkErrors(network: unknown, field: string): FieldError[] {
  if (!isFields(network)) return [];
  const [name, hardware] = [textOf(network["interfaceName"]), textOf(network["hardwareAddress"])];
  return [
    ...(name.length > longestInterface ? [tooLong(`${field}.interfaceName`, longestInterface)] : []),
    ...(hardware.length > longestHardwareAddress ? [tooLong(`${field}.hardwareAddress`, longestHardwareAddress)] : []),
    ...manyErrors(textsIn(network["ips"]), `${field}.ips`, mostAddresses),
  ];
}

const deviceErrors =
  (allocated: ReadonlySet<string>) =>
  (device: Fields, field: string): FieldError[] => {
    const conditions = fieldsIn(device["conditions"]);
    return [
      ...driverNameErrors(device["driver"], `${field}.driver`),
      ...poolNameErrors(device["pool"], `${field}.pool`),
      ...neededErrors(device["device"], `${field}.device`, labelNameErrors),
      ...shareErrors(device["shareID"], `${field}.shareID`),
      ...(allocated.has(identityKeyOf(device))
        ? []
        : [invalid(field, identityOf(device), "must be an allocated device in the claim")]),
      ...manyErrors(conditions, `${field}.conditions`, mostConditions),
      ...conditionsErrors(conditions, `${field}.conditions`),
      ...(device["data"] === undefined ? [] : parameterErrors(device["data"], `${field}.data`)),
      ...networkErrors(device["networkData"], `${field}.networkData`),
    ];
  };

const resultErrors =
  (requests: Requests) =>
  (result: Fields, field: string): FieldError[] => {
    return [
      ...referenceErrors([textOf(result["request"])], field, requests).map((error) => ({
        ...error,
        field: `${field}.request`,
      })),
      ...driverNameErrors(result["driver"], `${field}.driver`),
      ...poolNameErrors(result["pool"], `${field}.pool`),
      ...neededErrors(result["device"], `${field}.device`, labelNameErrors),
      ...bindingErrors(result, field),
      ...shareErrors(result["shareID"], `${field}.shareID`),
    ];
  };

const sources = ["FromClaim", "FromClass"];

function allocationErrors(allocation: Fields, requests: Requests): FieldError[] {
  const field = "status.allocation.devices";
  const results = fieldsIn(at(allocation, "devices", "results"));
  const configs = fieldsIn(at(allocation, "devices", "config"));
  return [
    ...manyErrors(results, `${field}.results`, mostResults),
    ...eachErrors(results, `${field}.results`, resultErrors(requests)),
    ...manyErrors(configs, `${field}.config`, mostConfigs),
    ...eachErrors(configs, `${field}.config`, (config, here) => [
      ...neededChoiceErrors(config["source"], `${here}.source`, sources),
      ...referenceErrors(textsIn(config["requests"]), `${here}.requests`, requests),
      ...configErrors(config, here),
    ]),
    ...(isFields(allocation["nodeSelector"])
      ? nodeSelectorErrors(allocation["nodeSelector"], "status.allocation.nodeSelector")
      : []),
  ];
}

function statusErrors({ metadata, spec = {}, status = {} }: ApiObject, { status: old = {} }: ApiObject): FieldError[] {
  const [consumers, devices] = [fieldsIn(status["reservedFor"]), fieldsIn(status["devices"])];
  const errorsOfDevice = deviceErrors(allocatedIn(status));
  const seen = new Set<string>();
  const errors = [
    ...consumerErrors(consumers),
    ...eachErrors(devices, "status.devices", (device, field) => {
      const found = errorsOfDevice(device, field);
      if (seen.has(identityKeyOf(device))) found.push(duplicate(field, identityOf(device)));
      seen.add(identityKeyOf(device));
      return found;
    }),
  ];
  const [now, before] = [status["allocation"], old["allocation"]];
  if (consumers.length > 0 && !isFields(now))
    errors.push(notAllowed("status.reservedFor", "may not be specified when `allocated` is not set"));
  else if (metadata.deletionTimestamp !== undefined && addsConsumers(consumers, fieldsIn(old["reservedFor"]))) {
    const when = "while `deallocationRequested` or `deletionTimestamp` are set";
    errors.push(notAllowed("status.reservedFor", `new entries may not be added ${when}`));
  }
  if (!isFields(now)) return errors;
  if (isFields(before)) return [...errors, ...fixed(now, before, "status.allocation")];
  return [...errors, ...allocationErrors(now, requestNames(isFields(spec["devices"]) ? spec["devices"] : {}))];
}

const addsConsumers = (now: readonly Fields[], before: readonly Fields[]): boolean =>
  now.some((consumer) => !before.some((other) => isEqual(consumer, other)));

/** When a device is deallocated, its driver's data is dropped. */
function dropDeallocated(claim: ApiObject, old: ApiObject): void {
  const { status } = claim;
  if (status === undefined || fieldsIn(status["devices"]).length === 0) return;
  const [now, before] = [allocatedIn(status), allocatedIn(old.status)];
  const gone = new Set([...before].filter((key) => !now.has(key)));
  if (gone.size === 0) return;
  status["devices"] = fieldsIn(status["devices"]).filter((device) => !gone.has(identityKeyOf(device)));
}

/** `resourceclaims/status`. */
export const claimStatusStrategy: Partial<UpdateStrategy> = {
  resetFields: allButStatus,
  updateSteps: [validateClaimRights, validateObjectMetaUpdate, validateChange],
  prepareForUpdate: dropDeallocated,
  validateUpdate: statusErrors,
};
