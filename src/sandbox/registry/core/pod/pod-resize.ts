/**
 * `pods/resize`: cpu and memory of running containers.
 * Source: kubernetes v1.36 pkg/apis/core/validation/validation.go ValidatePodResize, pkg/registry/core/pod/strategy.go.
 */
import { mirrorAnnotation } from "./profiles/profile-annotations.ts";
import { deepEqual } from "../../../../api/field-changes.ts";
import { invalid, notAllowed, type FieldError } from "../../../meta/field-errors.ts";
import { at, fieldsIn, isFields, type ApiObject, type Fields } from "../../../meta/object.ts";
import type { UpdateStrategy } from "../../strategy/rest-strategy.ts";
import { stepsUnless } from "./pod-spec/subresource-steps.ts";
import { qosClassOf } from "./resources/qos-class.ts";

const lists = ["containers", "initContainers"] as const;
type List = (typeof lists)[number];

const namesOf = (spec: Fields, list: List): unknown[] => fieldsIn(spec[list]).map(({ name }) => name);

/** The old containers with the requested resources and resize policies. */
function resized(sent: Fields, old: Fields, list: List): Fields[] {
  const sentContainers = fieldsIn(sent[list]);
  // Different containers are rejected below.
  if (!deepEqual(namesOf(sent, list), namesOf(old, list))) return sentContainers;
  return fieldsIn(old[list]).map((container, index) => {
    const { resources: _resources, resizePolicy: _policy, ...rest } = container;
    const { resources = {}, resizePolicy } = (sentContainers[index] ?? {}) as {
      resources?: unknown;
      resizePolicy?: unknown;
    };
    return { ...rest, resources, ...(resizePolicy === undefined ? {} : { resizePolicy }) };
  });
}

function orderErrors(now: Fields, before: Fields): FieldError[] {
  return lists.flatMap((list) => {
    const [names, had] = [namesOf(now, list), namesOf(before, list)];
    if (names.length !== had.length)
      return [notAllowed(`spec.${list}`, `${list} may not be added or removed on resize`)];
    return had.flatMap((name, index) =>
      names[index] === name
        ? []
        : [notAllowed(`spec.${list}[${index}].name`, `${list} may not be renamed or reordered on resize`)],
    );
  });
}

const amountsOf = (holder: unknown, key: "requests" | "limits"): Fields => {
  const amounts = at(holder, "resources", key);
  return isFields(amounts) ? amounts : {};
};

const kinds = ["requests", "limits"] as const;

/** Requests and limits may change, but not be removed. */
function removedErrors(now: Fields, before: Fields, field: string, what: string): FieldError[] {
  return kinds.flatMap((kind) => {
    const [amounts, had] = [amountsOf(now, kind), amountsOf(before, kind)];
    const gone =
      Object.keys(had).length > Object.keys(amounts).length || Object.keys(had).some((name) => !(name in amounts));
    return gone ? [notAllowed(`${field}.${kind}`, `${what} ${kind} cannot be removed`)] : [];
  });
}

/** `now` with the cpu and memory of `before`: everything else must be equal. */
function withoutChange(now: Fields, before: Fields): Fields {
  const resources: Fields = { ...(isFields(now["resources"]) ? now["resources"] : {}) };
  for (const kind of kinds) {
    const amounts = { ...amountsOf(now, kind) };
    const had = amountsOf(before, kind);
    for (const name of ["cpu", "memory"]) {
      if (had[name] === undefined) delete amounts[name];
      else amounts[name] = had[name];
    }
    if (Object.keys(amounts).length === 0) delete resources[kind];
    else resources[kind] = amounts;
  }
  return { ...now, resources };
}

/** Empty resource fields of a container are dropped before the comparison. */
const comparable = (container: Fields): Fields => {
  const resources = isFields(container["resources"]) ? container["resources"] : {};
  return {
    ...container,
    resources: Object.fromEntries(Object.entries(resources).filter(([, value]) => !isEmpty(value))),
  };
};

const isEmpty = (value: unknown): boolean =>
  value === undefined || (typeof value === "object" && value !== null && Object.keys(value).length === 0);

const isChanged = (now: Fields, before: Fields): boolean =>
  !deepEqual(comparable(withoutChange(now, before)), comparable(before));

