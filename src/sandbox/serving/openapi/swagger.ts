/**
 * `/openapi/v2`, derived from the version 3 documents. Parameters are inlined; the real server shares those that are used often. Source:
 * k8s.io/kube-openapi pkg/schemamutation, apiextensions-apiserver v0.36 pkg/controller/openapi/v2/conversion.go.
 */
import { contentHash } from "../../../platform/content-hash.ts";
import { isFields, type Fields } from "../../meta/object.ts";
import type { OpenApiData, OpenApiParameter } from "./data.ts";
import { builtInInfo, type OpenApiDocument, type Parts, securitySchemes } from "./document.ts";
import { consumed, type OperationObject, type PathItem, type RequestBody } from "./paths.ts";

/** One document about everything. */
export function swaggerOf(parts: readonly Parts[], data: OpenApiData): OpenApiDocument {
  const definitions: Record<string, unknown> = {};
  const paths: Record<string, unknown> = {};
  for (const { schemas, paths: some, ownNames } of parts) {
    for (const [name, schema] of Object.entries(schemas)) {
      if (ownNames.has(name)) definitions[name] = definitionOf(rootOf(schema));
      else definitions[name] ??= definitionOf(data.schemas[name] ?? schema);
    }
    for (const [path, item] of Object.entries(some)) paths[path] = pathItemOf(item);
  }
  const text = JSON.stringify({
    swagger: "2.0",
    info: builtInInfo,
    paths,
    definitions,
    securityDefinitions: securitySchemes,
    security: [{ BearerToken: [] }],
  });
  return { text, hash: contentHash(text) };
}

/** Version 2 has no defaults here, no `allOf` for a reference with other keywords, and no `oneOf`. */
function definitionOf(schema: Fields): Fields {
  const made: Fields = {};
  for (const [keyword, value] of Object.entries(schema)) {
    if (keyword === "default") continue;
    if (keyword === "allOf" && Array.isArray(value)) Object.assign(made, ...value.filter(isFields).map(definitionOf));
    else if (keyword === "oneOf") made["type"] = "string";
    else if (keyword === "$ref") made["$ref"] = String(value).replace("#/components/schemas/", "#/definitions/");
    else if (keyword === "properties" && isFields(value)) made[keyword] = ofEach(value, definitionOf);
    else if (isNested(keyword) && isFields(value)) made[keyword] = definitionOf(value);
    else made[keyword] = value;
  }
  return made;
}

const isNested = (keyword: string): boolean => keyword === "items" || keyword === "additionalProperties";

function ofEach(fields: Fields, change: (schema: Fields) => Fields): Fields {
  return Object.fromEntries(
    Object.entries(fields).map(([name, schema]) => [name, isFields(schema) ? change(schema) : schema]),
  );
}

/** A kind whose fields are all unknown becomes a plain object. */
function rootOf(schema: Fields): Fields {
  if (schema["x-kubernetes-preserve-unknown-fields"] !== true) return structuralOf(schema);
  return { type: "object", [kindsOf]: schema[kindsOf] };
}

const kindsOf = "x-kubernetes-group-version-kind";

/** Drops parts of a structural schema that kubectl cannot read in version 2. */
function structuralOf(schema: Fields): Fields {
  // References to metadata were added by the server, not the author.
  if (isReference(schema)) return schema;
  const { allOf: _all, oneOf: _one, anyOf: _any, not: _not, nullable, ...made } = schema;
  const keepsUnknown = made["x-kubernetes-preserve-unknown-fields"] === true;
  if (nullable === true) delete made["type"];
  if (nullable === true || keepsUnknown) {
    delete made["items"];
    delete made["properties"];
  }
  // Embedded resources have the fields of every object as required, which would make kubectl reject them.
  if (keepsUnknown && made["x-kubernetes-embedded-resource"] === true) delete made["required"];
  if (made["type"] === "array" && made["items"] === undefined) delete made["type"];
  if (made["type"] === "object" && keepsUnknown) delete made["type"];
  if (isFields(made["properties"])) withoutNullable(made, made["properties"]);
  const { additionalProperties: values } = made;
  if (isFields(values) && values["nullable"] === true) delete made["required"];
  for (const [keyword, value] of Object.entries(made)) {
    if (keyword === "properties" && isFields(value)) made[keyword] = ofEach(value, structuralOf);
    else if (isNested(keyword) && isFields(value)) made[keyword] = structuralOf(value);
  }
  return made;
}

function isReference({ $ref, allOf }: Fields): boolean {
  return $ref !== undefined || (Array.isArray(allOf) && isFields(allOf[0]) && allOf[0]["$ref"] !== undefined);
}

/** Removes nullable properties from `required`, in place. */
function withoutNullable(schema: Fields, properties: Fields): void {
  const { required } = schema;
  if (!Array.isArray(required)) return;
  const isNullable = (name: unknown): boolean => {
    const property = properties[String(name)];
    return isFields(property) && property["nullable"] === true;
  };
  const kept = required.filter((name) => !isNullable(name));
  if (kept.length === 0) delete schema["required"];
  else schema["required"] = kept;
}

function pathItemOf({ parameters, ...operations }: PathItem): object {
  const made = Object.entries(operations).map(([method, operation]) => [method, operationOf(operation)]);
  return {
    ...Object.fromEntries(made),
    ...(parameters === undefined ? {} : { parameters: parameters.map(parameterOf) }),
  };
}

function operationOf({ parameters = [], requestBody, responses, ...rest }: OperationObject): object {
  const body = requestBody === undefined ? [] : [bodyParameter(requestBody)];
  const all = [...body, ...parameters.map(parameterOf)];
  const produces = [...new Set(Object.values(responses).flatMap(({ content }) => Object.keys(content ?? {})))];
  const { [consumed]: declared = produces } = rest;
  const consumes = requestBody === undefined ? declared : Object.keys(requestBody.content);
  return {
    ...rest,
    ...(consumes === "undeclared" ? {} : { consumes }),
    produces,
    schemes: ["https"],
    ...(all.length === 0 ? {} : { parameters: all }),
    responses: Object.fromEntries(
      Object.entries(responses).map(([code, { description, content }]) => [
        code,
        content === undefined ? { description } : { description, schema: schemaIn(content) },
      ]),
    ),
  };
}

function parameterOf({ schema, ...rest }: OpenApiParameter): object {
  return { ...rest, ...schema };
}

function bodyParameter({ content, required }: RequestBody): object {
  return { name: "body", in: "body", ...(required === true && { required }), schema: schemaIn(content) };
}

/** The schema of the first media type: all have the same one. */
function schemaIn(content: Readonly<Record<string, { readonly schema: Fields }>>): Fields {
  const [first] = Object.values(content);
  return first === undefined ? {} : definitionOf(first.schema);
}
