/**
 * The fields of a custom resource as a struct, like the types of built-in kinds: for managed fields and the form of metadata.
 * Source: apiextensions-apiserver v0.36 pkg/controller/openapi/builder; structured-merge-diff v6 schema.
 */
import type { Field, Shape, Struct } from "../../../../api/wire/schema.ts";
import type { Structural } from "../schema/structural.ts";

/** A struct and everything it refers to. All names begin with a slash; fields are written as they are set. */
export function structsOf(name: string, structural: Structural | undefined): readonly Struct[] {
  const made: Struct[] = [];
  if (structural === undefined) made.push(structNamed(name, { fields: topFields(new Map()), atomic: false }));
  else addStruct({ name, structural }, { made, isResource: true });
  return made;
}

interface Making {
  readonly made: Struct[];
  /** True for an object with a kind and metadata. */
  readonly isResource: boolean;
}

const plain = {
  required: false,
  mergeKey: undefined,
  merges: false,
  replaces: false,
  retainsKeys: false,
  listType: "atomic",
  listKeys: [],
  atomic: false,
  values: undefined,
  empty: "as-set",
} as const satisfies Omit<Field, "shape">;

const text: Shape = { is: "scalar", scalar: "string" };

/** Fields of a struct that accepts unknown ones: these are tracked by the type of their value. */
class FoundFields extends Map<string, Field> {
  readonly #found: Field;

  constructor(described: ReadonlyMap<string, Field>, found: Field) {
    super(described);
    this.#found = found;
  }

  override get(name: string): Field {
    return super.get(name) ?? this.#found;
  }
}

/** The shape of values without a schema: they are tracked by the type of their value. */
const found: Shape = { is: "open" };

/** The fields of every object of a kind. */
function topFields(fields: Map<string, Field>): Map<string, Field> {
  fields.set("apiVersion", { ...plain, shape: text });
  fields.set("kind", { ...plain, shape: text });
  fields.set("metadata", { ...plain, shape: { is: "struct", name: "meta.v1.ObjectMeta" }, empty: "struct" });
  return fields;
}

function structNamed(
  name: string,
  { fields, atomic }: { readonly fields: ReadonlyMap<string, Field>; readonly atomic: boolean },
): Struct {
  const always = [...fields].filter(([, { empty }]) => empty === "struct");
  return { name, fields, always, open: false, atomic };
}

/** A part of a schema and the name of its struct. */
interface Named {
  readonly name: string;
  readonly structural: Structural;
}

function addStruct({ name, structural }: Named, { made, isResource }: Making): void {
  const fields = new Map<string, Field>();
  for (const [key, property] of structural.properties)
    fields.set(key, fieldOfStructural({ name: `${name}.${key}`, structural: property }, made));
  if (isResource) topFields(fields);
  const all = structural.preservesUnknownFields ? new FoundFields(fields, { ...plain, shape: found }) : fields;
  const struct = structNamed(name, { fields: all, atomic: structural.mapType === "atomic" });
  made.push(structural.preservesUnknownFields ? { ...struct, takesAny: true } : struct);
}

function fieldOfStructural(named: Named, made: Struct[]): Field {
  const { structural } = named;
  const { listType, listMapKeys, mapType } = structural;
  return {
    ...plain,
    shape: shapeOf(named, made),
    ...(listType === "set" || listType === "map" ? { listType } : {}),
    listKeys: listMapKeys,
    atomic: mapType === "atomic",
    ...(structural.default === undefined ? {} : { default: structural.default }),
  };
}

function shapeOf({ name, structural }: Named, made: Struct[]): Shape {
  const { type, items, additionalProperties: additional, properties } = structural;
  if (structural.isIntOrString) return { is: "scalar", scalar: "int-or-string" };
  switch (type) {
    case "string":
      return text;
    case "boolean":
      return { is: "scalar", scalar: "boolean" };
    case "integer":
      return { is: "scalar", scalar: "int64" };
    case "number":
      return { is: "scalar", scalar: "number" };
    case "array":
      return {
        is: "list",
        of: items === undefined ? found : shapeOf({ name: `${name}[]`, structural: items }, made),
      };
    default:
      break;
  }
  if (typeof additional === "object")
    return { is: "map", of: shapeOf({ name: `${name}{}`, structural: additional }, made) };
  if (properties.size === 0 && !structural.isEmbeddedResource) return found;
  addStruct({ name, structural }, { made, isResource: structural.isEmbeddedResource });
  return { is: "struct", name };
}
