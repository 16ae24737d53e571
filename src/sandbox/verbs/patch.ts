/** PATCH. Source: apiserver v0.36 endpoints/handlers/patch.go. */
import { jsonPatch, mergePatch, PatchError } from "../../api/patch.ts";
import { goMap, strategicMerge, type MergeField, type MergeRules } from "../../api/strategic-merge.ts";
import { decodeFields, jsonOf, TypeProblem } from "../decode.ts";
import { invalid, invalidObject } from "../field-errors.ts";
import { copyOf, isFields, type ApiObject, type Fields } from "../object.ts";
import { badRequest, notFound, refusal } from "../refusal.ts";
import { fillDefaults } from "../registry/defaults.ts";
import type { Schema, Shape, Struct } from "../registry/schema.ts";
import { checkWriteOptions } from "../options.ts";
import type { Call } from "../server.ts";
import { param } from "../list-options.ts";
import { atStoredVersion, atVersion } from "../versions/versions.ts";
import { jsonNameOf, mediaTypeOf } from "./body.ts";
import { store, type Updated } from "./update.ts";

const patchTypes = [
  "application/json-patch+json",
  "application/merge-patch+json",
  "application/strategic-merge-patch+json",
  "application/apply-patch+yaml",
  "application/apply-patch+cbor",
];

const maxOperations = 10_000;

/** @throws StatusError */
export function patch(call: Call): Updated {
  const media = mediaTypeOf(call);
  // Its options are others: `force` is one of them.
  if (media === "application/apply-patch+yaml" || media === "application/apply-patch+cbor") {
    throw refusal(
      415,
      "UnsupportedMediaType",
      "server-side apply is not served by this sandbox yet: leave --server-side away, or use another patch",
    );
  }
  checkWriteOptions(call.query, "PatchOptions");
  if (!patchTypes.includes(media)) throw refusal(415, "UnsupportedMediaType", "415: Unsupported Media Type", {});
  const json = patchJson(call, media);
  const old = call.collection.get(call.namespace, call.name);
  if (old === undefined) throw notFound(call.resource.asResource, call.name);
  if (media === "application/strategic-merge-patch+json" && !isFields(json))
    throw badRequest(`json: cannot unmarshal ${jsonNameOf(json)} into Go value of type map[string]interface {}`);
  return store(call, patched(call, media, old.object, json), false);
}

function patchJson(call: Call, media: string): unknown {
  const strategic = media === "application/strategic-merge-patch+json";
  const json = jsonOf(call.body, (problem) => (strategic ? problem : `error decoding patch: ${problem}`));
  if (media === "application/json-patch+json" && Array.isArray(json) && json.length > maxOperations) {
    throw refusal(
      413,
      "RequestEntityTooLarge",
      `Request entity too large: The allowed maximum operations in a JSON patch is ${maxOperations}, got ${json.length}`,
    );
  }
  return json;
}

/** The object as the patch leaves it, decoded again. @throws StatusError 400, 422. */
export function patched(call: Call, media: string, current: ApiObject, json: unknown): ApiObject {
  const { struct, apiVersion } = call.served;
  const shown = atVersion(current, apiVersion, struct, call.server.catalogue.schema);
  const result = applied(call, media, shown, json);
  if (!isFields(result)) throw badRequest("the patched object is no object");
  if (result["kind"] !== shown.kind || result["apiVersion"] !== shown.apiVersion) {
    throw refusedPatch(JSON.stringify(result), "the kind and apiVersion of an object cannot be patched");
  }
  const decoded = struct === undefined ? result : decodePatched(call, media, result, json, struct);
  const { metadata } = decoded;
  const object = { ...decoded, metadata: isFields(metadata) ? metadata : {} } as ApiObject;
  checkIdentity(call, object);
  return atStoredVersion(object);
}

