/**
 * Compares pod templates semantically.
 * Source: kubernetes v1.36 pkg/controller/deployment/util/deployment_util.go EqualIgnoreHash, apimachinery v0.36
 * api/equality/semantic.go; differs: fields that Kubernetes 1.36 does not know are compared as they are written.
 */
import { deepEqual } from "../../../api/field-changes.ts";
import { compareQuantities, parseQuantity, type Quantity } from "../../../api/quantity.ts";
import { parseTime } from "../../../api/time.ts";
import { type GoType, podTemplateSpec } from "./go-types.ts";
import { podTemplateHashLabel } from "./hash.ts";

type Json = Readonly<Record<string, unknown>>;

/**
 * Whether two templates are equal apart from the label `pod-template-hash`. `1Gi` equals `1024Mi`, and missing labels equal an empty map, but
 * a missing `securityContext` differs from an empty one.
 */
export function isSamePodTemplate(one: object | undefined, other: object | undefined): boolean {
  return (
    one === other || isSame(podTemplateSpec, withoutPodTemplateHash(one ?? {}), withoutPodTemplateHash(other ?? {}))
  );
}

/** The template without the label `pod-template-hash`; the very same one if it does not have it. */
export function withoutPodTemplateHash<T extends { readonly metadata?: { readonly labels?: object } }>(template: T): T {
  const { metadata } = template;
  if (metadata?.labels === undefined || !(podTemplateHashLabel in metadata.labels)) return template;
  const { [podTemplateHashLabel]: _, ...labels } = metadata.labels;
  return { ...template, metadata: { ...metadata, labels } };
}

function isSame(type: GoType, one: unknown, other: unknown): boolean {
  if (one === other) return true;
  switch (type.is) {
    case "pointer":
      if (isAbsent(one) || isAbsent(other)) return isAbsent(one) && isAbsent(other);
      return isSame(type.to, one, other);
    case "slice": {
      const [left, right] = [(one ?? []) as readonly unknown[], (other ?? []) as readonly unknown[]];
      return left.length === right.length && left.every((item, n) => isSame(type.of, item, right[n]));
    }
    case "map": {
      const [left, right] = [(one ?? {}) as Json, (other ?? {}) as Json];
      const keys = Object.keys(left);
      if (keys.length !== Object.keys(right).length) return false;
      return keys.every((key) => Object.hasOwn(right, key) && isSame(type.of, left[key], right[key]));
    }
    case "struct":
      return isSameStruct(type, (one ?? {}) as Json, (other ?? {}) as Json);
    case "leaf":
      return isSameLeaf(type.name, one, other);
    case "text":
      return (one ?? "") === (other ?? "");
    case "number":
      return (one ?? 0) === (other ?? 0);
    case "boolean":
      return (one ?? false) === (other ?? false);
  }
}

function isSameStruct(type: Extract<GoType, { is: "struct" }>, one: Json, other: Json): boolean {
  const known = wireNames(type);
  for (const [name, fieldType] of known) if (!isSame(fieldType, one[name], other[name])) return false;
  return isUnknownSame(known, one, other) && isUnknownSame(known, other, one);
}

function isUnknownSame(known: ReadonlyMap<string, GoType>, one: Json, other: Json): boolean {
  return Object.keys(one).every((name) => known.has(name) || deepEqual(one[name], other[name]));
}

const names = new WeakMap<GoType, ReadonlyMap<string, GoType>>();

/** The JSON fields of a struct, including those of inlined structs. */
function wireNames(type: Extract<GoType, { is: "struct" }>): ReadonlyMap<string, GoType> {
  const known = names.get(type);
  if (known !== undefined) return known;
  const made = new Map<string, GoType>();
  for (const { json, type: inner } of type.fields) {
    if (json !== "") made.set(json, inner);
    else if (inner.is === "struct") for (const [name, its] of wireNames(inner)) made.set(name, its);
  }
  names.set(type, made);
  return made;
}

function isSameLeaf(name: Extract<GoType, { is: "leaf" }>["name"], one: unknown, other: unknown): boolean {
  switch (name) {
    case "resource.Quantity": {
      const read = (value: unknown): Quantity | undefined => parseQuantity((value as string | undefined) ?? "0");
      const [left, right] = [read(one), read(other)];
      return left !== undefined && right !== undefined && compareQuantities(left, right) === 0;
    }
    case "v1.Time":
      if (isAbsent(one) || isAbsent(other)) return isAbsent(one) && isAbsent(other);
      return parseTime(one as string) === parseTime(other as string);
    case "intstr.IntOrString":
      return (one ?? 0) === (other ?? 0);
    case "v1.FieldsV1":
      return deepEqual(one, other);
  }
}

/** Unset times come as null. */
function isAbsent(value: unknown): boolean {
  return value === undefined || value === null;
}
