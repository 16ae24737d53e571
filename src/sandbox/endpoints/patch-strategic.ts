/** Strategic merge patches: they change objects by the merge rules of their types. */
import { PatchError } from "../../api/patch.ts";
import { goMap } from "../../api/strategic-lists.ts";
import { strategicMerge, type MergeField, type MergeRules } from "../../api/strategic-merge.ts";
import { jsonNameOf } from "../meta/json.ts";
import { isFields, type ApiObject, type Fields } from "../meta/object.ts";
import { badRequest, refusal } from "../meta/refusal.ts";
import type { Schema, Shape, Struct } from "../../api/wire/schema.ts";
import type { RequestScope } from "../context/server.ts";
import { decoded, patchJson, refusedPatch } from "./patch-decoding.ts";

/** The object after the patch, which cannot change its kind and version. @throws StatusError 400, 422, 500. */
export function mergedInto(scope: RequestScope, shown: ApiObject): ApiObject {
  const { struct, kind } = scope.served;
  const strict: string[] = [];
  const json = patchJson(scope, (problem) => problem, strict).value ?? {};
  if (!isFields(json))
    throw badRequest(`json: cannot unmarshal ${jsonNameOf(json)} into Go value of type map[string]interface {}`);
  if (struct === undefined) throw badRequest(`strategic merge patches are not known for ${kind}`);
  const result = strategicallyMerged(shown, json, rulesOf(struct, scope.server.registry.schema));
  for (const key of ["kind", "apiVersion"]) {
    const type = result[key];
    if (typeof type === "number") {
      const go = Number.isInteger(type) ? "int64" : "float64";
      throw refusedPatch(goMap(json), `cannot convert ${go} to string`);
    }
    if (typeof type !== "string" && type !== undefined && type !== null)
      throw refusedPatch(goMap(json), "unrecognized type: string");
    delete result[key];
  }
  // The real server shows the patch if it merged objects, and the result if it merged JSON.
  return decoded(scope, result, {
    shown: () => goMap(json),
    applied: strict,
    patched: "objects",
  });
}

function strategicallyMerged(shown: ApiObject, json: Fields, rules: MergeRules): Fields {
  try {
    return strategicMerge(shown, json, rules);
  } catch (cause) {
    if (!(cause instanceof PatchError)) throw cause;
    switch (cause.problem) {
      case "malformed":
        throw badRequest(cause.message);
      case "unsupported":
        throw refusal(422, "Invalid", "the server rejected our request due to an error in our request", {});
      case "failed":
        throw refusal(500, "", cause.message);
    }
  }
}

const known = new WeakMap<Struct, MergeRules>();

/** The merge rules of a type, created once. */
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
          // The real server does not look through pointers, which could point to lists.
          isNoList: isNoList(field.shape) && field.empty !== "as-set",
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

function isNoList(shape: Shape): boolean {
  return shape.is === "map" || (shape.is === "scalar" && shape.scalar !== "bytes");
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
        isMap: true,
        field: () => ({
          merges: false,
          replaces: false,
          mergeKey: undefined,
          isNoList: isNoList(shape.of),
          rules: rulesOfShape(shape.of, schema),
        }),
      };
    case "open":
    case "scalar":
      return undefined;
  }
}
