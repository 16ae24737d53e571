/** The object in the body of a request. */
import { jsonNameOf, readJson } from "../meta/json.ts";
import { copyOf, isFields, type ApiObject, type Fields } from "../meta/object.ts";
import { protobufType } from "../../api/wire/envelope.ts";
import { badRequest, unsupportedMediaType } from "../meta/refusal.ts";
import type { Struct } from "../../api/wire/schema.ts";
import type { RequestScope } from "../context/server.ts";
import { atStoredVersion, atVersion } from "../registry/conversion/versions.ts";
import { yamlType } from "../serialization/yaml/codec.ts";
import { YamlProblem } from "../serialization/yaml/problems.ts";
import { applyDefaults } from "../context/defaults.ts";
import { storedForm } from "./commit.ts";
import { readingOf, readObject } from "../context/object-reading.ts";
import { param } from "../options/list-options.ts";

const jsonTypes = ["application/json", "application/yaml", "application/vnd.kubernetes.protobuf"];

/** The content type without parameters, in lower case; default: JSON. */
export function mediaTypeOf(scope: RequestScope): string {
  const media = (scope.headers["content-type"] ?? "").split(";")[0]?.trim() ?? "";
  return media === "" ? "application/json" : media.toLowerCase();
}

/** The body as JSON. @throws StatusError 415 for an unknown media type, 400 if it cannot be parsed. */
export function bodyJson(scope: RequestScope, kind: string): unknown {
  const media = mediaTypeOf(scope);
  if (media === protobufType)
    return scope.server.readProtobuf(scope.body, { kind, apiVersion: scope.served.apiVersion });
  if (media === yamlType) {
    const why = (problem: string): string =>
      `the object provided is unrecognized (must be of type ${kind}): ${problem} (${excerpt(scope.body)})`;
    return yamlJson(scope, why);
  }
  if (media !== "application/json") throw unsupportedMediaType(jsonTypes);
  return strictJson(
    scope,
    (problem) =>
      `the object provided is unrecognized (must be of type ${kind}): couldn't get version/kind; json parse error: ${problem} (${excerpt(scope.body)})`,
  );
}

/** A body in JSON; duplicate keys are strict decoding errors. @throws StatusError 400. */
function strictJson(scope: RequestScope, wrap: (problem: string) => string): unknown {
  const { value, repeated, inexact, literals } = readJson(scope.body, wrap);
  if (inexact !== undefined) throw inexactNumber(inexact);
  scope.strict.push(...repeated);
  for (const [path, literal] of literals) scope.literals.set(path, literal);
  return value;
}

/** The error for an integer that a JavaScript number cannot represent exactly. */
export function inexactNumber(number: string): Error {
  return badRequest(
    `the number ${number} is not served by this sandbox: it keeps whole numbers up to ${Number.MAX_SAFE_INTEGER} exactly`,
  );
}

/** A body in YAML, as JSON; duplicate keys are strict decoding errors. @throws StatusError 400. */
export function yamlJson(scope: RequestScope, wrap: (problem: string) => string): unknown {
  const { codec } = scope.server.yaml;
  if (codec === undefined) throw unsupportedMediaType(jsonTypes);
  try {
    const { json, repeated } = codec.read(scope.body);
    scope.strict.push(...repeated);
    return json ?? {};
  } catch (cause) {
    if (!(cause instanceof YamlProblem)) throw cause;
    throw badRequest(wrap(cause.message));
  }
}

const excerptBytes = 30;

/** The beginning of a body, as text if it may be an object. */
function excerpt(body: Uint8Array): string {
  if (body.length === 0) return "<empty>";
  const start = body.subarray(0, excerptBytes);
  const text =
    start[0] === 0x7b
      ? new TextDecoder().decode(start)
      : Array.from(start, (b) => b.toString(16).padStart(2, "0")).join("");
  return body.length > excerptBytes ? `${text} ...` : text;
}

/**
 * Reports problems with an object's fields according to `fieldValidation`: rejects (Strict), warns (Warn, the default), or ignores them
 * (Ignore). @throws StatusError 400.
 */
export function reportStrict(scope: RequestScope, problems: readonly string[], what: string): void {
  const { strict } = scope;
  const validation = param(scope.query, "fieldValidation") ?? "";
  if (validation === "Ignore" || problems.length + strict.length === 0) return;
  if (validation === "Strict") {
    const isYaml = mediaTypeOf(scope) === yamlType;
    const first = isYaml && strict.length > 0 ? [["yaml: unmarshal errors:", ...strict].join("\n  ")] : strict;
    throw badRequest(`${what}: strict decoding error: ${[...first, ...problems].join(", ")}`);
  }
  scope.warnings.push(...strict, ...problems);
}

/** The object in the body, at its storage version. @throws StatusError 400, 415. */
export function sentObject(scope: RequestScope): ApiObject {
  const { kind, apiVersion, struct } = scope.served;
  const object = atStoredVersion(objectOf(scope, bodyJson(scope, kind), kind, apiVersion, struct));
  scope.audit?.sent(object.metadata, () => JSON.stringify(asSent(scope, object)));
  return object;
}

