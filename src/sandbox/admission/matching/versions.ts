/** Objects under admission at another version of their kind. Source: apiserver v0.36 admission/conversion.go. */
import type { RequestScope } from "../../context/server.ts";
import type { AdmissionAttributes, GroupVersionKind } from "../../context/attributes.ts";
import { atVersion } from "../../registry/conversion/versions.ts";
import { copyOf, type ApiObject } from "../../meta/object.ts";
import { convertedObject } from "../../context/conversion.ts";
import type { Steps } from "../../meta/steps.ts";
import { finished } from "../../serialization/decode.ts";

/** `apps/v1`, `v1`. */
export const apiVersionOf = ({ group, version }: Pick<GroupVersionKind, "group" | "version">): string =>
  group === "" ? version : `${group}/${version}`;

/** The kind to convert an object to. */
interface AtKind {
  readonly scope: RequestScope;
  readonly kind: GroupVersionKind;
}

/** A copy of an object as a client would receive it at a version of its kind, if no webhook is needed to convert it. */
function atKind(object: ApiObject, { scope, kind }: AtKind): ApiObject {
  const { registry } = scope.server;
  const apiVersion = apiVersionOf(kind);
  const resource = registry.ofKind(apiVersion, kind.kind);
  // A custom resource's Scale does not have the resource's form.
  const isWhole = object.kind === scope.resource.kind;
  if (resource?.form !== undefined && isWhole) return copyOf(resource.form.convert(object));
  const struct = resource?.struct ?? registry.schema.kind(apiVersion, kind.kind);
  const own = isWhole ? scope.resource.struct : struct;
  const whole = finished(copyOf(object), own, registry.schema);
  return isWhole ? atVersion(whole, apiVersion, struct, registry.schema) : whole;
}

/** The same for any object. @throws StatusError 500 if a webhook cannot convert it. */
function* convertedToKind(object: ApiObject, { scope, kind }: AtKind): Steps<ApiObject> {
  const apiVersion = apiVersionOf(kind);
  const form = scope.server.registry.ofKind(apiVersion, kind.kind)?.form;
  const isOther = object.kind === scope.resource.kind && object.apiVersion !== apiVersion;
  if (form?.conversionWebhook === undefined || !isOther) return atKind(object, { scope, kind });
  return copyOf(yield* convertedObject(scope.server, { form, object, apiVersion }));
}

/** The objects of an operation at a version of their kind. */
export interface VersionedObjects {
  readonly object: ApiObject | undefined;
  readonly old: ApiObject | undefined;
}

/** Copies of an operation's objects as a client would receive them. Waits only if a webhook converts. @throws StatusError 500 */
export function* versionedObjects(
  { scope, object, old }: AdmissionAttributes,
  kind: GroupVersionKind,
): Steps<VersionedObjects> {
  return {
    object: object === undefined ? undefined : yield* convertedToKind(object, { scope, kind }),
    old: old === undefined ? undefined : yield* convertedToKind(old, { scope, kind }),
  };
}
