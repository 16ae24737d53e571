/**
 * The health of resources allocated to containers, in the status of a pod.
 * Source: kubernetes v1.36 pkg/apis/core/validation/validation.go validateContainerStatusAllocatedResourcesStatus.
 */
import {
  duplicate,
  invalid,
  notAllowed,
  notSupported,
  required,
  tooLong,
  type FieldError,
} from "../../../meta/field-errors.ts";
import { at, fieldsIn, isFields, textOf, type ApiObject, type Fields } from "../../../meta/object.ts";
import { eachErrors, seenBefore } from "../../../validation/checks.ts";

const healths = ["Healthy", "Unhealthy", "Unknown"];

const longestMessage = 1024;

function healthErrors(resources: readonly Fields[], field: string): FieldError[] {
  const isRepeated = seenBefore();
  return eachErrors(resources, field, ({ health, message, resourceID }, here) => {
    const [text, id] = [textOf(message), textOf(resourceID)];
    return [
      ...(healths.includes(textOf(health)) ? [] : [notSupported(`${here}.health`, textOf(health), healths)]),
      ...(message !== undefined && text === "" ? [required(`${here}.message`, "must be non-empty if specified")] : []),
      ...(Buffer.byteLength(text) > longestMessage ? [tooLong(`${here}.message`, longestMessage)] : []),
      ...(isRepeated(id) ? [duplicate(`${here}.resourceID`, id)] : []),
    ];
  });
}

/** The names of a container's claims in its status. */
const claimsOf = (container: Fields): string[] =>
  fieldsIn(at(container, "resources", "claims")).map(({ name, request }) =>
    textOf(request) === "" ? `claim:${textOf(name)}` : `claim:${textOf(name)}/${textOf(request)}`,
  );

/** Allocated resources must be ones that the container requests. */
const nameErrorsFor =
  (container: Fields | undefined) =>
  (name: string, field: string): FieldError[] => {
    if (container === undefined) return [];
    const requests = at(container, "resources", "requests");
    const isClaim = name.startsWith("claim:");
    const names = isClaim ? claimsOf(container) : Object.keys(isFields(requests) ? requests : {});
    const why = isClaim
      ? "must match one of the container's resource claims in a format 'claim:<claimName>/<request>' or 'claim:<claimName>' if request is empty"
      : "must match one of the container's resource requests";
    return names.includes(name) ? [] : [invalid(field, name, why)];
  };

/** Validates the health of the containers' resources; ephemeral containers have none. */
export function resourceHealthErrors({ spec = {}, status = {} }: ApiObject): FieldError[] {
  const key = "allocatedResourcesStatus";
  return [
    ...(["containers", "initContainers"] as const).flatMap((list) => {
      const statuses = list === "containers" ? "containerStatuses" : "initContainerStatuses";
      return eachErrors(fieldsIn(status[statuses]), `status.${statuses}`, (containerStatus, field) => {
        const errorsOfName = nameErrorsFor(fieldsIn(spec[list]).find(({ name }) => name === containerStatus["name"]));
        return eachErrors(fieldsIn(containerStatus[key]), `${field}.${key}`, ({ name, resources }, here) => [
          ...errorsOfName(textOf(name), `${here}.name`),
          ...healthErrors(fieldsIn(resources), `${here}.resources`),
        ]);
      });
    }),
    ...eachErrors(
      fieldsIn(status["ephemeralContainerStatuses"]),
      "status.ephemeralContainerStatuses",
      (containerStatus, field) =>
        fieldsIn(containerStatus[key]).length === 0
          ? []
          : [notAllowed(`${field}.${key}`, "must not be specified in container status")],
    ),
  ];
}
