/** Decodes the fields of a body as an object: with the resource's form, or else with the types of its struct. */
import type { RequestScope } from "./server.ts";
import { noLiterals, type Literals } from "../meta/json.ts";
import type { Fields } from "../meta/object.ts";
import { fillDefaults } from "../registry/defaults.ts";
import type { ObjectForm, ObjectRead } from "../registry/strategy/object-form.ts";
import { decodeFields, decodeUnstructured, TypeProblem } from "../serialization/decode.ts";
import type { Schema, Struct } from "../../api/wire/schema.ts";

/** How fields are decoded. */
export interface Reading {
  readonly form: ObjectForm | undefined;
  readonly struct: Struct | undefined;
  readonly schema: Schema;
  /** The literals of the JSON, if it was parsed from JSON. */
  readonly literals?: Literals | undefined;
  /** True if the fields are those of a merged object, not parsed from JSON. */
  readonly unstructured?: boolean;
}

/** How the objects of a request's resource are decoded. */
export function readingOf({ served, server }: RequestScope): Reading {
  return { form: served.form, struct: served.struct, schema: server.registry.schema };
}

/** Decodes an object and sets defaults; `unstructured` selects Go's errors for decoding fields instead of JSON. */
export function readObject(
  { form, struct, schema, literals, unstructured = false }: Reading,
  fields: Fields,
): ObjectRead & { readonly unstructured?: string } {
  if (form !== undefined) return form.read(fields, literals ?? noLiterals);
  if (struct === undefined) return { value: fields, strict: [] };
  try {
    const { value, strict } = unstructured
      ? decodeUnstructured(fields, struct, schema)
      : decodeFields(fields, struct, schema, literals);
    fillDefaults(value, struct, schema);
    return { value, strict };
  } catch (cause) {
    if (!(cause instanceof TypeProblem)) throw cause;
    return { problem: cause.message, unstructured: cause.unstructured };
  }
}
