/** CSIDrivers. Source: kubernetes v1.36 pkg/apis/storage/validation/validation.go, pkg/registry/storage/csidriver. */
import { duplicate, invalid, notSupported, required, type FieldError } from "../../meta/field-errors.ts";
import { fieldsIn, textsIn, type ApiObject, type Fields } from "../../meta/object.ts";
import { choiceErrors, eachErrors, isEqual, isNumber, seenBefore } from "../../validation/checks.ts";
import type { RESTStrategy } from "../strategy/rest-strategy.ts";
import { restStrategy } from "../strategy/default-strategy.ts";
import { fixed } from "../../validation/spec-checks.ts";

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

/** Drops a field behind a disabled feature gate. */
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
    // New objects have no generation: the first change sets it to 1.
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