/** The object for the audit log: with defaults, at the version of the request. */
function asSent(scope: RequestScope, object: ApiObject): ApiObject {
  const { apiVersion, struct, form } = scope.served;
  const copy = copyOf(object);
  if (form !== undefined) return copy;
  applyDefaults(scope, copy);
  return atVersion(storedForm(scope, copy), apiVersion, struct, scope.server.registry.schema);
}

/** Decodes plain JSON as an object of a kind. @throws StatusError 400 for another kind or a wrong type. */
export function objectOf(
  scope: RequestScope,
  json: unknown,
  kind: string,
  apiVersion: string,
  struct: Struct | undefined,
): ApiObject {
  json ??= {};
  if (!isFields(json)) {
    throw badRequest(
      `the object provided is unrecognized (must be of type ${kind}): ${noVersionAndKind(json)} (${excerpt(scope.body)})`,
    );
  }
  for (const key of ["kind", "apiVersion"]) {
    const value = json[key];
    if (value === undefined || value === null || typeof value === "string") continue;
    throw badRequest(
      `the object provided is unrecognized (must be of type ${kind}): couldn't get version/kind; json parse error: json: cannot unmarshal ${jsonNameOf(value)} into Go struct field .${key} of type string (${excerpt(scope.body)})`,
    );
  }
  // Without a Go type, the kind must be in the object itself.
  if (scope.served.form !== undefined && textOr(json["kind"], "") === "") {
    const text = new TextDecoder().decode(scope.body);
    throw badRequest(
      `the object provided is unrecognized (must be of type ${kind}): Object 'Kind' is missing in '${text}' (${excerpt(scope.body)})`,
    );
  }
  const own = { kind: textOr(json["kind"], kind), apiVersion: textOr(json["apiVersion"], apiVersion) };
  if (own.kind !== kind || own.apiVersion !== apiVersion)
    throw scope.served.form?.anotherKind(own, json) ?? anotherKind(scope, own, kind, apiVersion);
  const object = decoded(scope, json, struct, kind);
  const metadata = isFields(object["metadata"]) ? object["metadata"] : {};
  return { ...object, kind, apiVersion, metadata };
}

/** Go's message for JSON that is not an object, so has no kind. */
export function noVersionAndKind(json: unknown): string {
  return `couldn't get version/kind; json parse error: json: cannot unmarshal ${jsonNameOf(json)} into Go value of type struct { APIVersion string "json:\\"apiVersion,omitempty\\""; Kind string "json:\\"kind,omitempty\\"" }`;
}

/**
 * Checks that the object matches the path, and sets its namespace. Source: apiserver v0.36 endpoints/handlers/rest.go checkName. @throws
 * StatusError 400.
 */
export function matchRequest(scope: RequestScope, { metadata }: ApiObject): void {
  matchNamespace(scope, metadata);
  const name = metadata.name ?? "";
  if (name === "") {
    throw badRequest(`the name of the object (${scope.name} based on URL) was undeterminable: name must be provided`);
  }
  if (name === scope.name) return;
  throw badRequest(`the name of the object (${name}) does not match the name on the URL (${scope.name})`);
}

/** Sets the namespace of the request; the object's must be the same or unset. @throws StatusError 400. */
export function matchNamespace({ resource, namespace }: RequestScope, metadata: ApiObject["metadata"]): void {
  if (!resource.namespaced) {
    delete metadata.namespace;
    return;
  }
  if ((metadata.namespace ?? "") !== "" && metadata.namespace !== namespace)
    throw badRequest("the namespace of the provided object does not match the namespace sent on the request");
  metadata.namespace = namespace;
}

function textOr(value: unknown, otherwise: string): string {
  return typeof value === "string" && value !== "" ? value : otherwise;
}

function decoded(scope: RequestScope, json: Fields, struct: Struct | undefined, kind: string): Fields {
  const what = `${kind} in version "${scope.served.version}" cannot be handled as a ${kind}`;
  const read = readObject({ ...readingOf(scope), struct, literals: scope.literals }, json);
  if ("problem" in read) throw badRequest(`${what}: ${read.problem}`);
  reportStrict(scope, read.strict, what);
  return read.value;
}

function anotherKind(
  scope: RequestScope,
  own: { kind: string; apiVersion: string },
  kind: string,
  apiVersion: string,
): Error {
  const version = own.apiVersion.split("/").at(-1) ?? "";
  if (scope.server.registry.ofKind(own.apiVersion, own.kind) === undefined) {
    return badRequest(
      `${own.kind} in version ${JSON.stringify(version)} cannot be handled as a ${kind}: no kind "${own.kind}" is registered for version "${own.apiVersion}" in scheme "pkg/runtime/scheme.go:111"`,
    );
  }
  if (own.kind === kind) {
    return badRequest(
      `the API version in the data (${own.apiVersion}) does not match the expected API version (${apiVersion})`,
    );
  }
  const group = scope.served.group === "" ? "core" : (scope.served.group.split(".")[0] ?? "");
  return badRequest(
    `${own.kind} in version "${version}" cannot be handled as a ${kind}: converting (v1.${own.kind}) to (${group}.${kind}): unknown conversion`,
  );
}
