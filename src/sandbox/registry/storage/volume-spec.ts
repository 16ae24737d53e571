/** The spec of a volume. Source: kubernetes v1.36 pkg/apis/core/validation/validation.go ValidatePersistentVolumeSpec. */
import { parseQuantity } from "../../../api/quantity.ts";
import { invalid, notAllowed, notSupported, required, sortedMap, type FieldError } from "../../meta/field-errors.ts";
import { at, isFields, textOf, textsIn, type Fields } from "../../meta/object.ts";
import { choiceErrors, subdomainErrors } from "../../validation/checks.ts";
import { nodeSelectorErrors } from "../../validation/node-selector.ts";
import { volumeSources } from "./volume-sources.ts";

const modes = ["ReadOnlyMany", "ReadWriteMany", "ReadWriteOnce", "ReadWriteOncePod"];
const policies = ["Delete", "Recycle", "Retain"];
const volumeModes = ["Block", "Filesystem"];
const inlineOnly = "may not be specified in the context of inline volumes";

interface Where {
  readonly field: string;
  /** True for the inline spec of a VolumeAttachment. */
  readonly inline: boolean;
}

function accessErrors(spec: Fields, field: string): FieldError[] {
  const accessModes = textsIn(spec["accessModes"]);
  const errors = accessModes.length === 0 ? [required(field)] : [];
  for (const mode of accessModes) if (!modes.includes(mode)) errors.push(notSupported(field, mode, modes));
  const others = accessModes.some((mode) => mode !== "ReadWriteOncePod" && modes.includes(mode));
  if (accessModes.includes("ReadWriteOncePod") && others)
    errors.push(notAllowed(field, "may not use ReadWriteOncePod with other access modes"));
  return errors;
}

function capacityErrors(capacity: unknown, field: string): FieldError[] {
  const amounts = isFields(capacity) ? capacity : {};
  const names = Object.keys(amounts).sort();
  const errors = names.length === 0 ? [required(field)] : [];
  if (!names.includes("storage") || names.length > 1)
    errors.push(notSupported(field, sortedMap(capacity), ["storage"]));
  for (const name of names) {
    const quantity = parseQuantity(textOf(amounts[name]));
    if (quantity === undefined) continue;
    const here = `${field}[${name}]`;
    if (quantity.nano < 0n) {
      const shown = Number(quantity.nano / 1_000_000_000n);
      if (shown < 0) errors.push(invalid(here, shown, "must be a valid resource quantity"));
    }
    if (quantity.nano <= 0n) errors.push(invalid(here, amounts[name], "must be greater than zero"));
  }
  return errors;
}

function affinityErrors(affinity: unknown, { field, inline }: Where): FieldError[] {
  if (affinity === undefined) return [];
  const here = `${field}.nodeAffinity`;
  if (inline) return [notAllowed(here, inlineOnly)];
  const needed = at(affinity, "required");
  if (!isFields(needed)) return [required(`${here}.required`, "must specify required node constraints")];
  return nodeSelectorErrors(needed, `${here}.required`);
}

function sourceErrors(spec: Fields, field: string): FieldError[] {
  const there = volumeSources.filter(({ key }) => isFields(spec[key]));
  if (there.length === 0) return [required(field, "must specify a volume type")];
  return there.flatMap(({ key, shown = key, many = key, errors }, index) => {
    if (index > 0 && key !== "flexVolume")
      return [notAllowed(`${field}.${many}`, "may not specify more than 1 volume type")];
    const found = errors(spec[key] as Fields, `${field}.${shown}`);
    return key === "local" && spec["nodeAffinity"] === undefined
      ? [...found, required(`${field}.nodeAffinity`, "Local volume requires node affinity")]
      : found;
  });
}

function inlineErrors(spec: Fields, field: string): FieldError[] {
  return [
    ...(spec["claimRef"] === undefined ? [] : [notAllowed(`${field}.claimRef`, inlineOnly)]),
    ...(Object.keys(isFields(spec["capacity"]) ? spec["capacity"] : {}).length === 0
      ? []
      : [notAllowed(`${field}.capacity`, inlineOnly)]),
    ...(spec["csi"] === undefined
      ? [required(`${field}.csi`, "has to be specified in the context of inline volumes")]
      : []),
  ];
}

/** In an inline volume, some fields have only one valid value. */
function settingErrors(
  spec: Fields,
  key: string,
  { field, inline }: Where,
  { only, values, why }: { readonly only: string; readonly values: readonly string[]; readonly why: string },
): FieldError[] {
  const value = textOf(spec[key]);
  if (value === "") return [];
  if (!inline) return choiceErrors(value, `${field}.${key}`, values);
  return value === only ? [] : [notAllowed(`${field}.${key}`, `${why} ${only} in the context of inline volumes`)];
}

function classErrors(spec: Fields, { field, inline }: Where): FieldError[] {
  const name = textOf(spec["storageClassName"]);
  if (name === "") return [];
  return inline
    ? [notAllowed(`${field}.storageClassName`, inlineOnly)]
    : subdomainErrors(name, `${field}.storageClassName`);
}

function attributesErrors(spec: Fields, field: string): FieldError[] {
  const name = spec["volumeAttributesClassName"];
  if (name === undefined) return [];
  const here = `${field}.volumeAttributesClassName`;
  return [
    ...(name === "" ? [required(here, "an empty string is disallowed")] : subdomainErrors(name, here)),
    ...(spec["csi"] === undefined
      ? [required(`${field}.csi`, "has to be specified when using volumeAttributesClassName")]
      : []),
  ];
}

/** Validates the spec of a volume: of a PersistentVolume, or inline in a VolumeAttachment. */
export function volumeSpecErrors(spec: Fields, where: Where): FieldError[] {
  const { field, inline } = where;
  const path = textOf(at(spec, "hostPath", "path"));
  const isRoot = path !== "" && /^\/(\.?\/)*\.?$/.test(path);
  return [
    ...(inline ? inlineErrors(spec, field) : []),
    ...accessErrors(spec, `${field}.accessModes`),
    ...(inline ? [] : capacityErrors(spec["capacity"], `${field}.capacity`)),
    ...settingErrors(spec, "persistentVolumeReclaimPolicy", where, {
      only: "Retain",
      values: policies,
      why: "may only be",
    }),
    ...affinityErrors(spec["nodeAffinity"], where),
    ...sourceErrors(spec, field),
    ...(isRoot && spec["persistentVolumeReclaimPolicy"] === "Recycle"
      ? [notAllowed(`${field}.persistentVolumeReclaimPolicy`, "may not be 'recycle' for a hostPath mount of '/'")]
      : []),
    ...classErrors(spec, where),
    ...settingErrors(spec, "volumeMode", where, {
      only: "Filesystem",
      values: volumeModes,
      why: "may not specify volumeMode other than",
    }),
    ...attributesErrors(spec, field),
  ];
}
