/** The object that a request carries, decoded as its kind. */
import { decodeFields, TypeProblem } from "../serialization/decode.ts";
import { jsonNameOf, readJson } from "../meta/json.ts";
import { isFields, type ApiObject, type Fields } from "../meta/object.ts";
import { protobufType } from "../serialization/protobuf-body.ts";
import { badRequest, unsupportedMediaType } from "../meta/refusal.ts";
import type { Struct } from "../../api/wire/schema.ts";
import type { Call } from "../context/server.ts";
import { atStoredVersion } from "../conversion/versions.ts";
import { yamlType } from "../serialization/yaml/codec.ts";
import { YamlProblem } from "../serialization/yaml/problems.ts";
import { fillDefaults } from "../registry/defaults.ts";
import { param } from "../options/list-options.ts";

const jsonTypes = ["application/json", "application/yaml", "application/vnd.kubernetes.protobuf"];

/** The content type without its parameters, in small letters; JSON where none is said. */
export function mediaTypeOf(call: Call): string {
  const media = (call.headers["content-type"] ?? "").split(";")[0]?.trim() ?? "";
  return media === "" ? "application/json" : media.toLowerCase();
}

/** What a body says, as JSON. @throws StatusError 415 for a type that nobody reads, 400 for what cannot be read. */
export function bodyJson(call: Call, kind: string): unknown {
  const media = mediaTypeOf(call);
  if (media === protobufType) return call.server.readProtobuf(call.body, { kind, apiVersion: call.served.apiVersion });
  if (media === yamlType) {
    const why = (problem: string): string =>
      `the object provided is unrecognized (must be of type ${kind}): ${problem} (${excerpt(call.body)})`;
    return yamlJson(call, why);
  }
  if (media !== "application/json") throw unsupportedMediaType(jsonTypes);
  return strictJson(
    call,
    (problem) =>
      `the object provided is unrecognized (must be of type ${kind}): couldn't get version/kind; json parse error: ${problem} (${excerpt(call.body)})`,
  );
}

/** What a body in JSON says; keys that stand twice go to the strict errors. @throws StatusError 400. */
export function strictJson(call: Call, wrap: (problem: string) => string): unknown {
  const { value, repeated, inexact, literals } = readJson(call.body, wrap);
  if (inexact !== undefined) throw inexactNumber(inexact);
  call.strict.push(...repeated);
  for (const [path, literal] of literals) call.literals.set(path, literal);
  return value;
}

/** A whole number that would become another one here: it is refused before it is changed. */
export function inexactNumber(number: string): Error {
  return badRequest(
    `the number ${number} is not served by this sandbox: it keeps whole numbers up to ${Number.MAX_SAFE_INTEGER} exactly`,
  );
}

/** What a body in YAML says, as JSON; keys that stand twice go to the strict errors. @throws StatusError 400. */
export function yamlJson(call: Call, wrap: (problem: string) => string): unknown {
  const { codec } = call.server.yaml;
  if (codec === undefined) throw unsupportedMediaType(jsonTypes);
  try {
    const { json, repeated } = codec.read(call.body);
    call.strict.push(...repeated);
    return json ?? {};
  } catch (cause) {
    if (!(cause instanceof YamlProblem)) throw cause;
    throw badRequest(wrap(cause.message));
  }
}

const excerptBytes = 30;

/** The beginning of a body, as text where it may be an object. */
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
 * Says what is wrong with an object's fields as the request asks for it: refuses (Strict), warns (Warn, the default), or says
 * nothing (Ignore). @throws StatusError 400.
 */
export function reportStrict(call: Call, problems: readonly string[], what: string): void {
  const { strict } = call;
  const validation = param(call.query, "fieldValidation") ?? "";
  if (validation === "Ignore" || problems.length + strict.length === 0) return;
  if (validation === "Strict") {
    const isYaml = mediaTypeOf(call) === yamlType;
    const first = isYaml && strict.length > 0 ? [["yaml: unmarshal errors:", ...strict].join("\n  ")] : strict;
    throw badRequest(`${what}: strict decoding error: ${[...first, ...problems].join(", ")}`);
  }
  call.warnings.push(...strict, ...problems);
}

