/**
 * What a pod shares with its host, and hostnames. Source: kubernetes v1.36 pkg/apis/core/validation/validation.go validateHostUsers,
 * validatePodHostName, ValidateHostAliases.
 */
import { notAllowed, tooLong, type FieldError } from "../../../../meta/field-errors.ts";
import { fieldsIn, textOf, textsIn } from "../../../../meta/object.ts";
import { eachErrors, subdomainErrors } from "../../../../validation/checks.ts";
import { addressErrors } from "../../../../validation/cidr.ts";
import { allContainers, hasHostUsers, type PartErrors, type PodScope } from "./scope.ts";

/** Host namespaces that a pod in its own user namespace cannot use. The real server spells two of the fields this way. */
const notWithOwnUsers = { hostNetwork: "hostNetwork", hostPID: "HostPID", hostIPC: "HostIPC" } as const;

/** What a pod in its own user namespace may not share with the host. */
export function hostUsersErrors(scope: PodScope): FieldError[] {
  if (hasHostUsers(scope)) return [];
  const { spec, field } = scope;
  const why = "when `hostUsers` is false";
  return [
    ...Object.entries(notWithOwnUsers).flatMap(([key, shown]) =>
      spec[key] === true ? [notAllowed(`${field}.${shown}`, why)] : [],
    ),
    ...allContainers(scope).flatMap(({ container, field: here }) =>
      fieldsIn(container["volumeDevices"]).length > 0 ? [notAllowed(`${here}.volumeDevices`, why)] : [],
    ),
  ];
}

const longestHostname = 64;

/** Validates the hostname that the pod's processes see. */
export const hostnameOverrideErrors: PartErrors = (hostname, field, { spec }) => {
  if (hostname === undefined) return [];
  const not = (key: string): FieldError[] =>
    spec[key] === true ? [notAllowed(field, `may not be specified when ${key} is true`)] : [];
  return [
    ...not("setHostnameAsFQDN"),
    ...not("hostNetwork"),
    ...(textOf(hostname).length > longestHostname ? [tooLong(field, longestHostname)] : []),
    ...subdomainErrors(hostname, field),
  ];
};

/** Validates the host aliases of a pod. */
export const hostAliasErrors: PartErrors = (aliases, field) =>
  eachErrors(fieldsIn(aliases), field, ({ ip, hostnames }, here) => [
    ...addressErrors(textOf(ip), `${here}.ip`),
    ...eachErrors(textsIn(hostnames), `${here}.hostnames`, subdomainErrors),
  ]);
