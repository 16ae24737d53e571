/**
 * Ephemeral containers: added to a running pod for debugging, by a subresource, and never removed.
 * Source: kubernetes v1.36 pkg/apis/core/validation/validation.go validateEphemeralContainers, ValidatePodEphemeralContainersUpdate.
 */
import { mirrorAnnotation } from "../profiles/profile-annotations.ts";
import { deepEqual } from "../../../../../api/field-changes.ts";
import { duplicate, missing, notAllowed, type FieldError } from "../../../../meta/field-errors.ts";
import { isNil } from "../../../../meta/canonical.ts";
import { fieldsIn, isFields, textOf, type Fields } from "../../../../meta/object.ts";
import { eachErrors } from "../../../../validation/checks.ts";
import type { UpdateStrategy } from "../../../strategy/rest-strategy.ts";
import { stepsUnless } from "./subresource-steps.ts";
import { containerErrors } from "./containers.ts";
import { imageSpaceErrors } from "./image-space.ts";
import type { PartErrors } from "./scope.ts";

const notForThem = "cannot be set for an Ephemeral Container";

/** Fields that they may not have, in the order of the type's fields. */
const refusedFields = [
  "ports",
  "resources",
  "resizePolicy",
  "restartPolicy",
  "restartPolicyRules",
  "livenessProbe",
  "readinessProbe",
  "startupProbe",
  "lifecycle",
] as const;

/** `resources` is always present; it counts as set only if it is not empty. */
function isSet(container: Fields, key: string): boolean {
  const value = container[key];
  return key === "resources" ? isFields(value) && Object.keys(value).length > 0 : !isNil(container, key);
}

/** Subpaths are not allowed. */
const subPathErrors = (mount: Fields, field: string): FieldError[] =>
  ["subPath", "subPathExpr"].flatMap((key) =>
    textOf(mount[key]) === "" ? [] : [notAllowed(`${field}.${key}`, notForThem)],
  );

/** Validates the ephemeral containers of a pod's spec. */
export const ephemeralContainersErrors: PartErrors = (list, field, scope) => {
  const { spec } = scope;
  const others = new Set([...fieldsIn(spec["containers"]), ...fieldsIn(spec["initContainers"])].map(nameOf));
  const names = new Set(others);
  return eachErrors(fieldsIn(list), field, (container, here) => {
    const errors = [...containerErrors(container, here, scope), ...imageSpaceErrors(container, here)];
    const name = nameOf(container);
    if (names.has(name)) errors.push(duplicate(`${here}.name`, name));
    names.add(name);
    const target = textOf(container["targetContainerName"]);
    if (target !== "" && !others.has(target)) errors.push(missing(`${here}.targetContainerName`, target));
    for (const key of refusedFields) if (isSet(container, key)) errors.push(notAllowed(`${here}.${key}`, notForThem));
    return [...errors, ...eachErrors(fieldsIn(container["volumeMounts"]), `${here}.volumeMounts`, subPathErrors)];
  });
};

const nameOf = ({ name }: Fields): string => textOf(name);

/** Existing containers must not change. */
function keptErrors(now: readonly Fields[], before: readonly Fields[]): FieldError[] {
  const field = "spec.ephemeralContainers";
  return before.flatMap((old) => {
    const quoted = JSON.stringify(nameOf(old));
    const kept = now.findLast((container) => nameOf(container) === nameOf(old));
    if (kept === undefined) return [notAllowed(field, `existing ephemeral containers ${quoted} may not be removed\n`)];
    if (deepEqual(kept, old)) return [];
    return [notAllowed(field, `existing ephemeral containers ${quoted} may not be changed\n`)];
  });
}

/** `pods/ephemeralcontainers`. */
export const ephemeralContainersStrategy: UpdateStrategy = {
  updatedSpec({ spec }, old) {
    const { ephemeralContainers: _before, ...rest } = old.spec ?? {};
    const sent = spec?.["ephemeralContainers"];
    return sent === undefined ? rest : { ...rest, ephemeralContainers: sent };
  },
  updateSteps: stepsUnless(({ metadata }) =>
    metadata.annotations?.[mirrorAnnotation] === undefined
      ? []
      : [notAllowed("[]", "static pods do not support ephemeral containers")],
  ),
  validateUpdate: (pod, old) =>
    keptErrors(fieldsIn(pod.spec?.["ephemeralContainers"]), fieldsIn(old.spec?.["ephemeralContainers"])),
};
