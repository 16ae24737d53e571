/** How custom resources are written. Source: apiextensions-apiserver v0.36 pkg/registry/customresource/strategy.go, status_strategy.go, validator.go. */
import { isFields, at, type ApiObject } from "../../../meta/object.ts";
import { invalid, type FieldError } from "../../../meta/field-errors.ts";
import { labelKeyProblems } from "../../../../api/label-names.ts";
import { keepMetadata, restStrategy } from "../../strategy/default-strategy.ts";
import type { ScalePaths } from "../../strategy/object-form.ts";
import type { ChangedObject, NewObject, RESTStrategy } from "../../strategy/rest-strategy.ts";
import { validateObjectMeta, validateObjectMetaUpdate } from "../../strategy/validation-steps.ts";
import { embeddedErrors } from "../schema/objectmeta.ts";
import { listErrors } from "../schema/listtype.ts";
import type { JSONSchemaProps, Structural } from "../schema/structural.ts";
import type { Correlation } from "../validation/correlation.ts";
import { fieldErrorsOf } from "../validation/result.ts";
import { schemaValidatorOf, validate, type SchemaValidator } from "../validation/schema-validator.ts";
import type { RuleValidator } from "./rules.ts";

/** The checks for objects of one version. */
export interface VersionChecks {
  readonly structural: Structural | undefined;
  readonly schema: JSONSchemaProps | undefined;
  readonly scale: ScalePaths | undefined;
  /** Undefined if there are no rules. */
  readonly rules: RuleValidator | undefined;
  /** Converts an object of any version to this one. */
  readonly convert: (object: ApiObject) => ApiObject;
}

interface Checks extends VersionChecks {
  readonly whole: SchemaValidator | undefined;
  readonly status: SchemaValidator | undefined;
}

/** The strategy of a kind: each version is validated by its own schema. `checksOf` is called with an `apiVersion`. */
export function instanceStrategy(checksOf: (apiVersion: string) => VersionChecks): RESTStrategy {
  const made = new Map<string, Checks>();
  const checks = (apiVersion: string): Checks => {
    let known = made.get(apiVersion);
    if (known === undefined) {
      const version = checksOf(apiVersion);
      const { schema } = version;
      const status = schema?.properties?.["status"];
      known = {
        ...version,
        whole: schema === undefined ? undefined : schemaValidatorOf(schema),
        status: status === undefined ? undefined : schemaValidatorOf(status),
      };
      made.set(apiVersion, known);
    }
    return known;
  };
  return restStrategy({
    generation: "all",
    takesAnyFinalizer: true,
    allowUnconditionalUpdate: false,
    createSteps: [validateObjectMeta, (write) => createErrors(write, checks(write.version))],
    updateSteps: [validateObjectMetaUpdate, (write) => updateErrors(write, checks(write.version))],
    warningsOnCreate: ({ metadata }) => finalizerWarnings(metadata.finalizers ?? [], []),
    warningsOnUpdate: ({ metadata }, old) =>
      finalizerWarnings(metadata.finalizers ?? [], old.metadata.finalizers ?? []),
    status: {
      resetFields: [["metadata"], ["spec"]],
      prepareForUpdate: keepMetadata,
      updateSteps: [validateObjectMetaUpdate, (write) => statusErrors(write, checks(write.version))],
    },
  });
}

const wholeScale = ["specReplicas", "statusReplicas", "labelSelector"] as const;

function createErrors(write: NewObject, { whole, structural, scale, rules }: Checks): FieldError[] {
  const { object } = write;
  const errors = [
    ...(whole === undefined ? [] : fieldErrorsOf(validate(whole, { value: object, path: "" }), "")),
    ...scaleErrors(object, { scale, parts: wholeScale }),
    ...embeddedErrors(object, { structural, path: "" }),
    ...listErrors(object, { structural, path: "" }),
  ];
  return withRules(errors, { rules, write, old: undefined, ofMetadata: () => validateObjectMeta(write) });
}

function updateErrors(write: ChangedObject, { whole, structural, scale, rules, convert }: Checks): FieldError[] {
  const { object } = write;
  const old = convert(write.old);
  const before: Correlation = { now: object, old, structural };
  const place = { structural, path: "" };
  const hadErrors = listErrors(old, place).length > 0;
  const errors = [
    ...(whole === undefined ? [] : fieldErrorsOf(validate(whole, { value: object, path: "", before }), "")),
    ...scaleErrors(object, { scale, parts: wholeScale }),
    ...embeddedErrors(object, place),
    ...(hadErrors ? [] : listErrors(object, place)),
  ];
  return withRules(errors, { rules, write, old, ofMetadata: () => validateObjectMetaUpdate(write) });
}

