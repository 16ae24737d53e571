/** The OpenAPI schemas of a custom resource. Source: apiextensions-apiserver v0.36 pkg/controller/openapi/builder/builder.go. */
import { isFields, textsIn, type Fields } from "../../../meta/object.ts";
import type { JSONSchemaProps } from "../schema/structural.ts";

/** A kind at one version. */
export interface PublishedKind {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  readonly listKind: string;
  readonly plural: string;
  readonly schema: JSONSchemaProps | undefined;
}

const conventions = "https://git.k8s.io/community/contributors/devel/sig-architecture/api-conventions.md";

const versionOfSchema = {
  type: "string",
  description: `APIVersion defines the versioned schema of this representation of an object. Servers should convert recognized schemas to the latest internal value, and may reject unrecognized values. More info: ${conventions}#resources`,
};
const kindOfSchema = {
  type: "string",
  description: `Kind is a string value representing the REST resource this object represents. Servers may infer this from the endpoint the client submits requests to. Cannot be updated. In CamelCase. More info: ${conventions}#types-kinds`,
};

const metaName = "io.k8s.apimachinery.pkg.apis.meta.v1";
const reference = (name: string, description: string): object => ({
  description,
  allOf: [{ $ref: `#/components/schemas/${name}` }],
});
const objectMeta = (): object =>
  reference(`${metaName}.ObjectMeta`, `Standard object's metadata. More info: ${conventions}#metadata`);

/** The schemas of a kind and of its list, by name. */
export function openApiOf(published: PublishedKind): readonly (readonly [name: string, schema: Fields])[] {
  const { group, version, kind, listKind, plural, schema } = published;
  const prefix = `${group.split(".").reverse().join(".")}.${version}`;
  const named = (of: string): object => ({ "x-kubernetes-group-version-kind": [{ group, version, kind: of }] });
  const own = schema === undefined ? { type: "object" } : withTypeMeta(schema);
  const list = {
    description: `${listKind} is a list of ${kind}`,
    type: "object",
    required: ["items"],
    properties: {
      apiVersion: versionOfSchema,
      kind: kindOfSchema,
      metadata: reference(`${metaName}.ListMeta`, `Standard list metadata. More info: ${conventions}#types-kinds`),
      items: {
        description: `List of ${plural}. More info: ${conventions}`,
        type: "array",
        items: { $ref: `#/components/schemas/${prefix}.${kind}` },
      },
    },
  };
  return [
    [`${prefix}.${kind}`, { ...own, ...named(kind) }],
    [`${prefix}.${listKind}`, { ...list, ...named(listKind) }],
  ];
}

function withTypeMeta(schema: JSONSchemaProps): Fields {
  const published = withEmbedded({ ...schema });
  const properties = isFields(published["properties"]) ? published["properties"] : {};
  return {
    ...published,
    properties: { ...properties, apiVersion: versionOfSchema, kind: kindOfSchema, metadata: objectMeta() },
  };
}

/** Embedded resources have the fields of every object. */
function withEmbedded(schema: Fields): Fields {
  const made: Fields = { ...schema };
  const { properties, items, additionalProperties: additional } = schema;
  if (isFields(properties))
    made["properties"] = Object.fromEntries(
      Object.entries(properties).map(([name, own]) => [name, isFields(own) ? withEmbedded(own) : own]),
    );
  if (isFields(items)) made["items"] = withEmbedded(items);
  if (isFields(additional)) made["additionalProperties"] = withEmbedded(additional);
  if (schema["x-kubernetes-embedded-resource"] !== true) return made;
  const required = textsIn(schema["required"]);
  const describe = (what: object, description: string): object => ({ ...what, description });
  return {
    ...made,
    properties: {
      ...(isFields(made["properties"]) ? made["properties"] : {}),
      apiVersion: describe(
        versionOfSchema,
        `apiVersion defines the versioned schema of this representation of an object. More info: ${conventions}#resources`,
      ),
      kind: describe(
        kindOfSchema,
        `kind is a string value representing the type of this object. In CamelCase. More info: ${conventions}#types-kinds`,
      ),
      metadata: objectMeta(),
    },
    required: [...required, ...["kind", "apiVersion"].filter((name) => !required.includes(name))],
  };
}
