/**
 * PersistentVolumeClaims. Source: kubernetes v1.36 pkg/registry/core/persistentvolumeclaim/strategy.go,
 * pkg/apis/core/validation/validation.go.
 */
import { deepEqual } from "../../../../../api/field-changes.ts";
import { compareQuantities, parseQuantity } from "../../../../../api/quantity.ts";
import { invalid, notAllowed, notSupported, required, type FieldError } from "../../../../meta/field-errors.ts";
import { at, child, isFields, textOf, type ApiObject, type Fields } from "../../../../meta/object.ts";
import { subdomainErrors } from "../../../../validation/checks.ts";
import type { RESTStrategy } from "../../../strategy/rest-strategy.ts";
import { restStrategy } from "../../../strategy/default-strategy.ts";
import {
  validateChange,
  validateObject,
  validateObjectMeta,
  validateObjectMetaUpdate,
} from "../../../strategy/validation-steps.ts";
import { subdomainProblems } from "../../../../../api/label-names.ts";
import { fixed, selectorErrors } from "../../../../validation/spec-checks.ts";
import { claimStatusStrategy } from "./claim-status.ts";
import { claimWarnings } from "../warnings/volumes.ts";

const accessModes = ["ReadOnlyMany", "ReadWriteMany", "ReadWriteOnce", "ReadWriteOncePod"];
const volumeModes = ["Block", "Filesystem"];
const storage = ["resources", "requests", "storage"] as const;

/** An amount of storage; 0 if there is none. */
const sizeOf = (value: unknown): NonNullable<ReturnType<typeof parseQuantity>> =>
  parseQuantity(textOf(value)) ?? { nano: 0n, format: "decimal" };

function modeErrors(spec: Fields, field: string): FieldError[] {
  const modes = Array.isArray(spec["accessModes"]) ? (spec["accessModes"] as string[]) : [];
  const errors = modes
    .filter((mode) => !accessModes.includes(mode))
    .map((mode) => notSupported(field, mode, accessModes));
  const known = new Set(modes.filter((mode) => accessModes.includes(mode)));
  if (known.has("ReadWriteOncePod") && known.size > 1)
    errors.push(notAllowed(field, "may not use ReadWriteOncePod with other access modes"));
  return errors;
}

function sourceErrors(source: Fields, field: string): FieldError[] {
  const [name, kind, group] = ["name", "kind", "apiGroup"].map((key) => textOf(source[key])) as [
    string,
    string,
    string,
  ];
  const errors: FieldError[] = [];
  if (name === "") errors.push(required(`${field}.name`));
  if (kind === "") errors.push(required(`${field}.kind`));
  if (group === "" && kind !== "PersistentVolumeClaim") {
    const why = "must be 'PersistentVolumeClaim' when referencing the default apiGroup";
    errors.push(invalid(field, kind, why));
  }
  if (group !== "") errors.push(...subdomainProblems(group).map((why) => invalid(`${field}.apiGroup`, group, why)));
  return errors;
}

/** Validates the spec of a claim, at `field`. */
export function claimSpecErrors(spec: Fields, field: string): FieldError[] {
  const errors: FieldError[] = [];
  if (!Array.isArray(spec["accessModes"]) || spec["accessModes"].length === 0)
    errors.push(required(`${field}.accessModes`, "at least 1 access mode is required"));
  if (isFields(spec["selector"])) errors.push(...selectorErrors(spec["selector"], `${field}.selector`));
  errors.push(...modeErrors(spec, `${field}.accessModes`));
  const size = at(spec, ...storage);
  if (size === undefined) errors.push(required(`${field}.resources[storage]`));
  else if (sizeOf(size).nano <= 0n)
    errors.push(invalid(`${field}.resources[storage]`, size, "must be greater than zero"));
  const className = textOf(spec["storageClassName"]);
  if (className !== "")
    errors.push(...subdomainProblems(className).map((why) => invalid(`${field}.storageClassName`, className, why)));
  const mode = spec["volumeMode"];
  if (mode !== undefined && !volumeModes.includes(textOf(mode)))
    errors.push(notSupported(`${field}.volumeMode`, mode, volumeModes));
  for (const key of ["dataSource", "dataSourceRef"])
    if (isFields(spec[key])) errors.push(...sourceErrors(spec[key], `${field}.${key}`));
  const attributes = textOf(spec["volumeAttributesClassName"]);
  return [
    ...errors,
    ...pairErrors(spec, field),
    ...(attributes === "" ? [] : subdomainErrors(attributes, `${field}.volumeAttributesClassName`)),
  ];
}