function applied(call: Call, media: string, current: ApiObject, json: unknown): unknown {
  const { struct, kind } = call.served;
  try {
    switch (media) {
      case "application/json-patch+json":
        if (!Array.isArray(json)) {
          throw badRequest(
            `error decoding patch: json: cannot unmarshal ${jsonNameOf(json)} into Go value of type []handlers.jsonPatchOp`,
          );
        }
        return jsonPatch(current, json);
      case "application/merge-patch+json":
        if (!isFields(json))
          throw badRequest(
            `error decoding patch: json: cannot unmarshal ${jsonNameOf(json)} into Go value of type map[string]interface {}`,
          );
        return mergePatch(copyOf(current), json);
      default:
        if (struct === undefined) throw badRequest(`strategic merge patches are not known for ${kind}`);
        return strategicMerge(current, json, rulesOf(struct, call.server.catalogue.schema));
    }
  } catch (cause) {
    if (!(cause instanceof PatchError)) throw cause;
    if (cause.problem === "malformed") throw badRequest(cause.message);
    if (media === "application/json-patch+json") {
      throw refusal(422, "Invalid", "the server rejected our request due to an error in our request", {});
    }
    throw refusal(500, "", cause.message);
  }
}

/** A patch whose result is no object of the kind. */
function refusedPatch(shown: string, why: string): Error {
  return invalidObject({ group: "", name: "" }, "", [invalid("patch", shown, why)]);
}

function decodePatched(call: Call, media: string, result: Fields, json: unknown, struct: Struct): Fields {
  const strategic = media === "application/strategic-merge-patch+json";
  // The real server shows the patch where it merged objects, and the result where it merged JSON.
  const shown = (): string => (strategic ? goMap(json) : JSON.stringify(result));
  try {
    const { value, strict } = decodeFields(result, struct, call.server.catalogue.schema);
    const validation = param(call.query, "fieldValidation") ?? "";
    if (strict.length > 0 && validation === "Strict") {
      throw refusedPatch(shown(), `strict decoding error: ${strict.join(", ")}`);
    }
    if (validation !== "Ignore") call.warnings.push(...strict);
    fillDefaults(value, struct, call.server.catalogue.schema);
    return value;
  } catch (cause) {
    if (!(cause instanceof TypeProblem)) throw cause;
    throw refusedPatch(shown(), strategic ? cause.unstructured : cause.message);
  }
}

function checkIdentity(call: Call, { metadata }: ApiObject): void {
  if (call.resource.namespaced && metadata.namespace !== call.namespace) {
    throw badRequest("the namespace of the provided object does not match the namespace sent on the request");
  }
  if (metadata.name !== call.name) {
    throw badRequest(
      `the name of the object (${metadata.name ?? ""}) does not match the name on the URL (${call.name})`,
    );
  }
}

const known = new WeakMap<Struct, MergeRules>();

/** The merge rules of a type, made once. */
export function rulesOf(struct: Struct, schema: Schema): MergeRules {
  let rules = known.get(struct);
  if (rules === undefined) {
    const ready = new Map<string, MergeField>();
    rules = {
      name: struct.name,
      field(key) {
        const there = ready.get(key);
        if (there !== undefined) return there;
        const field = struct.fields.get(key);
        if (field === undefined) return undefined;
        const made: MergeField = {
          merges: field.merges,
          replaces: field.replaces,
          retainsKeys: field.retainsKeys,
          mergeKey: field.mergeKey,
          rules: rulesOfShape(field.shape, schema),
        };
        ready.set(key, made);
        return made;
      },
    };
    known.set(struct, rules);
  }
  return rules;
}

function rulesOfShape(shape: Shape, schema: Schema): MergeRules | undefined {
  switch (shape.is) {
    case "struct":
      return rulesOf(schema.struct(shape.name), schema);
    case "list":
      return rulesOfShape(shape.of, schema);
    case "map":
      return {
        name: "map",
        field: () => ({ merges: false, replaces: false, mergeKey: undefined, rules: rulesOfShape(shape.of, schema) }),
      };
    case "open":
    case "scalar":
      return undefined;
  }
}