function initErrors(now: Fields, before: Fields, index: number): FieldError[] {
  const field = `spec.initContainers[${index}]`;
  const errors: FieldError[] = [];
  if (isChanged(now, before))
    errors.push(notAllowed(field, "only cpu and memory resources for init or sidecar containers are mutable"));
  if (now["restartPolicy"] === "Always" || deepEqual(comparable(now), comparable(before))) return errors;
  const why = "non-sidecar init containers with a resize policy of RestartContainer cannot be resized";
  for (const { restartPolicy } of fieldsIn(now["resizePolicy"]))
    if (restartPolicy === "RestartContainer") errors.push(notAllowed(field, why));
  return errors;
}

/** True if a running container's status lacks resources, which nodes that can resize report. */
function runsWithoutSupport({ status }: ApiObject): boolean {
  const running = fieldsIn(status?.["containerStatuses"]).find((container) =>
    isFields(at(container, "state", "running")),
  );
  return running !== undefined && running["resources"] === undefined;
}

const isSized = (spec: Fields): boolean => kinds.some((kind) => Object.keys(amountsOf(spec, kind)).length > 0);

/** The pod-level resources. */
function podLevelErrors(now: Fields, before: Fields): FieldError[] {
  if (!isSized(now) && !isSized(before)) return [];
  if (before["resources"] !== undefined && now["resources"] === undefined)
    return [notAllowed("spec.resources", "pod-level resources cannot be removed")];
  const errors =
    before["resources"] === undefined ? [] : removedErrors(now, before, "spec.resources", "pod-level resource");
  const only = ({ resources = {} }: Fields): Fields => ({ resources });
  return isChanged(only(now), only(before))
    ? [...errors, notAllowed("spec", "only cpu and memory resources are mutable at pod-level")]
    : errors;
}

function resizeErrors(pod: ApiObject, old: ApiObject): FieldError[] {
  const [now, before] = [pod.spec ?? {}, old.spec ?? {}];
  const errors: FieldError[] = [];
  if ((old.status?.["qosClass"] ?? qosClassOf(old)) !== qosClassOf(pod)) {
    errors.push(
      invalid("spec", pod.status?.["qosClass"] ?? "", "Pod QOS Class may not change as a result of resizing"),
    );
  }
  if (runsWithoutSupport(old)) errors.push(notAllowed("spec", "Pod running on node without support for resize"));
  errors.push(...podLevelErrors(now, before));
  const order = orderErrors(now, before);
  if (order.length > 0) return [...errors, ...order];
  const pairs = (list: List): [Fields, Fields][] =>
    fieldsIn(before[list]).map((had, index) => [fieldsIn(now[list])[index] ?? {}, had]);
  const [containers, inits] = [pairs("containers"), pairs("initContainers")];
  const removed = (all: readonly [Fields, Fields][], list: List): FieldError[] =>
    all.flatMap(([next, had], index) => removedErrors(next, had, `spec.${list}[${index}].resources`, "resource"));
  return [
    ...errors,
    ...removed(inits, "initContainers"),
    ...removed(containers, "containers"),
    ...containers
      .filter(([next, had]) => isChanged(next, had))
      .map(() => notAllowed("spec", "only cpu and memory resources are mutable")),
    ...inits.flatMap(([next, had], index) => initErrors(next, had, index)),
  ];
}

function staticErrors(old: ApiObject): FieldError[] {
  if (old.metadata.annotations?.[mirrorAnnotation] !== undefined)
    return [notAllowed("[]", "static pods cannot be resized")];
  return at(old.spec, "os", "name") === "windows" ? [notAllowed("[]", "windows pods cannot be resized")] : [];
}

/** `pods/resize`: the resources of containers and of the pod. */
export const resizeStrategy: UpdateStrategy = {
  updatedSpec({ spec: sent = {} }, { spec: old = {} }) {
    if (lists.some((list) => fieldsIn(sent[list]).length !== fieldsIn(old[list]).length)) return sent;
    const { resources: _resources, ...rest } = old;
    return {
      ...rest,
      ...(sent["resources"] === undefined ? {} : { resources: sent["resources"] }),
      containers: resized(sent, old, "containers"),
      ...(old["initContainers"] === undefined ? {} : { initContainers: resized(sent, old, "initContainers") }),
    };
  },
  updateSteps: stepsUnless(staticErrors),
  validateUpdate: resizeErrors,
};
