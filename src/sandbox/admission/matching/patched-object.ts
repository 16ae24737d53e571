/** Objects patched by a policy or a webhook: decoded again, defaulted, and written back in place. */
import { convertedObject } from "../../context/conversion.ts";
import { applyDefaults } from "../../context/defaults.ts";
import { readObject } from "../../context/object-reading.ts";
import type { AdmissionAttributes, GroupVersionKind } from "../../context/attributes.ts";
import type { RequestScope } from "../../context/server.ts";
import { atStoredVersion } from "../../registry/conversion/versions.ts";
import { noLiterals } from "../../meta/json.ts";
import { copyOf, isFields, textOf, type ApiObject, type Fields } from "../../meta/object.ts";
import { internal } from "../../meta/refusal.ts";
import type { Steps } from "../../meta/steps.ts";
import { apiVersionOf } from "./versions.ts";

/** A decoded object. */
export interface Decoded {
  readonly object: ApiObject;
  /** Strict decoding errors. */
  readonly strict: readonly string[];
}

/** A patched object, decoded as its kind, with defaults. @throws StatusError 500 */
export function decodedAs(
  json: Fields,
  { scope, kind }: { readonly scope: RequestScope; readonly kind: GroupVersionKind },
): Decoded {
  const { registry } = scope.server;
  const apiVersion = apiVersionOf(kind);
  const own = { kind: textOf(json["kind"]), apiVersion: textOf(json["apiVersion"]) };
  if (own.kind !== kind.kind || own.apiVersion !== apiVersion) {
    throw internal(
      `no kind "${own.kind}" is registered for version "${own.apiVersion}" in scheme "pkg/runtime/scheme.go:111"`,
    );
  }
  const resource = kind.kind === scope.served.kind ? registry.ofKind(apiVersion, kind.kind) : undefined;
  const struct = resource?.struct ?? registry.schema.kind(apiVersion, kind.kind);
  const reading = { form: resource?.form, struct, schema: registry.schema, literals: noLiterals };
  const read = readObject(reading, json);
  if ("problem" in read) throw internal(read.problem);
  const { metadata } = read.value;
  const object = { ...read.value, kind: kind.kind, apiVersion, metadata: isFields(metadata) ? metadata : {} };
  return { object, strict: read.strict };
}

/** The object in the form of plugins and storage, if no webhook is needed to convert it. */
function storedForm({ scope }: AdmissionAttributes, object: ApiObject): ApiObject {
  const copy = copyOf(object);
  if (object.kind !== scope.resource.kind) return copy;
  const { form } = scope.served;
  const stored = form === undefined ? atStoredVersion(copy) : form.convert(copy);
  applyDefaults(scope, stored);
  return stored;
}

/**
 * The object in the form of plugins and storage; waits if a webhook converts it from the version of the request. @throws StatusError 500
 */
export function* convertedBack(attributes: AdmissionAttributes, object: ApiObject): Steps<ApiObject> {
  const { server, resource, served } = attributes.scope;
  const { form, apiVersion } = served;
  const isOther = object.kind === resource.kind && object.apiVersion !== apiVersion;
  if (form?.conversionWebhook === undefined || !isOther) return storedForm(attributes, object);
  return storedForm(attributes, yield* convertedObject(server, { form, object, apiVersion }));
}

/** Replaces all fields of `object` with those of `other`. */
export function replaceContents(object: Fields, other: Fields): void {
  for (const key of Object.keys(object)) delete object[key];
  Object.assign(object, other);
}
