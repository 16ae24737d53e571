/** The volumes of a pod. Source: kubernetes v1.36 pkg/apis/core/validation/validation.go ValidateVolumes. */
import { duplicate, invalid, type FieldError } from "../../../../meta/field-errors.ts";
import { at, fieldsIn, isFields, textOf, type Fields, type Meta } from "../../../../meta/object.ts";
import { labelNameErrors, neededErrors } from "../../../../validation/checks.ts";
import type { PartErrors } from "./scope.ts";
import { volumeSourceErrors } from "./volume-sources.ts";

interface Looked {
  readonly volume: Fields;
  readonly field: string;
  readonly errors: readonly FieldError[];
}

/** The volumes with their errors; a name is taken by the first valid volume. */
function lookedAt(volumes: unknown, field: string, meta: Meta | undefined): Looked[] {
  const taken = new Set<string>();
  return fieldsIn(volumes).map((volume, index) => {
    const here = `${field}[${index}]`;
    const name = textOf(volume["name"]);
    const errors = [
      ...volumeSourceErrors(volume, here, { meta }),
      ...neededErrors(name, `${here}.name`, labelNameErrors),
      ...(taken.has(name) ? [duplicate(`${here}.name`, name)] : []),
    ];
    if (errors.length === 0) taken.add(name);
    return { volume, field: here, errors };
  });
}

/** The valid volumes, by name. */
export function usableVolumes(volumes: unknown, meta: Meta | undefined): ReadonlyMap<string, Fields> {
  const right = lookedAt(volumes, "", meta).filter(({ errors }) => errors.length === 0);
  return new Map(right.map(({ volume }) => [textOf(volume["name"]), volume]));
}

/** Validates all volumes; none may refer to a claim created for an ephemeral volume. */
export const volumesErrors: PartErrors = (volumes, field, { meta }) => {
  const own = fieldsIn(volumes).filter((volume) => isFields(volume["ephemeral"]));
  const isNamed = (meta?.name ?? "") !== "";
  const made = new Set(isNamed ? own.map(({ name }) => `${meta?.name}-${textOf(name)}`) : []);
  return lookedAt(volumes, field, meta).flatMap(({ volume, field: here, errors }) => {
    const claim = textOf(at(volume, "persistentVolumeClaim", "claimName"));
    if (!made.has(claim)) return errors;
    const why = "must not reference a PVC that gets created for an ephemeral volume";
    return [...errors, invalid(`${here}.persistentVolumeClaim.claimName`, claim, why)];
  });
};
