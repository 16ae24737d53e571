/** PATCH. Source: apiserver v0.36 endpoints/handlers/patch.go. */
import type { ApiObject } from "../meta/object.ts";
import type { Steps } from "../meta/steps.ts";
import { notFound, refusal, unsupportedMediaType } from "../meta/refusal.ts";
import { checkWriteOptions } from "../options/write-options.ts";
import type { RequestScope } from "../context/server.ts";
import { servedEntry } from "../context/conversion.ts";
import { atStoredVersion, atVersion } from "../registry/conversion/versions.ts";
import { applyObject, applyType } from "./apply.ts";
import { matchRequest } from "./body.ts";
import { mergedInto } from "./patch-strategic.ts";
import { patchedJson } from "./patch-json.ts";
import { checkUnmoved } from "./retry.ts";
import { updateObject, type UpdateResult } from "./update.ts";

const jsonPatchType = "application/json-patch+json";
const mergePatchType = "application/merge-patch+json";
const strategicType = "application/strategic-merge-patch+json";
const patchTypes = [jsonPatchType, mergePatchType, strategicType, applyType];

/** @throws StatusError */
export function* patch(scope: RequestScope): Steps<UpdateResult> {
  const media = patchTypeOf(scope);
  scope.audit?.sentBody(() => compact(scope.body));
  if (media === applyType) return yield* applyObject(scope);
  checkWriteOptions(scope.query, "PatchOptions");
  const old = yield* servedEntry(scope, scope.collection.get(scope.namespace, scope.name));
  if (old === undefined) throw notFound(scope.resource.asResource, scope.name);
  // The patch was made for the object that was read, even if a webhook has converted it meanwhile.
  checkUnmoved(scope, old);
  return yield* updateObject(scope, patchedBy(scope, media, old.object), { checksUid: false });
}

/** JSON without whitespace; `null` for anything else. */
function compact(body: Uint8Array): string {
  try {
    return JSON.stringify(JSON.parse(new TextDecoder().decode(body)));
  } catch {
    return "null";
  }
}

/** Matched literally: no upper case, and no space before parameters. @throws StatusError 415. */
export function patchTypeOf({ headers, resource }: RequestScope): string {
  const media = (headers["content-type"] ?? "").split(";")[0] ?? "";
  // Without Go types, there are no rules for merging lists.
  const taken = resource.form === undefined ? patchTypes : patchTypes.filter((type) => type !== strategicType);
  if (media === strategicType && !taken.includes(media)) throw unsupportedMediaType(taken);
  if (patchTypes.includes(media)) return media;
  if (patchTypes.includes(media.trim())) throw unsupportedMediaType(patchTypes);
  throw refusal(415, "UnsupportedMediaType", "415: Unsupported Media Type", {});
}

/** The object after the request's patch, at its storage version. @throws StatusError 400, 413, 422, 500. */
export function patchedBy(scope: RequestScope, media: string, current: ApiObject): ApiObject {
  const { struct, apiVersion, form } = scope.served;
  const shown =
    form === undefined ? atVersion(current, apiVersion, struct, scope.server.registry.schema) : form.convert(current);
  const object =
    media === strategicType
      ? mergedInto(scope, shown)
      : patchedJson(scope, shown, media === jsonPatchType ? "JSON patch" : "merge patch");
  matchRequest(scope, object);
  return atStoredVersion(object);
}
