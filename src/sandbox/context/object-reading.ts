/** Fields of a body as an object: as the resource's own form reads them, or else by the types of its struct. */
import type { RequestScope } from "./server.ts";
import { noLiterals, type Literals } from "../meta/json.ts";
import type { Fields } from "../meta/object.ts";
import { fillDefaults } from "../registry/defaults.ts";
import type { ObjectForm, ObjectRead } from "../registry/strategy/object-form.ts";
import { decodeFields, decodeUnstructured, TypeProblem } from "../serialization/decode.ts";
import type { Schema, Struct } from "../../api/wire/schema.ts";

/** What fields are read by. */
export interface Reading {
  readonly form: ObjectForm | undefined;
  readonly struct: Struct | undefined;
  readonly schema: Schema;
  /** Of the JSON that was read, where it was JSON. */
  readonly literals?: Literals | undefined;
  /** The fields are not read from JSON, but are those of an object that was merged. */
  readonly unstructured?: boolean;
}

/** How the objects of a request's resource are read. */
export function readingOf({ served, server }: RequestScope): Reading {
  return { form: served.form, struct: served.struct, schema: server.registry.schema };
}

/** An object with its defaults; `unstructured` is what Go says where it does not read JSON but fields. */
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
