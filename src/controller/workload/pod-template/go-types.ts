/**
 * The Go types behind a pod template, as `go-types.json` has them: made by scripts/pod-template from k8s.io/api 0.36.3. Hashes
 * depend on the order of fields and on the names of types, which JSON and OpenAPI do not contain.
 */
import data from "./go-types.json" with { type: "json" };

/** Name in Go; name on the wire, empty where the struct is inlined; type as Go writes it: `*int64`, `[]v1.Container`. */
export type GoField = readonly [name: string, json: string, type: string];

/** The contents of `go-types.json`. */
export interface GoTypes {
  readonly structs: Readonly<Record<string, readonly GoField[]>>;
  /** Other named types, and what they are made of: `v1.RestartPolicy` of `string`. */
  readonly named: Readonly<Record<string, string>>;
}

/** A type, taken apart once. */
export type GoType =
  | { readonly is: "pointer"; readonly name: string; readonly to: GoType }
  | { readonly is: "slice"; readonly name: string; readonly of: GoType }
  | { readonly is: "map"; readonly name: string; readonly of: GoType }
  | { readonly is: "struct"; readonly name: string; readonly fields: readonly GoStructField[] }
  | { readonly is: "leaf"; readonly name: "resource.Quantity" | "intstr.IntOrString" | "v1.Time" | "v1.FieldsV1" }
  | { readonly is: "text" | "number" | "boolean"; readonly name: string };

/** A field of a struct, in Go's order. */
export interface GoStructField {
  /** In Go: `TerminationGracePeriodSeconds`. */
  readonly name: string;
  /** On the wire; empty where the struct is inlined. */
  readonly json: string;
  readonly type: GoType;
}

// The compiler takes the triples for arrays of any length.
const types = data as unknown as GoTypes;
const parsed = new Map<string, GoType>();

/** @throws RangeError for a type that a pod template does not have. */
export function goType(name: string): GoType {
  const known = parsed.get(name);
  if (known !== undefined) return known;
  const type = parse(name, name);
  parsed.set(name, type);
  return type;
}

function parse(name: string, made: string): GoType {
  if (made.startsWith("*")) return { is: "pointer", name, to: goType(made.slice(1)) };
  if (made.startsWith("[]")) return { is: "slice", name, of: goType(made.slice(2)) };
  // Keys are texts, all of them.
  if (made.startsWith("map[")) return { is: "map", name, of: goType(made.slice(made.indexOf("]") + 1)) };
  const fields = types.structs[made];
  if (fields !== undefined) return structOf(name, fields);
  switch (made) {
    case "resource.Quantity":
    case "intstr.IntOrString":
    case "v1.Time":
    case "v1.FieldsV1":
      return { is: "leaf", name: made };
    case "string":
      return { is: "text", name };
    case "int32":
    case "int64":
      return { is: "number", name };
    case "bool":
      return { is: "boolean", name };
    default: {
      const under = types.named[made];
      if (under === undefined) throw new RangeError(`Cannot read the Go type ${made}: a pod template has none of it`);
      return parse(name, under);
    }
  }
}

function structOf(name: string, fields: readonly GoField[]): GoType {
  return {
    is: "struct",
    name,
    fields: fields.map(([field, json, type]) => ({ name: field, json, type: goType(type) })),
  };
}

/** The type of a template. */
export const podTemplateSpec: GoType = goType("v1.PodTemplateSpec");
