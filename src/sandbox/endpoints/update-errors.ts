/** What is wrong with an update, in the real server's order. Source: apiserver v0.36 registry/rest/update.go BeforeUpdate. */
import type { FieldError } from "../meta/field-errors.ts";
import type { ApiObject } from "../meta/object.ts";
import type { Behaviour } from "../registry/strategy/kind-rules.ts";
import { finalizerNameErrors, metadataErrors, metadataUpdateErrors } from "../validation/metadata.ts";
import { specFinalizers } from "../registry/core/namespace.ts";
import type { RequestScope } from "../context/server.ts";

/** Of `object` in the place of `old`; which checks are made depends on the kind, and on the subresource of the request. */
export function updateErrors(
  { resource, served, subresource }: RequestScope,
  object: ApiObject,
  old: ApiObject,
): FieldError[] {
  const { rules } = resource.behaviour;
  const { namespaced, behaviour } = resource;
  const asNew = (rule: Pick<Behaviour, "nameRule">): FieldError[] => metadataErrors(object, namespaced, rule);
  // The real server looks twice: as for all kinds, and as for this one.
  const errors = [...asNew({ nameRule: "segment" }), ...metadataUpdateErrors(object, old)];
  const order = behaviour.metadataInUpdate;
  const asUpdate = order === "none" || order === "whole" ? [] : metadataUpdateErrors(object, old);
  if (subresource === "status") return [...errors, ...asUpdate, ...(rules.validateStatus?.(object, old) ?? [])];
  const { apiVersion } = served;
  const ofKind = rules.wholeUpdate === true ? [] : (rules.validate?.(object, apiVersion) ?? []);
  // A subresource of one part may change just what the object's own path may not.
  if (subresource === "finalize") return [...errors, ...asUpdate, ...finalizerErrors(object)];
  const part = rules.parts?.[subresource];
  if (part !== undefined)
    return [...errors, ...part.errors(object, old, [...asUpdate, ...asNew(behaviour), ...ofKind])];
  if (subresource !== "") return [...errors, ...asUpdate, ...ofKind];
  const changes = rules.validateUpdate?.(object, old, apiVersion) ?? [];
  switch (order) {
    case "whole":
      return [...errors, ...asNew(behaviour), ...ofKind, ...changes];
    case "whole first":
      return [...errors, ...asNew(behaviour), ...ofKind, ...asUpdate, ...changes];
    case "whole last": {
      const whole = [...asNew(behaviour), ...ofKind];
      return [
        ...errors,
        ...asUpdate,
        ...(rules.updateFirst === true ? [...changes, ...whole] : [...whole, ...changes]),
      ];
    }
    case "update":
    case "none":
      return [
        ...errors,
        ...asUpdate,
        ...(rules.updateFirst === true ? [...changes, ...ofKind] : [...ofKind, ...changes]),
      ];
  }
}

const finalizerErrors = (namespace: ApiObject): FieldError[] =>
  specFinalizers(namespace).flatMap((finalizer, index) =>
    finalizerNameErrors(String(finalizer), `spec.finalizers[${index}]`),
  );