/** The object that a request carries, at the version at which it is stored. @throws StatusError 400, 415. */
export function sentObject(call: Call): ApiObject {
  const { kind, apiVersion, struct } = call.served;
  return atStoredVersion(objectOf(call, bodyJson(call, kind), kind, apiVersion, struct));
}

/** Decodes plain JSON as an object of a kind. @throws StatusError 400 for another kind or a wrong type. */
export function objectOf(
  call: Call,
  json: unknown,
  kind: string,
  apiVersion: string,
  struct: Struct | undefined,
): ApiObject {
  json ??= {};
  if (!isFields(json)) {
    throw badRequest(
      `the object provided is unrecognized (must be of type ${kind}): ${noVersionAndKind(json)} (${excerpt(call.body)})`,
    );
  }
  for (const key of ["kind", "apiVersion"]) {
    const value = json[key];
    if (value === undefined || value === null || typeof value === "string") continue;
    throw badRequest(
      `the object provided is unrecognized (must be of type ${kind}): couldn't get version/kind; json parse error: json: cannot unmarshal ${jsonNameOf(value)} into Go struct field .${key} of type string (${excerpt(call.body)})`,
    );
  }
  const own = { kind: textOr(json["kind"], kind), apiVersion: textOr(json["apiVersion"], apiVersion) };
  if (own.kind !== kind || own.apiVersion !== apiVersion) throw anotherKind(call, own, kind, apiVersion);
  const object = struct === undefined ? json : decoded(call, json, struct, kind);
  const metadata = isFields(object["metadata"]) ? object["metadata"] : {};
  return { ...object, kind, apiVersion, metadata };
}

/** What Go says of JSON that is no object and so has no kind. */
export function noVersionAndKind(json: unknown): string {
  return `couldn't get version/kind; json parse error: json: cannot unmarshal ${jsonNameOf(json)} into Go value of type struct { APIVersion string "json:\\"apiVersion,omitempty\\""; Kind string "json:\\"kind,omitempty\\"" }`;
}

/** That an object is the one that the path names; sets its namespace. Source: apiserver v0.36 endpoints/handlers/rest.go checkName. @throws StatusError 400. */
export function matchRequest(call: Call, { metadata }: ApiObject): void {
  matchNamespace(call, metadata);
  const name = metadata.name ?? "";
  if (name === "") {
    throw badRequest(`the name of the object (${call.name} based on URL) was undeterminable: name must be provided`);
  }
  if (name === call.name) return;
  throw badRequest(`the name of the object (${name}) does not match the name on the URL (${call.name})`);
}

/** An object is of the request's namespace, or of none where there is none. @throws StatusError 400. */
export function matchNamespace({ resource, namespace }: Call, metadata: ApiObject["metadata"]): void {
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

function decoded(call: Call, json: Fields, struct: Struct, kind: string): Fields {
  const { schema } = call.server.catalogue;
  try {
    const { value, strict } = decodeFields(json, struct, schema, call.literals);
    reportStrict(call, strict, `${kind} in version "${call.served.version}" cannot be handled as a ${kind}`);
    fillDefaults(value, struct, schema);
    return value;
  } catch (cause) {
    if (!(cause instanceof TypeProblem)) throw cause;
    throw badRequest(`${kind} in version "${call.served.version}" cannot be handled as a ${kind}: ${cause.message}`);
  }
}

function anotherKind(call: Call, own: { kind: string; apiVersion: string }, kind: string, apiVersion: string): Error {
  const version = own.apiVersion.split("/").at(-1) ?? "";
  if (call.server.catalogue.ofKind(own.apiVersion, own.kind) === undefined) {
    return badRequest(
      `${own.kind} in version ${JSON.stringify(version)} cannot be handled as a ${kind}: no kind "${own.kind}" is registered for version "${own.apiVersion}" in scheme "pkg/runtime/scheme.go:111"`,
    );
  }
  if (own.kind === kind) {
    return badRequest(
      `the API version in the data (${own.apiVersion}) does not match the expected API version (${apiVersion})`,
    );
  }
  const group = call.served.group === "" ? "core" : (call.served.group.split(".")[0] ?? "");
  return badRequest(
    `${own.kind} in version "${version}" cannot be handled as a ${kind}: converting (v1.${own.kind}) to (${group}.${kind}): unknown conversion`,
  );
}
