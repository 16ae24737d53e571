/**
 * Containers that are added to a pod that runs, to look into it: by a subresource of their own, and for good.
 * Source: kubernetes v1.36 pkg/apis/core/validation/validation.go validateEphemeralContainers, ValidatePodEphemeralContainersUpdate.
 */
import { deepEqual } from "../../api/field-changes.ts";
import { duplicate, missing, notAllowed, type FieldError } from "../field-errors.ts";
import { fieldsIn, textOf, type Fields } from "../object.ts";
import { containerErrors } from "./container-validation.ts";
import type { PartRules } from "./kind-rules.ts";

const notForThem = "cannot be set for an Ephemeral Container";

/** What they may not have, in the order of the type's fields. */
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

/** Whether a field is more than its zero: `resources: {}` is none. */
function isSet(value: unknown): boolean {
  if (value === undefined || value === null) return false;
  return typeof value !== "object" || Object.keys(value).length > 0;
}

/** The ephemeral containers of a pod's spec; `volumes` are the names of its volumes. */
export function ephemeralContainerErrors(spec: Fields, volumes: ReadonlySet<string>, field: string): FieldError[] {
  const all = fieldsIn(spec["ephemeralContainers"]);
  if (all.length === 0) return [];
  const others = new Set([...fieldsIn(spec["containers"]), ...fieldsIn(spec["initContainers"])].map(nameOf));
  const names = new Set(others);
  return all.flatMap((container, index) => {
    const here = `${field}[${index}]`;
    const errors = containerErrors(container, volumes, here);
    const name = nameOf(container);
    if (names.has(name)) errors.push(duplicate(`${here}.name`, name));
    names.add(name);
    const target = textOf(container["targetContainerName"]);
    if (target !== "" && !others.has(target)) errors.push(missing(`${here}.targetContainerName`, target));
    for (const key of refusedFields) if (isSet(container[key])) errors.push(notAllowed(`${here}.${key}`, notForThem));
    for (const [at, mount] of fieldsIn(container["volumeMounts"]).entries()) {
      for (const key of ["subPath", "subPathExpr"]) {
        if (textOf(mount[key]) !== "") errors.push(notAllowed(`${here}.volumeMounts[${at}].${key}`, notForThem));
      }
    }
    return errors;
  });
}

const nameOf = ({ name }: Fields): string => textOf(name);

/** Containers that are there stay as they are. */
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
export const ephemeralContainersPart: PartRules = {
  spec({ spec }, old) {
    const { ephemeralContainers: _before, ...rest } = old.spec ?? {};
    const sent = spec?.["ephemeralContainers"];
    return sent === undefined ? rest : { ...rest, ephemeralContainers: sent };
  },
  errors(pod, old, whole) {
    if (old.metadata.annotations?.["kubernetes.io/config.mirror"] !== undefined)
      return [notAllowed("[]", "static pods do not support ephemeral containers")];
    const lists = [pod, old].map(({ spec }) => fieldsIn(spec?.["ephemeralContainers"])) as [Fields[], Fields[]];
    return [...whole, ...keptErrors(...lists)];
  },
};
