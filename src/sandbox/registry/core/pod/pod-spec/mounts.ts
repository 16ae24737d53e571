/**
 * Validates volume mounts and devices of a container. Source: kubernetes v1.36 pkg/apis/core/validation/validation.go ValidateVolumeMounts,
 * ValidateVolumeDevices.
 */
import { invalid, missing, notAllowed, required, type FieldError } from "../../../../meta/field-errors.ts";
import { at, fieldsIn, textOf, type Fields } from "../../../../meta/object.ts";
import { choiceErrors, eachErrors, seenBefore } from "../../../../validation/checks.ts";
import { noBackstepErrors, relativePathErrors } from "../volumes/paths.ts";
import { isClaim } from "../volumes/source-checks.ts";
import type { PodScope } from "./scope.ts";

/** Names and paths: a volume is either mounted or a device, and paths are unique. */
function placesOf(items: unknown, pathKey: string): { readonly names: Set<string>; readonly paths: Set<string> } {
  const list = fieldsIn(items);
  // Of a duplicate name, the last path counts.
  const paths = new Map(list.map((item) => [textOf(item["name"]), textOf(item[pathKey])]));
  return { names: new Set(paths.keys()), paths: new Set(paths.values()) };
}

const propagations = ["Bidirectional", "HostToContainer", "None"];
const recursive = ["Disabled", "Enabled", "IfPossible"];

/** The real server does not report which mount is wrong. */
function sharingErrors(mount: Fields, field: string, container: Fields): FieldError[] {
  const { mountPropagation, recursiveReadOnly } = mount as { mountPropagation?: unknown; recursiveReadOnly?: unknown };
  const errors: FieldError[] = [];
  if (mountPropagation !== undefined) {
    const here = `${field}.mountPropagation`;
    errors.push(...choiceErrors(mountPropagation, here, propagations));
    if (mountPropagation === "Bidirectional" && at(container, "securityContext", "privileged") !== true)
      errors.push(notAllowed(here, "Bidirectional mount propagation is available only to privileged containers"));
  }
  if (recursiveReadOnly === undefined || recursiveReadOnly === "Disabled") return errors;
  const here = `${field}.recursiveReadOnly`;
  const unknown = choiceErrors(recursiveReadOnly, here, recursive);
  if (unknown.length > 0) return [...errors, ...unknown];
  if (mount["readOnly"] !== true) errors.push(notAllowed(here, "may only be specified when readOnly is true"));
  if (mountPropagation !== undefined && mountPropagation !== "None")
    errors.push(notAllowed(here, "may only be specified when mountPropagation is None or not specified"));
  return errors;
}

/** Subpaths of a volume; the real server does not report which mount is wrong. */
function partErrors(mount: Fields, here: string, field: string): FieldError[] {
  const [path, expression] = [textOf(mount["subPath"]), textOf(mount["subPathExpr"])];
  const errors = path === "" ? [] : relativePathErrors(path, `${field}.subPath`);
  if (expression === "") return errors;
  if (path !== "")
    errors.push(invalid(`${here}.subPathExpr`, expression, "subPathExpr and subPath are mutually exclusive"));
  return [...errors, ...relativePathErrors(expression, `${field}.subPathExpr`)];
}

/** Validates the volume mounts of a container. */
export function mountErrors(container: Fields, field: string, { volumes }: PodScope): FieldError[] {
  const devices = placesOf(container["volumeDevices"], "devicePath");
  const isTaken = seenBefore();
  return eachErrors(fieldsIn(container["volumeMounts"]), field, (mount, here) => {
    const [name, path] = [textOf(mount["name"]), textOf(mount["mountPath"])];
    const errors: FieldError[] = [];
    if (name === "") errors.push(required(`${here}.name`));
    if (!volumes.has(name)) errors.push(missing(`${here}.name`, name));
    if (path === "") errors.push(required(`${here}.mountPath`));
    if (isTaken(path)) errors.push(invalid(`${here}.mountPath`, path, "must be unique"));
    if (devices.names.has(name)) errors.push(invalid(`${here}.name`, name, "must not already exist in volumeDevices"));
    if (devices.paths.has(path))
      errors.push(invalid(`${here}.mountPath`, path, "must not already exist as a path in volumeDevices"));
    return [...errors, ...partErrors(mount, here, field), ...sharingErrors(mount, field, container)];
  });
}

/** Validates volume devices: only claims are allowed. */
export function deviceErrors(container: Fields, field: string, { volumes }: PodScope): FieldError[] {
  const mounts = placesOf(container["volumeMounts"], "mountPath");
  const [names, paths] = [new Set<string>(), new Set<string>()];
  return eachErrors(fieldsIn(container["volumeDevices"]), field, (device, here) => {
    const [name, path] = [textOf(device["name"]), textOf(device["devicePath"])];
    const volume = volumes.get(name);
    const errors: FieldError[] = [];
    if (name === "") errors.push(required(`${here}.name`));
    if (names.has(name)) errors.push(invalid(`${here}.name`, name, "must be unique"));
    if (volume === undefined) errors.push(missing(`${here}.name`, name));
    else if (!isClaim(volume)) {
      const why = "can only use volume source type of PersistentVolumeClaim or Ephemeral for block mode";
      errors.push(invalid(`${here}.name`, name, why));
    }
    if (path === "") errors.push(required(`${here}.devicePath`));
    if (paths.has(path)) errors.push(invalid(`${here}.devicePath`, path, "must be unique"));
    if (noBackstepErrors(path, here).length > 0)
      errors.push(invalid(`${here}.devicePath`, path, "can not contain backsteps ('..')"));
    else paths.add(path);
    if (mounts.names.has(name)) errors.push(invalid(`${here}.name`, name, "must not already exist in volumeMounts"));
    if (mounts.paths.has(path))
      errors.push(invalid(`${here}.devicePath`, path, "must not already exist as a path in volumeMounts"));
    if (name !== "") names.add(name);
    return errors;
  });
}
