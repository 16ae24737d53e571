/** The environment of a container. Source: kubernetes v1.36 pkg/apis/core/validation/validation.go ValidateEnv, ValidateEnvFrom. */
import { invalid, missing, type FieldError } from "../../../../meta/field-errors.ts";
import { at, fieldsIn, isFields, textOf, type Fields } from "../../../../meta/object.ts";
import {
  eachErrors,
  labelNameErrors,
  nameErrors,
  neededErrors,
  subdomainErrors,
} from "../../../../validation/checks.ts";
import { configKeyProblems, variableNameProblems } from "../../../../validation/names.ts";
import { neededPathErrors } from "../volumes/paths.ts";
import { fieldReferenceErrors, resourceReferenceErrors, variableFieldPaths } from "./field-references.ts";
import { allContainers, type PodScope } from "./scope.ts";

const variableNameErrors = (value: unknown, field: string): FieldError[] =>
  nameErrors(textOf(value), field, variableNameProblems);

const configKeyErrors = (value: unknown, field: string): FieldError[] =>
  nameErrors(textOf(value), field, configKeyProblems);

function keyReferenceErrors({ name, key }: Fields, field: string): FieldError[] {
  return [...subdomainErrors(name, `${field}.name`), ...neededErrors(key, `${field}.key`, configKeyErrors)];
}

function fileReferenceErrors({ key, volumeName, path }: Fields, field: string): FieldError[] {
  return [
    ...neededErrors(key, `${field}.key`, variableNameErrors),
    ...neededErrors(volumeName, `${field}.volumeName`, labelNameErrors),
    ...neededPathErrors(path, `${field}.path`),
  ];
}

/** The sources of a value, in the order in which the real server checks them. */
const valueSources: Readonly<Record<string, (reference: Fields, field: string) => FieldError[]>> = {
  fieldRef: (reference, field) => fieldReferenceErrors(reference, field, variableFieldPaths),
  resourceFieldRef: (reference, field) => resourceReferenceErrors(reference, field, false),
  configMapKeyRef: keyReferenceErrors,
  secretKeyRef: keyReferenceErrors,
  fileKeyRef: fileReferenceErrors,
};

function valueFromErrors({ value, valueFrom: from }: Fields, field: string): FieldError[] {
  if (!isFields(from)) return [];
  const there = Object.entries(valueSources).filter(([key]) => isFields(from[key]));
  const errors = there.flatMap(([key, look]) => look(from[key] as Fields, `${field}.${key}`));
  if (there.length === 0) {
    const why =
      "must specify one of: `fieldRef`, `resourceFieldRef`, `configMapKeyRef`, `secretKeyRef` or `fileKeyRef`";
    return [invalid(field, "", why)];
  }
  if (textOf(value) !== "") return [...errors, invalid(field, "", "may not be specified when `value` is not empty")];
  if (there.length === 1) return errors;
  return [...errors, invalid(field, "", "may not have more than one field specified at a time")];
}

/** Validates the environment variables of a container. */
export function envErrors(env: unknown, field: string): FieldError[] {
  return eachErrors(fieldsIn(env), field, (variable, here) => [
    ...neededErrors(variable["name"], `${here}.name`, variableNameErrors),
    ...valueFromErrors(variable, `${here}.valueFrom`),
  ]);
}

/** Whole ConfigMaps and Secrets as variables; errors about the number of sources name the list. */
export function envFromErrors(sources: unknown, field: string): FieldError[] {
  return eachErrors(fieldsIn(sources), field, (source, here) => {
    const prefix = textOf(source["prefix"]);
    const there = ["configMapRef", "secretRef"].filter((key) => isFields(source[key]));
    const errors = [
      ...(prefix === "" ? [] : variableNameErrors(prefix, `${here}.prefix`)),
      ...there.flatMap((key) => neededErrors(at(source[key], "name"), `${here}.${key}.name`, subdomainErrors)),
    ];
    if (there.length === 1) return errors;
    const why =
      there.length === 0
        ? "must specify one of: `configMapRef` or `secretRef`"
        : "may not have more than one field specified at a time";
    return [...errors, invalid(field, "", why)];
  });
}

/** Variables read from files, which must be in emptyDir volumes. */
export function fileVolumeErrors(scope: PodScope): FieldError[] {
  const volumes = new Map(fieldsIn(scope.spec["volumes"]).map((volume) => [textOf(volume["name"]), volume]));
  return allContainers(scope).flatMap(({ container, field }) =>
    eachErrors(fieldsIn(container["env"]), `${field}.env`, (variable, here) => {
      const reference = at(variable, "valueFrom", "fileKeyRef");
      if (!isFields(reference)) return [];
      const name = textOf(reference["volumeName"]);
      const place = `${here}.valueFrom.fileKeyRef.volumeName`;
      const volume = volumes.get(name);
      if (volume === undefined) return [missing(place, name)];
      return isFields(volume["emptyDir"]) ? [] : [invalid(place, name, "referenced volume must be of type emptyDir")];
    }),
  );
}
