/** Validates the metadata of any object. Source: apimachinery v0.36 api/validation/objectmeta.go, util/validation/validation.go. */
import { invalid, notAllowed, required, tooLong, type FieldError } from "../meta/field-errors.ts";
import { isNil } from "../meta/canonical.ts";
import type { ApiObject, Fields, Meta } from "../meta/object.ts";
import { managedFieldsErrors } from "../meta/field-managers.ts";
import { labelKeyProblems, labelValueProblems } from "../../api/label-names.ts";
import { type NameRule, nameRules } from "./names.ts";

/** Validates labels of an object or a template. */
export function labelErrors(labels: unknown, field: string): FieldError[] {
  if (typeof labels !== "object" || labels === null) return [];
  return Object.entries(labels as Record<string, string>)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .flatMap(([key, value]) => [
      ...labelKeyProblems(key).map((problem) => invalid(field, key, problem)),
      ...labelValueProblems(value).map((problem) => invalid(field, value, problem)),
    ]);
}

const annotationBytes = 256 * 1024;

/** Validates annotations of an object or a template. */
export function annotationErrors(annotations: unknown, field: string): FieldError[] {
  if (typeof annotations !== "object" || annotations === null) return [];
  const errors: FieldError[] = [];
  let size = 0;
  for (const [key, value] of Object.entries(annotations as Record<string, string>)) {
    size += key.length + value.length;
    // Upper case is allowed in keys.
    errors.push(...labelKeyProblems(key.toLowerCase()).map((p) => invalid(field, key, p)));
  }
  if (size > annotationBytes) errors.push(tooLong(field, annotationBytes));
  return errors;
}

/** `apps/v1` → `v1`; empty for an invalid apiVersion. */
function versionIn(apiVersion: string): string {
  const [first = "", second = first, more] = apiVersion.split("/");
  return more === undefined ? second : "";
}

function ownerErrors(meta: Meta): FieldError[] {
  const field = "metadata.ownerReferences";
  const errors: FieldError[] = [];
  const controllers: string[] = [];
  for (const owner of meta.ownerReferences ?? []) {
    if (versionIn(owner.apiVersion ?? "") === "")
      errors.push(invalid(`${field}.apiVersion`, owner.apiVersion ?? "", "version must not be empty"));
    for (const key of ["kind", "name", "uid"] as const) {
      if (!owner[key]) errors.push(invalid(`${field}.${key}`, owner[key] ?? "", "must not be empty"));
    }
    if (owner.kind === "Event" && owner.apiVersion === "v1") {
      errors.push(invalid(field, owner, "/v1, Kind=Event is disallowed from being an owner"));
    }
    if (owner.controller !== true) continue;
    controllers.push(`${owner.kind}/${owner.name}`);
    if (controllers.length < 2) continue;
    const found = `Found "true" in references for ${controllers[0]} and ${controllers[1]}`;
    errors.push(invalid(field, meta.ownerReferences, `Only one reference can have Controller set to true. ${found}`));
  }
  return errors;
}

const standardFinalizers = new Set(["kubernetes", "orphan", "foregroundDeletion"]);

/** For most kinds, finalizers must be qualified, or Kubernetes' own. Source: kubernetes v1.36 pkg/apis/core/validation/validation.go. */
export function unqualifiedFinalizerErrors({ metadata }: ApiObject): FieldError[] {
  const neither = "name is neither a standard finalizer name nor is it fully qualified";
  return (metadata.finalizers ?? []).flatMap((finalizer, index) =>
    finalizer.includes("/") || standardFinalizers.has(finalizer)
      ? []
      : [invalid(`metadata.finalizers[${index}]`, finalizer, neither)],
  );
}

/** Validates a finalizer in a namespace's spec. */
export function finalizerNameErrors(finalizer: string, field: string): FieldError[] {
  const problems = labelKeyProblems(finalizer).map((problem) => invalid(field, finalizer, problem));
  if (finalizer.includes("/") || standardFinalizers.has(finalizer)) return problems;
  return [
    ...problems,
    invalid(field, finalizer, "name is neither a standard finalizer name nor is it fully qualified"),
  ];
}

function finalizerErrors(meta: Meta): FieldError[] {
  const finalizers = meta.finalizers ?? [];
  const errors = finalizers.flatMap((finalizer) =>
    labelKeyProblems(finalizer).map((problem) => invalid("metadata.finalizers", finalizer, problem)),
  );
  if (finalizers.includes("orphan") && finalizers.includes("foregroundDeletion")) {
    errors.push(
      invalid("metadata.finalizers", finalizers, "finalizer orphan and foregroundDeletion cannot be both set"),
    );
  }
  return errors;
}

