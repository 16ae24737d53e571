/** What may be changed of a pod that is there. Source: kubernetes v1.36 pkg/apis/core/validation/validation.go ValidatePodUpdate. */
import { deepEqual } from "../../api/field-changes.ts";
import { invalid, notAllowed, required, type FieldError } from "../field-errors.ts";
import { fieldsIn, type ApiObject, type Fields } from "../object.ts";
import { tolerationErrors as newTolerationErrors } from "./pod-validation.ts";

const changeable =
  "`spec.containers[*].image`,`spec.initContainers[*].image`,`spec.activeDeadlineSeconds`,`spec.tolerations` (only additions to existing tolerations),`spec.terminationGracePeriodSeconds` (allow it to be set to 1 if it was previously negative)";

function countErrors(now: Fields, before: Fields): FieldError[] {
  for (const key of ["containers", "initContainers"]) {
    if (fieldsIn(now[key]).length !== fieldsIn(before[key]).length) {
      return [notAllowed(`spec.${key}`, "pod updates may not add or remove containers")];
    }
  }
  return [];
}

/** Images may change, but not to none. */
function imageErrors(now: Fields): FieldError[] {
  return ["containers", "initContainers"].flatMap((key) =>
    fieldsIn(now[key]).flatMap(({ image }, index) =>
      image === undefined || image === "" ? [required(`spec.${key}[${index}].image`)] : [],
    ),
  );
}

function deadlineErrors(now: Fields, before: Fields): FieldError[] {
  const [next, last] = [now["activeDeadlineSeconds"], before["activeDeadlineSeconds"]];
  const field = "spec.activeDeadlineSeconds";
  if (typeof next === "number") {
    if (next < 0 || next > 2 ** 31 - 1) return [invalid(field, next, "must be between 0 and 2147483647, inclusive")];
    if (typeof last === "number" && last < next)
      return [invalid(field, next, "must be less than or equal to previous value")];
    return [];
  }
  return last === undefined ? [] : [invalid(field, null, "must not update from a positive integer to nil value")];
}

function tolerationErrors(now: Fields, before: Fields): FieldError[] {
  const kept = fieldsIn(now["tolerations"]);
  const same = ({ tolerationSeconds: _a, ...a }: Fields, { tolerationSeconds: _b, ...b }: Fields): boolean =>
    deepEqual(a, b);
  const gone = fieldsIn(before["tolerations"]).some((old) => !kept.some((toleration) => same(old, toleration)));
  return gone
    ? [notAllowed("spec.tolerations", "existing toleration can not be modified except its tolerationSeconds")]
    : newTolerationErrors(kept, "spec.tolerations");
}

/** The spec with the fields taken out that may change. */
function fixedPart(spec: Fields): Fields {
  const { activeDeadlineSeconds: _deadline, tolerations: _tolerations, schedulingGates: _gates, ...rest } = spec;
  for (const key of ["containers", "initContainers"]) {
    if (rest[key] !== undefined) rest[key] = fieldsIn(rest[key]).map(({ image: _image, ...container }) => container);
  }
  return rest;
}

/** Must change nothing. */
export function podUpdateErrors(pod: ApiObject, old: ApiObject): FieldError[] {
  const [now, before] = [pod.spec ?? {}, old.spec ?? {}];
  const counts = countErrors(now, before);
  if (counts.length > 0) return counts;
  const errors = [...imageErrors(now), ...deadlineErrors(now, before), ...tolerationErrors(now, before)];
  if (!deepEqual(fixedPart(now), fixedPart(before))) {
    errors.push(notAllowed("spec", `pod updates may not change fields other than ${changeable}\n`));
  }
  return errors;
}
