/** The containers of a pod. Source: kubernetes v1.36 pkg/apis/core/validation/validation.go validateContainerCommon, validateContainers, validateInitContainers. */
import { duplicate, invalid, notAllowed, required, type FieldError } from "../../../../meta/field-errors.ts";
import { fieldsIn, textOf, type Fields } from "../../../../meta/object.ts";
import {
  eachErrors,
  labelNameErrors,
  neededChoiceErrors,
  neededErrors,
  seenBefore,
} from "../../../../validation/checks.ts";
import { pullPolicies } from "./choices.ts";
import { envErrors, envFromErrors } from "./env.ts";
import { deviceErrors, mountErrors } from "./mounts.ts";
import { hostPortErrors, portErrors } from "./ports.ts";
import { lifeErrors } from "./probes.ts";
import { resourceErrors } from "./resources.ts";
import { initRestartErrors, resizePolicyErrors, restartErrors } from "./restart.ts";
import type { PartErrors, PodScope } from "./scope.ts";
import { securityErrors } from "./security-context.ts";

const messagePolicies = ["File", "FallbackToLogsOnError"];

type FieldCheck = (container: Fields, field: string, scope: PodScope) => FieldError[];

/** A check of one field by its value alone. */
const of =
  (key: string, errors: PartErrors): FieldCheck =>
  (container, field, scope) =>
    errors(container[key], `${field}.${key}`, scope);

/** The fields that containers of all types share, in the order of their validation. */
const inOrder: readonly FieldCheck[] = [
  of("name", (name, field) => neededErrors(name, field, labelNameErrors)),
  of("image", (image, field) => (textOf(image) === "" ? [required(field)] : [])),
  of("terminationMessagePolicy", (policy, field) => neededChoiceErrors(policy, field, messagePolicies)),
  of("ports", portErrors),
  of("env", envErrors),
  of("envFrom", envFromErrors),
  (container, field, scope) => mountErrors(container, `${field}.volumeMounts`, scope),
  (container, field, scope) => deviceErrors(container, `${field}.volumeDevices`, scope),
  of("imagePullPolicy", (policy, field) => neededChoiceErrors(policy, field, pullPolicies)),
  of("resources", (resources, field, { claims }) => resourceErrors(resources, field, claims)),
  of("resizePolicy", (policies, field, { spec }) => resizePolicyErrors(policies, field, spec["restartPolicy"])),
  of("securityContext", securityErrors),
];

/** Validates a container of any type. */
export const containerErrors: FieldCheck = (container, field, scope) =>
  inOrder.flatMap((errors) => errors(container, field, scope));

/** The regular containers of a pod. */
export const containersErrors: PartErrors = (list, field, scope) => {
  const containers = fieldsIn(list);
  if (containers.length === 0) return [required(field)];
  const isTaken = seenBefore();
  const each = eachErrors(containers, field, (container, here) => [
    ...containerErrors(container, here, scope),
    ...(isTaken(container["name"]) ? [duplicate(`${here}.name`, textOf(container["name"]))] : []),
    ...lifeErrors(container, here, scope),
    ...restartErrors(container, here),
  ]);
  return [...each, ...hostPortErrors(containers, field)];
};

/** Fields that an init container may have only if it is a sidecar. */
function sidecarOnlyErrors(container: Fields, field: string): FieldError[] {
  return ["lifecycle", "livenessProbe", "readinessProbe", "startupProbe"].flatMap((key) =>
    container[key] === undefined
      ? []
      : [notAllowed(`${field}.${key}`, "may not be set for init containers without restartPolicy=Always")],
  );
}

function sidecarOnlyPolicyErrors(container: Fields, field: string): FieldError[] {
  const why = "must not be set to 'RestartContainer' for non-sidecar initContainers";
  return eachErrors(fieldsIn(container["resizePolicy"]), `${field}.resizePolicy`, ({ restartPolicy }, here) =>
    restartPolicy === "RestartContainer" ? [invalid(`${here}.restartPolicy`, restartPolicy, why)] : [],
  );
}

/** The init containers, whose names must differ from those of regular containers. */
export const initContainersErrors: PartErrors = (list, field, scope) => {
  const taken = new Set(fieldsIn(scope.spec["containers"]).map(({ name }) => textOf(name)));
  return eachErrors(fieldsIn(list), field, (container, here) => {
    const name = textOf(container["name"]);
    const isSidecar = container["restartPolicy"] === "Always";
    const errors = [
      ...containerErrors(container, here, scope),
      ...initRestartErrors(container, here),
      ...(taken.has(name) ? [duplicate(`${here}.name`, name)] : []),
      // Host ports are checked per container, as if it were the first.
      ...hostPortErrors([container], field),
      ...(isSidecar ? lifeErrors(container, here, scope) : sidecarOnlyErrors(container, here)),
      ...(isSidecar ? [] : sidecarOnlyPolicyErrors(container, here)),
    ];
    if (name !== "") taken.add(name);
    return errors;
  });
};
