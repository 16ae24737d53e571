/**
 * PATCH with an apply configuration: server-side apply. Creates missing objects.
 * Source: apiserver v0.36 endpoints/handlers/patch.go applyPatcher.
 */
import { decodeUnstructured, TypeProblem } from "../serialization/decode.ts";
import { jsonNameOf, noLiterals, readJson } from "../meta/json.ts";
import { isFields, type ApiObject, type Fields } from "../meta/object.ts";
import type { Steps } from "../meta/steps.ts";
import { badRequest, conflict, notFound, refusal } from "../meta/refusal.ts";
import { param } from "../options/list-options.ts";
import { checkWriteOptions } from "../options/write-options.ts";
import { applyConfiguration, configurationText, kindText } from "../managedfields/apply.ts";
import type { ManagedWrite } from "../managedfields/managed-fields.ts";
import type { RequestScope } from "../context/server.ts";
import { servedEntry, withConversions } from "../context/conversion.ts";
import { atStoredVersion } from "../registry/conversion/versions.ts";
import { fillDefaults } from "../registry/defaults.ts";
import { YamlProblem } from "../serialization/yaml/problems.ts";
import { inexactNumber, matchRequest } from "./body.ts";
import { refuseCreate } from "./create.ts";
import { checkUnmoved } from "./retry.ts";
import { updateObject, type UpdateResult } from "./update.ts";

/** The media type of an apply configuration; JSON is YAML too. */
export const applyType = "application/apply-patch+yaml";

/** @throws StatusError */
export function* applyObject(scope: RequestScope): Steps<UpdateResult> {
  checkWriteOptions(scope.query, "ApplyOptions");
  const old = yield* servedEntry(scope, scope.collection.get(scope.namespace, scope.name));
  if (old === undefined) {
    if (scope.subresource !== "") throw notFound(scope.resource.asResource, scope.name);
    refuseCreate(scope);
  }
  const { object, manage } = yield* withConversions(scope, (converting) => applied(converting, old?.object));
  if (old !== undefined) checkUnmoved(scope, old);
  const { uid = "" } = object.metadata;
  if (old === undefined && uid !== "") {
    const why = `uid mismatch: the provided object specified uid ${uid}, and no existing object was found`;
    throw conflict(scope.resource.asResource, scope.name, why);
  }
  matchRequest(scope, object);
  return yield* updateObject(scope, object, { checksUid: false, createsMissing: true, manage });
}

/** The result of an apply, and a function that sets its managed fields after defaulting. */
export interface AppliedWrite {
  /** At its storage version. */
  readonly object: ApiObject;
  readonly manage: (write: ManagedWrite) => void;
}

/** Applies the request's configuration to `live`, or to nothing. @throws StatusError 400, 409, 500. */
export function applied(scope: RequestScope, live: ApiObject | undefined): AppliedWrite {
  const { configuration, repeated } = sentConfiguration(scope);
  const { object, managedFields } = applyConfiguration(scope, { live, configuration });
  reportRepeated(scope, repeated);
  const manage = ({ object: written }: ManagedWrite): void => {
    if (managedFields === undefined) delete written.metadata.managedFields;
    else written.metadata.managedFields = managedFields;
  };
  if (object === undefined && live !== undefined)
    return { object: { ...live, metadata: { ...live.metadata } }, manage };
  return { object: atStoredVersion(decoded(scope, { merged: object ?? {}, configuration })), manage };
}

interface Sent {
  readonly configuration: Fields;
  /** Strict decoding errors about duplicate keys. */
  readonly repeated: readonly string[];
}

const jsonBody = /^\s*\{/;

/** The configuration in the body. JSON without duplicate keys, which most clients send, is parsed as JSON. @throws StatusError 400. */
function sentConfiguration(scope: RequestScope): Sent {
  const start = new TextDecoder().decode(scope.body.subarray(0, 64));
  const read = (jsonBody.test(start) ? fromJson(scope.body) : undefined) ?? fromYaml(scope);
  const { json, repeated } = read;
  if (json === null) return { configuration: {}, repeated };
  if (isFields(json)) return { configuration: json, repeated };
  throw badRequest(
    `error decoding YAML: error unmarshaling JSON: while decoding JSON: json: cannot unmarshal ${jsonNameOf(json)} into Go value of type map[string]interface {}`,
  );
}

interface Read {
  readonly json: unknown;
  readonly repeated: readonly string[];
}

/** Undefined if YAML could parse it differently. */
function fromJson(body: Uint8Array): Read | undefined {
  try {
    const { value, repeated, inexact } = readJson(body, (problem) => problem);
    if (repeated.length > 0) return undefined;
    if (inexact === undefined) return { json: value, repeated };
    throw new RangeError(inexact);
  } catch (cause) {
    if (cause instanceof RangeError) throw inexactNumber(cause.message);
    return undefined;
  }
}

function fromYaml(scope: RequestScope): Read {
  const { codec } = scope.server.yaml;
  if (codec === undefined) throw refusal(415, "UnsupportedMediaType", "415: Unsupported Media Type", {});
  try {
    return codec.read(scope.body);
  } catch (cause) {
    if (!(cause instanceof YamlProblem)) throw cause;
    throw badRequest(`error decoding YAML: error converting YAML to JSON: ${cause.message}`);
  }
}

/** Reports duplicate keys, after the configuration was checked. @throws StatusError 400 if they are rejected. */
function reportRepeated(scope: RequestScope, repeated: readonly string[]): void {
  const validation = param(scope.query, "fieldValidation") ?? "";
  if (repeated.length === 0 || validation === "Ignore") return;
  if (validation === "Strict") {
    const why = ["yaml: unmarshal errors:", ...repeated].join("\n  ");
    throw badRequest(`error strict decoding YAML: error converting YAML to JSON: ${why}`);
  }
  scope.warnings.push(...repeated);
}

/** The merge result, and the configuration, which messages name. */
interface Merged {
  readonly merged: Fields;
  readonly configuration: Fields;
}

/** Decodes the merge result as an object of the kind, with defaults. @throws StatusError 500, as the real server does, for a wrong type. */
function decoded(scope: RequestScope, { merged, configuration }: Merged): ApiObject {
  const { struct, kind, apiVersion, form } = scope.served;
  const { schema } = scope.server.registry;
  let value = merged;
  if (form !== undefined) {
    const read = form.read(merged, noLiterals);
    if ("problem" in read) throw badRequest(read.problem);
    ({ value } = read);
  } else if (struct !== undefined) {
    try {
      ({ value } = decodeUnstructured(merged, struct, schema));
    } catch (cause) {
      if (!(cause instanceof TypeProblem)) throw cause;
      const why = `unable to convert unstructured object to ${kindText(apiVersion, kind)}: ${cause.unstructured}`;
      const what = `failed to convert new object (${configurationText(configuration)}) to proper version`;
      throw refusal(500, "", `${what}: ${why}`);
    }
    fillDefaults(value, struct, schema);
  }
  const { metadata } = value;
  return { ...value, kind, apiVersion, metadata: isFields(metadata) ? metadata : {} };
}