function statusErrors(write: ChangedObject, { status, structural, scale, rules, convert }: Checks): FieldError[] {
  const { object } = write;
  const old = convert(write.old);
  const value = object.status;
  const before: Correlation = { now: value, old: old.status, structural: structural?.properties.get("status") };
  const place = { structural, path: "" };
  const hadErrors = listErrors(old, place).length > 0;
  const errors = [
    ...(status === undefined || value === undefined
      ? []
      : fieldErrorsOf(validate(status, { value, path: "", before }), "status")),
    ...scaleErrors(object, { scale, parts: ["statusReplicas", "labelSelector"] }),
    ...(hadErrors ? [] : listErrors(object, place)),
  ];
  return withRules(errors, { rules, write, old, ofMetadata: () => validateObjectMetaUpdate(write) });
}

/** Errors with these reasons block the rules, which could not rely on the object's types. */
const blocking: ReadonlySet<FieldError["reason"]> = new Set([
  "FieldValueNotSupported",
  "FieldValueRequired",
  "FieldValueTooLong",
  "FieldValueTooMany",
  "FieldValueTypeInvalid",
]);

interface Ruled {
  readonly rules: RuleValidator | undefined;
  readonly write: NewObject;
  readonly old: ApiObject | undefined;
  readonly ofMetadata: () => readonly FieldError[];
}

/** The errors plus those of the rules; violations that an update may keep become warnings. */
function withRules(errors: FieldError[], { rules, write, old, ofMetadata }: Ruled): FieldError[] {
  if (rules === undefined) return errors;
  const isBlocked = [...ofMetadata(), ...errors].some(({ reason }) => blocking.has(reason));
  if (isBlocked) {
    const why =
      "some validation rules were not checked because the object was invalid; correct the existing errors to complete validation";
    return [...errors, invalid("<nil>", null, why)];
  }
  const verdict = rules(write.object, old);
  for (const { field, message } of verdict.warnings) write.context.warn(`${field}: ${message}`);
  return [...errors, ...verdict.errors];
}

const most = 2 ** 31 - 1;

interface Scaled {
  readonly scale: ScalePaths | undefined;
  readonly parts: readonly (keyof ScalePaths)[];
}

/** The replicas behind a Scale must be a valid replica count, and the selector a string. */
function scaleErrors(object: ApiObject, { scale, parts }: Scaled): FieldError[] {
  return parts.flatMap((part) => {
    const path = scale?.[part];
    if (path === undefined) return [];
    const value = at(object, ...path);
    if (part !== "labelSelector") return numberErrors(object, path);
    if (value === undefined || typeof value === "string") return [];
    return [invalid(`.${path.join(".")}`, "", accessorError(value, { path, expected: "string" }))];
  });
}

function numberErrors(object: ApiObject, path: readonly string[]): FieldError[] {
  const field = `.${path.join(".")}`;
  const value = at(object, ...path);
  if (value === undefined && reaches(object, path)) return [];
  if (typeof value !== "number" || !Number.isInteger(value))
    return [invalid(field, 0, accessorError(value, { path, expected: "int64" }))];
  if (value < 0) return [invalid(field, value, "should be a non-negative integer")];
  return value > most ? [invalid(field, value, `should be less than or equal to ${most}`)] : [];
}

/** True if every existing ancestor of a missing field is an object. */
function reaches(object: unknown, path: readonly string[]): boolean {
  let here = object;
  for (const key of path) {
    if (here === undefined) return true;
    if (!isFields(here)) return false;
    here = here[key];
  }
  return true;
}

interface Expected {
  readonly path: readonly string[];
  readonly expected: string;
}

/** Source: apimachinery v0.36 meta/v1/unstructured/helpers.go. */
function accessorError(value: unknown, { path, expected }: Expected): string {
  const types: Readonly<Record<string, string>> = { string: "string", boolean: "bool", number: "float64" };
  const type = Array.isArray(value)
    ? "[]interface {}"
    : isFields(value)
      ? "map[string]interface {}"
      : types[typeof value];
  const whole = typeof value === "number" && Number.isInteger(value) ? "int64" : (type ?? "<nil>");
  return `.${path.join(".")} accessor error: ${String(value)} is of the type ${whole}, expected ${expected}`;
}

const standard: ReadonlySet<string> = new Set(["orphan", "foregroundDeletion", "kubernetes"]);

/** Warns about finalizers whose names are not unique to one writer. */
function finalizerWarnings(finalizers: readonly string[], before: readonly string[]): string[] {
  const added = [...new Set(finalizers)].filter((finalizer) => !before.includes(finalizer)).sort();
  return added.flatMap((finalizer) => {
    const warning = (why: string): string => `metadata.finalizers: ${JSON.stringify(finalizer)}: ${why}`;
    const problems = labelKeyProblems(finalizer).map(warning);
    if (finalizer.includes("/") || standard.has(finalizer)) return problems;
    const path = finalizer.includes(".") ? " including a path (/)" : "";
    return [
      ...problems,
      warning(
        `prefer a domain-qualified finalizer name${path} to avoid accidental conflicts with other finalizer writers`,
      ),
    ];
  });
}
