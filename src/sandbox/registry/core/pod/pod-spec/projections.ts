/**
 * Volumes of files that the kubelet writes: Secrets, ConfigMaps, the pod's own fields, tokens.
 * Source: kubernetes v1.36 pkg/apis/core/validation/validation.go validateProjectedVolumeSource, validateDownwardAPIVolumeFile.
 */
import { invalid, notAllowed, required, type FieldError } from "../../../../meta/field-errors.ts";
import { fieldsIn, isFields, textOf, type Fields } from "../../../../meta/object.ts";
import { eachErrors, isNumber, seenBefore } from "../../../../validation/checks.ts";
import { fileModeErrors, ownPathErrors } from "../volumes/paths.ts";
import { needs, type SourceErrors } from "../volumes/source-checks.ts";
import { fieldReferenceErrors, resourceReferenceErrors, volumeFieldPaths } from "./field-references.ts";

function itemErrors(item: Fields, field: string): FieldError[] {
  return [
    ...needs("key", "path")(item, field),
    ...ownPathErrors(textOf(item["path"]), `${field}.path`),
    ...fileModeErrors(item["mode"], `${field}.mode`),
  ];
}

/** A Secret or a ConfigMap, named by the field `name`. */
export const withItems =
  (name: string): SourceErrors =>
  (source, field) => [
    ...needs(name)(source, field),
    ...fileModeErrors(source["defaultMode"], `${field}.defaultMode`),
    ...eachErrors(fieldsIn(source["items"]), `${field}.items`, itemErrors),
  ];

function downwardFileErrors(file: Fields, field: string): FieldError[] {
  const { fieldRef, resourceFieldRef } = file as { fieldRef?: unknown; resourceFieldRef?: unknown };
  const errors = [...needs("path")(file, field), ...ownPathErrors(textOf(file["path"]), `${field}.path`)];
  if (isFields(fieldRef)) {
    errors.push(...fieldReferenceErrors(fieldRef, `${field}.fieldRef`, volumeFieldPaths));
    if (isFields(resourceFieldRef))
      errors.push(invalid(field, "resource", "fieldRef and resourceFieldRef can not be specified simultaneously"));
  } else if (isFields(resourceFieldRef)) {
    errors.push(...resourceReferenceErrors(resourceFieldRef, `${field}.resourceFieldRef`, true));
  } else errors.push(required(field, "one of fieldRef and resourceFieldRef is required"));
  return [...errors, ...fileModeErrors(file["mode"], `${field}.mode`)];
}

/** The real server does not report which file is wrong. */
export const downwardVolume: SourceErrors = (source, field) => [
  ...fileModeErrors(source["defaultMode"], `${field}.defaultMode`),
  ...fieldsIn(source["items"]).flatMap((file) => downwardFileErrors(file, field)),
];

const shortestToken = 600;
const longestToken = 2 ** 32;

/** Paths are validated with the whole volume. */
function tokenErrors(token: Fields, field: string, volume: string): FieldError[] {
  const { expirationSeconds: seconds } = token as { expirationSeconds?: unknown };
  const errors: FieldError[] = [];
  const here = `${field}.expirationSeconds`;
  if (isNumber(seconds) && seconds < shortestToken)
    errors.push(invalid(here, seconds, "may not specify a duration less than 10 minutes"));
  if (isNumber(seconds) && seconds > longestToken)
    errors.push(invalid(here, seconds, "may not specify a duration larger than 2^32 seconds"));
  const path = textOf(token["path"]);
  return [...errors, ...(path === "" ? [required(`${volume}.path`)] : ownPathErrors(path, `${volume}.path`))];
}

type Conflicts = (path: unknown, shown: unknown) => FieldError[];

function projectionErrors(source: Fields, field: string, volume: string, conflicts: Conflicts): FieldError[] {
  const errors: FieldError[] = [];
  const kinds = ["secret", "configMap", "downwardAPI", "serviceAccountToken"].filter((key) => isFields(source[key]));
  for (const key of kinds) {
    const projection = source[key] as Fields;
    const here = `${field}.${key}`;
    if (key === "serviceAccountToken") errors.push(...tokenErrors(projection, here, volume));
    else if (key === "downwardAPI") {
      for (const file of fieldsIn(projection["items"]))
        errors.push(...downwardFileErrors(file, here), ...conflicts(file["path"], file["path"]));
    } else {
      errors.push(...needs("name")(projection, here));
      for (const [index, item] of fieldsIn(projection["items"]).entries())
        errors.push(
          ...itemErrors(item, `${here}.items[${index}]`),
          ...conflicts(item["path"], textOf(projection["name"])),
        );
    }
  }
  if (kinds.length > 1) errors.push(notAllowed(field, "may not specify more than 1 volume type per source"));
  return errors;
}

/** Several sources in one volume, whose paths must be unique. */
export const projected: SourceErrors = (source, field) => {
  const isTaken = seenBefore();
  const conflicts: Conflicts = (path, shown) =>
    textOf(path) !== "" && isTaken(path) ? [invalid(field, shown, "conflicting duplicate paths")] : [];
  return [
    ...fileModeErrors(source["defaultMode"], `${field}.defaultMode`),
    ...eachErrors(fieldsIn(source["sources"]), `${field}.sources`, (each, here) =>
      projectionErrors(each, here, field, conflicts),
    ),
  ];
};