/** The rules that differ by kind. */
interface MetadataRules {
  readonly nameRule: NameRule;
  readonly takesAnyFinalizer?: boolean;
  readonly generateNameRule?: NameRule;
}

/** Validates an object's metadata. */
export function metadataErrors(
  object: ApiObject,
  namespaced: boolean,
  { nameRule, takesAnyFinalizer = false, generateNameRule = nameRule }: MetadataRules,
): FieldError[] {
  const { metadata } = object;
  const errors: FieldError[] = [];
  if (metadata.generateName !== undefined) {
    // The server appends a suffix: a trailing dash and the character before it count as one valid letter.
    const stem = metadata.generateName.replace(/.-$/, "a");
    const rule = nameRules[generateNameRule];
    errors.push(...rule(stem).map((problem) => invalid("metadata.generateName", metadata.generateName, problem)));
  }
  if (metadata.name === undefined || metadata.name === "") {
    errors.push(required("metadata.name", "name or generateName is required"));
  } else {
    errors.push(...nameRules[nameRule](metadata.name).map((p) => invalid("metadata.name", metadata.name, p)));
  }
  if (!namespaced && metadata.namespace !== undefined && metadata.namespace !== "") {
    errors.push(notAllowed("metadata.namespace", "not allowed on this type"));
  }
  return [
    ...errors,
    ...generationErrors(metadata),
    ...anyTimeErrors(metadata),
    ...finalizerErrors(metadata),
    ...managedFieldsErrors(metadata.managedFields),
    ...(takesAnyFinalizer ? [] : unqualifiedFinalizerErrors(object)),
  ];
}

/** Metadata that templates cannot have, as named in messages, in the order of the type's fields. */
const notInTemplates = [
  "name",
  "generateName",
  "namespace",
  "selfLink",
  "uid",
  "resourceVersion",
  "generation",
  "creationTimestamp",
  "deletionTimestamp",
  "deletionGracePeriodSeconds",
  "ownerReferences",
  "finalizers",
  "managedFields",
] as const;

/**
 * Validates the metadata of templates: only labels and annotations. Source: kubernetes v1.36 pkg/apis/core/validation/validation.go
 * ValidateTemplateObjectMeta.
 */
export function templateMetadataErrors(metadata: Fields, field: string): FieldError[] {
  const isUnset = (key: string): boolean => isNil(metadata, key) || metadata[key] === "" || metadata[key] === 0;
  return [
    ...annotationErrors(metadata["annotations"], `${field}.annotations`),
    ...labelErrors(metadata["labels"], `${field}.labels`),
    ...notInTemplates.flatMap((key) =>
      isUnset(key) ? [] : [notAllowed(`${field}.${key === "uid" ? "uID" : key}`, "cannot be set")],
    ),
  ];
}

const generationErrors = ({ generation = 0 }: Meta): FieldError[] =>
  generation < 0 ? [invalid("metadata.generation", generation, "must be greater than or equal to 0")] : [];

/** Checks for creates and updates. */
function anyTimeErrors(metadata: Meta): FieldError[] {
  return [
    ...labelErrors(metadata.labels, "metadata.labels"),
    ...annotationErrors(metadata.annotations, "metadata.annotations"),
    ...ownerErrors(metadata),
  ];
}

const immutable = "field is immutable";

/** Rejects changes of immutable metadata. */
export function metadataUpdateErrors(object: ApiObject, old: ApiObject): FieldError[] {
  const { metadata } = object;
  const errors: FieldError[] = [];
  if (old.metadata.deletionTimestamp !== undefined) {
    const added = (metadata.finalizers ?? []).filter(
      (finalizer) => !(old.metadata.finalizers ?? []).includes(finalizer),
    );
    if (added.length > 0) {
      errors.push(
        notAllowed(
          "metadata.finalizers",
          `no new finalizers can be added if the object is being deleted, found new finalizers []string{${added.map((f) => JSON.stringify(f)).join(", ")}}`,
        ),
      );
    }
  }
  for (const field of ["name", "namespace", "uid", "creationTimestamp", "deletionTimestamp"] as const) {
    if (metadata[field] !== old.metadata[field])
      errors.push(invalid(`metadata.${field}`, metadata[field] ?? null, immutable));
  }
  if (metadata.deletionGracePeriodSeconds !== old.metadata.deletionGracePeriodSeconds) {
    errors.push(invalid("metadata.deletionGracePeriodSeconds", metadata.deletionGracePeriodSeconds ?? null, immutable));
  }
  return [...errors, ...anyTimeErrors(metadata), ...managedFieldsErrors(metadata.managedFields)];
}