/** The error shows one of the real server's own types as the value. */
function pairErrors({ dataSource, dataSourceRef }: Fields, field: string): FieldError[] {
  if (!isFields(dataSource) || !isFields(dataSourceRef)) return [];
  if (textOf(dataSourceRef["namespace"]) !== "")
    return [invalid(field, {}, "may not be specified when dataSourceRef.namespace is specified")];
  const same = ["kind", "name", "apiGroup"].every((key) => textOf(dataSource[key]) === textOf(dataSourceRef[key]));
  return same ? [] : [invalid(field, {}, "must match dataSourceRef")];
}

/** Fills each source field from the other; older clients know only the first, for claims and snapshots. */
function pairSources(claim: ApiObject, old?: ApiObject): void {
  const spec = child(claim, "spec");
  const had = { source: old?.spec?.["dataSource"], reference: old?.spec?.["dataSourceRef"] };
  // Sources in another namespace belong to a feature that is off by default.
  if (textOf(at(spec, "dataSourceRef", "namespace")) !== "" && had.reference === undefined)
    delete spec["dataSourceRef"];
  const { dataSource, dataSourceRef } = spec as { dataSource?: unknown; dataSourceRef?: unknown };
  if (isFields(dataSource) && dataSourceRef === undefined) {
    const inUse = had.source !== undefined || had.reference !== undefined;
    if (inUse || isVolumeLike(dataSource)) spec["dataSourceRef"] = { ...dataSource };
    else delete spec["dataSource"];
  } else if (isFields(dataSourceRef) && dataSource === undefined && textOf(dataSourceRef["namespace"]) === "") {
    const { namespace: _none, ...source } = dataSourceRef;
    spec["dataSource"] = source;
  }
}

function isVolumeLike({ kind, apiGroup }: Fields): boolean {
  if (kind === "PersistentVolumeClaim") return textOf(apiGroup) === "";
  return kind === "VolumeSnapshot" && apiGroup === "snapshot.storage.k8s.io";
}

const isBound = ({ status }: ApiObject): boolean => status?.["phase"] === "Bound";

/** The spec with the mutable fields set to their old values. */
function fixedPart(claim: ApiObject, old: ApiObject): Fields {
  const [spec, before] = [{ ...claim.spec }, old.spec ?? {}];
  if (textOf(before["volumeName"]) === "") delete spec["volumeName"];
  if (before["storageClassName"] === undefined) delete spec["storageClassName"];
  if (isBound(claim)) {
    const requests = at(spec, "resources", "requests");
    if (isFields(requests) && isFields(spec["resources"]))
      spec["resources"] = { ...spec["resources"], requests: { ...requests, storage: at(before, ...storage) } };
    delete spec["volumeAttributesClassName"];
    if (before["volumeAttributesClassName"] !== undefined)
      spec["volumeAttributesClassName"] = before["volumeAttributesClassName"];
  }
  return spec;
}

function changeErrors(claim: ApiObject, old: ApiObject): FieldError[] {
  const errors: FieldError[] = [];
  const before = { ...old.spec };
  if (textOf(before["volumeName"]) === "") delete before["volumeName"];
  if (!deepEqual(fixedPart(claim, old), before)) {
    const allowed = "resources.requests and volumeAttributesClassName for bound claims";
    errors.push(notAllowed("spec", `spec is immutable after creation except ${allowed}\n`));
  }
  const [size, had] = [sizeOf(at(claim.spec, ...storage)), sizeOf(at(old.spec, ...storage))];
  if (compareQuantities(size, had) < 0 && compareQuantities(size, sizeOf(at(old.status, "capacity", "storage"))) <= 0)
    errors.push(notAllowed("spec.resources.requests.storage", "field can not be less than status.capacity"));
  return [...errors, ...fixed(claim.spec?.["volumeMode"], old.spec?.["volumeMode"], "volumeMode")];
}

/** PersistentVolumeClaims: the spec is immutable except for requests and the attributes class. */
export const claimStrategy: RESTStrategy = restStrategy({
  updateSteps: [validateObjectMetaUpdate, validateObjectMeta, validateObject, validateChange],
  returnsDeletedObject: true,
  // The phase Pending is not stored on create: it is defaulted on every read.
  isDefaultedOnRead: () => true,
  prepareForCreate(claim) {
    claim.status = { phase: "Pending" };
    pairSources(claim);
  },
  prepareForUpdate: pairSources,
  validate: ({ spec = {} }) => claimSpecErrors(spec, "spec"),
  validateUpdate: changeErrors,
  status: claimStatusStrategy,
  warningsOnCreate: ({ spec }) => claimWarnings(spec, "spec"),
  warningsOnUpdate: ({ spec }) => claimWarnings(spec, "spec"),
});
