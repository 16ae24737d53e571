/**
 * Structural schemas: the JSON schema of a CustomResourceDefinition, with the parts that describe an object's structure kept separately.
 * Source: apiextensions-apiserver v0.36 pkg/apiserver/schema/structural.go, convert.go.
 */
import type { ValidationRule } from "../../../cel/schema/schema.ts";
import { isFields, type Fields } from "../../../meta/object.ts";

/** A JSON schema, limited to the keys that are used. */
export interface JSONSchemaProps {
  readonly type?: string;
  readonly format?: string;
  readonly title?: string;
  readonly description?: string;
  readonly nullable?: boolean;
  readonly default?: unknown;
  readonly maximum?: number;
  readonly exclusiveMaximum?: boolean;
  readonly minimum?: number;
  readonly exclusiveMinimum?: boolean;
  readonly maxLength?: number;
  readonly minLength?: number;
  readonly pattern?: string;
  readonly maxItems?: number;
  readonly minItems?: number;
  readonly uniqueItems?: boolean;
  readonly multipleOf?: number;
  readonly enum?: readonly unknown[];
  readonly maxProperties?: number;
  readonly minProperties?: number;
  readonly required?: readonly string[];
  readonly items?: JSONSchemaProps | readonly JSONSchemaProps[];
  readonly allOf?: readonly JSONSchemaProps[];
  readonly oneOf?: readonly JSONSchemaProps[];
  readonly anyOf?: readonly JSONSchemaProps[];
  readonly not?: JSONSchemaProps;
  readonly properties?: Readonly<Record<string, JSONSchemaProps>>;
  readonly additionalProperties?: JSONSchemaProps | boolean;
  readonly "x-kubernetes-preserve-unknown-fields"?: boolean;
  readonly "x-kubernetes-embedded-resource"?: boolean;
  readonly "x-kubernetes-int-or-string"?: boolean;
  readonly "x-kubernetes-list-map-keys"?: readonly string[];
  readonly "x-kubernetes-list-type"?: string;
  readonly "x-kubernetes-map-type"?: string;
  readonly "x-kubernetes-validations"?: readonly ValidationRule[];
}

/** The structure that a schema describes, and the schema itself for its value validations. */
export interface Structural {
  readonly schema: JSONSchemaProps;
  /** `""` if not specified. */
  readonly type: string;
  readonly nullable: boolean;
  /** Undefined if there is none: a default is never null. */
  readonly default: unknown;
  readonly properties: ReadonlyMap<string, Structural>;
  /** True: any fields; undefined: only the properties. */
  readonly additionalProperties: Structural | boolean | undefined;
  readonly items: Structural | undefined;
  readonly preservesUnknownFields: boolean;
  readonly isEmbeddedResource: boolean;
  readonly isIntOrString: boolean;
  /** Atomic if not specified. */
  readonly listType: string | undefined;
  readonly listMapKeys: readonly string[];
  readonly mapType: string | undefined;
  /** It or a part of it has a default. */
  readonly hasDefaults: boolean;
  /** It or a part of it is an embedded resource. */
  readonly hasEmbedded: boolean;
  /** It or a part of it is a list whose items have identities. */
  readonly hasListTypes: boolean;
}

const noProperties: ReadonlyMap<string, Structural> = new Map();

/** The structure of a schema; for a schema that is not structural, as much as can be read. */
export function structuralOf(schema: JSONSchemaProps): Structural {
  const properties =
    schema.properties === undefined
      ? noProperties
      : new Map(Object.entries(schema.properties).map(([name, property]) => [name, structuralOf(property)]));
  const { additionalProperties: additional, items: listed } = schema;
  const additionalProperties = typeof additional === "object" ? structuralOf(additional) : additional;
  const items = isSchema(listed) ? structuralOf(listed) : undefined;
  const inside = [...properties.values(), items, additionalProperties].filter(isStructural);
  const isEmbeddedResource = schema["x-kubernetes-embedded-resource"] === true;
  const listType = schema["x-kubernetes-list-type"];
  const given = schema.default ?? undefined;
  return {
    schema,
    type: schema.type ?? "",
    nullable: schema.nullable === true,
    default: given,
    properties,
    additionalProperties,
    items,
    preservesUnknownFields: schema["x-kubernetes-preserve-unknown-fields"] === true,
    isEmbeddedResource,
    isIntOrString: schema["x-kubernetes-int-or-string"] === true,
    listType,
    listMapKeys: schema["x-kubernetes-list-map-keys"] ?? [],
    mapType: schema["x-kubernetes-map-type"],
    hasDefaults: given !== undefined || inside.some((part) => part.hasDefaults),
    hasEmbedded: isEmbeddedResource || inside.some((part) => part.hasEmbedded),
    hasListTypes: listType === "set" || listType === "map" || inside.some((part) => part.hasListTypes),
  };
}

const isStructural = (part: Structural | boolean | undefined): part is Structural => typeof part === "object";

/** A list of schemas does not count: only a single schema for all items is structural. */
export function isSchema(value: unknown): value is JSONSchemaProps {
  return isFields(value);
}

/** The structure of a field; undefined if it is not described. */
export function fieldOf(structural: Structural | undefined, name: string): Structural | undefined {
  const own = structural?.properties.get(name);
  if (own !== undefined) return own;
  const additional = structural?.additionalProperties;
  return typeof additional === "object" ? additional : undefined;
}

/** Sets a field of an object; its name may be `__proto__`. */
export function setField(object: Fields, { name, value }: { readonly name: string; readonly value: unknown }): void {
  if (name !== "__proto__") object[name] = value;
  else Object.defineProperty(object, name, { value, enumerable: true, configurable: true, writable: true });
}

/** The schemas inside a schema, structural and value validations, that `SchemaHas` of the real server walks. */
export function schemasIn(schema: JSONSchemaProps): JSONSchemaProps[] {
  const { items, additionalProperties: additional, not } = schema;
  return [
    ...(isSchema(items) ? [items] : (items ?? [])),
    ...(schema.allOf ?? []),
    ...(schema.anyOf ?? []),
    ...(schema.oneOf ?? []),
    ...(not === undefined ? [] : [not]),
    ...Object.values(schema.properties ?? {}),
    ...(typeof additional === "object" ? [additional] : []),
  ];
}
