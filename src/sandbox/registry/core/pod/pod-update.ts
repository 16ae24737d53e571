/** What may change in an existing pod. Source: kubernetes v1.36 pkg/apis/core/validation/validation.go ValidatePodUpdate. */
import { deepEqual } from "../../../../api/field-changes.ts";
import { invalid, notAllowed, required, type FieldError } from "../../../meta/field-errors.ts";
import { fieldsIn, isFields, textOf, type ApiObject, type Fields } from "../../../meta/object.ts";
import { nodeAffinityErrors, nodeSelectorErrors } from "../../../validation/node-selector-update.ts";
import { keptAnnotationErrors } from "./pod-spec/annotations.ts";
import { eachErrors } from "../../../validation/checks.ts";
import { imageSpaceErrors } from "./pod-spec/image-space.ts";
import { tolerationErrors as newTolerationErrors } from "./pod-spec/tolerations.ts";

const changeable =
  "`spec.containers[*].image`,`spec.initContainers[*].image`,`spec.activeDeadlineSeconds`,`spec.tolerations` (only additions to existing tolerations),`spec.terminationGracePeriodSeconds` (allow it to be set to 1 if it was previously negative)";

/** The errors so far, and whether validation stops here. */
interface Looked {
  readonly errors: readonly FieldError[];
  readonly stop: boolean;
}

/** Containers cannot be added or removed; their images may change, but not be empty. */
function containerErrors(now: Fields, before: Fields, key: "containers" | "initContainers"): Looked {
  const containers = fieldsIn(now[key]);
  if (containers.length !== fieldsIn(before[key]).length)
    return { errors: [notAllowed(`spec.${key}`, "pod updates may not add or remove containers")], stop: true };
  const errors = eachErrors(fieldsIn(now[key]), `spec.${key}`, (container, field) => [
    ...(textOf(container["image"]) === "" ? [required(`${field}.image`)] : []),
    ...imageSpaceErrors(container, field),
  ]);
  return { errors, stop: false };
}

/** A deadline can be set once, and then only be shortened. */
function deadlineErrors(now: Fields, before: Fields): Looked {
  const [next, last] = [now["activeDeadlineSeconds"], before["activeDeadlineSeconds"]];
  const field = "spec.activeDeadlineSeconds";
  if (typeof next !== "number") {
    const why = "must not update from a positive integer to nil value";
    return { errors: last === undefined ? [] : [invalid(field, null, why)], stop: false };
  }
  if (next < 0 || next > 2 ** 31 - 1)
    return { errors: [invalid(field, next, "must be between 0 and 2147483647, inclusive")], stop: true };
  if (typeof last === "number" && last < next)
    return { errors: [invalid(field, next, "must be less than or equal to previous value")], stop: true };
  return { errors: [], stop: false };
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

/** The spec without its mutable fields. */
function fixedPart(spec: Fields): Fields {
  const { activeDeadlineSeconds: _deadline, tolerations: _tolerations, schedulingGates: _gates, ...rest } = spec;
  for (const key of ["containers", "initContainers"]) {
    if (rest[key] !== undefined) rest[key] = fieldsIn(rest[key]).map(({ image: _image, ...container }) => container);
  }
  return rest;
}

interface Gated {
  readonly errors: readonly FieldError[];
  /** The new spec, with the old one's values where a gated pod may change. */
  readonly spec: Fields;
}

/** A pod that is not scheduled yet may get a narrower choice of nodes. */
function gatedErrors(now: Fields, before: Fields): Gated {
  if (fieldsIn(before["schedulingGates"]).length === 0) return { errors: [], spec: now };
  const { nodeSelector: _selector, affinity, ...rest } = now;
  const [next, old] = [isFields(affinity) ? affinity : {}, isFields(before["affinity"]) ? before["affinity"] : {}];
  const { nodeAffinity, ...others } = next;
  const kept = old["nodeAffinity"] === undefined ? others : { ...others, nodeAffinity: old["nodeAffinity"] };
  const isNone = Object.keys(kept).length === 0 && before["affinity"] === undefined;
  return {
    errors: [
      ...nodeSelectorErrors(now["nodeSelector"], before["nodeSelector"]),
      ...nodeAffinityErrors(nodeAffinity, old["nodeAffinity"]),
    ],
    spec: {
      ...rest,
      ...(before["nodeSelector"] !== undefined && { nodeSelector: before["nodeSelector"] }),
      ...(isNone ? {} : { affinity: kept }),
    },
  };
}

/** Gates can only be removed. */
function gateErrors(now: Fields, before: Fields): FieldError[] {
  const had = new Set(fieldsIn(before["schedulingGates"]).map(({ name }) => name));
  return fieldsIn(now["schedulingGates"]).flatMap(({ name }, index) => {
    if (had.has(name)) return [];
    const why = `only deletion is allowed, but found new scheduling gate '${textOf(name)}'`;
    return [notAllowed(`spec.schedulingGates[${index}].name`, why)];
  });
}

/** Validates an update; changes neither pod. */
export function podUpdateErrors(pod: ApiObject, old: ApiObject): FieldError[] {
  const [now, before] = [pod.spec ?? {}, old.spec ?? {}];
  const errors = keptAnnotationErrors(pod.metadata.annotations, old.metadata.annotations);
  for (const look of [
    () => containerErrors(now, before, "containers"),
    () => containerErrors(now, before, "initContainers"),
    () => deadlineErrors(now, before),
  ]) {
    const looked = look();
    errors.push(...looked.errors);
    if (looked.stop) return errors;
  }
  const gated = gatedErrors(now, before);
  errors.push(...tolerationErrors(now, before), ...gateErrors(now, before), ...gated.errors);
  if (!deepEqual(fixedPart(gated.spec), fixedPart(before))) {
    errors.push(notAllowed("spec", `pod updates may not change fields other than ${changeable}\n`));
  }
  return errors;
}
