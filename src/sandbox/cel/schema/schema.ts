/**
 * Structural schemas in the JSON of a CustomResourceDefinition, as far as rules need them. Source: apiextensions-apiserver v0.36
 * pkg/apiserver/schema/structural.go, pkg/apiserver/schema/cel/model/adaptor.go.
 */

/** A rule of a schema: an entry of x-kubernetes-validations. */
export interface ValidationRule {
  readonly rule: string;
  readonly message?: string;
  readonly messageExpression?: string;
  readonly reason?: string;
  readonly fieldPath?: string;
  readonly optionalOldSelf?: boolean;
}

/** The parts of JSONSchemaProps that rules depend on. */
export interface JsonSchema {
  readonly type?: string;
  readonly format?: string;
  readonly nullable?: boolean;
  readonly default?: unknown;
  readonly enum?: readonly unknown[];
  readonly required?: readonly string[];
  readonly maxLength?: number;
  readonly maxItems?: number;
  readonly maxProperties?: number;
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly additionalProperties?: JsonSchema | boolean;
  readonly items?: JsonSchema;
  readonly "x-kubernetes-int-or-string"?: boolean;
  readonly "x-kubernetes-preserve-unknown-fields"?: boolean;
  readonly "x-kubernetes-embedded-resource"?: boolean;
  readonly "x-kubernetes-list-type"?: string;
  readonly "x-kubernetes-list-map-keys"?: readonly string[];
  readonly "x-kubernetes-map-type"?: string;
  readonly "x-kubernetes-validations"?: readonly ValidationRule[];
}

const text: JsonSchema = { type: "string" };

/** The schema of a whole resource: apiVersion, kind and metadata.name are always included. */
export function withTypeAndObjectMeta(schema: JsonSchema): JsonSchema {
  const { properties } = schema;
  const meta = properties?.["metadata"];
  const isWhole =
    properties?.["kind"]?.type === "string" &&
    properties["apiVersion"]?.type === "string" &&
    meta?.type === "object" &&
    meta.properties?.["name"]?.type === "string" &&
    meta.properties["generateName"]?.type === "string";
  if (isWhole) return schema;
  const metadata: JsonSchema = { type: "object", properties: { name: text, generateName: text } };
  return { ...schema, properties: { ...properties, kind: text, apiVersion: text, metadata } };
}

/** The schema of a map's values; undefined if there is none. */
export const valuesOf = ({ additionalProperties }: JsonSchema): JsonSchema | undefined =>
  typeof additionalProperties === "object" ? additionalProperties : undefined;

/** True for embedded resources. */
export const isEmbedded = (schema: JsonSchema): boolean => schema["x-kubernetes-embedded-resource"] === true;

const reserved = new Set(
  "true false null in as break const continue else for function if import let loop package namespace return var void while".split(
    " ",
  ),
);

const escapes: Readonly<Record<string, string>> = {
  __: "__underscores__",
  ".": "__dot__",
  "-": "__dash__",
  "/": "__slash__",
};

/** A field's name in expressions; undefined if it cannot be written there. Source: apiserver pkg/cel/escaping.go. */
export function escapeName(name: string): string | undefined {
  if (name === "" || /^\d/.test(name)) return undefined;
  if (reserved.has(name)) return `__${name}__`;
  if (/[^a-zA-Z0-9\-./_]/.test(name)) return undefined;
  return name.replaceAll(/__|[-./]/g, (part) => escapes[part] ?? part);
}

const unescapes: Readonly<Record<string, string>> = { underscores: "__", dot: ".", dash: "-", slash: "/" };

/** The field that a name in an expression refers to; undefined if it is not a valid escaped name. */
export function unescapeName(escaped: string): string | undefined {
  let isRight = true;
  const name = escaped.replaceAll(/_{2}[^_]+_{2}/g, (part) => {
    const inner = part.slice(2, -2);
    const found = Object.hasOwn(unescapes, inner) ? unescapes[inner] : undefined;
    if (found !== undefined) return found;
    if (!reserved.has(inner) || part.length !== escaped.length) isRight = false;
    return inner;
  });
  return isRight ? name : undefined;
}

/** True for reserved words of CEL that may still be field names. */
export const isReserved = (word: string): boolean => reserved.has(word);
