/**
 * Fields that an operating system does not support. Source: kubernetes v1.36 pkg/apis/core/validation/validation.go validateOS,
 * validateWindows, validateWindowsHostProcessPod.
 */
import { invalid, notAllowed, notSupported, required, type FieldError } from "../../../../meta/field-errors.ts";
import { at, isFields, textOf } from "../../../../meta/object.ts";
import { allContainers, type PodScope } from "./scope.ts";

const systems = ["linux", "windows"];
const notOnWindows = "cannot be set for a windows pod";
const notOnLinux = "windows options cannot be set for a linux pod";

/** In the order of the real server's checks; paths without a dot are fields of the spec itself. */
const podFields = [
  "securityContext.appArmorProfile",
  "securityContext.seLinuxOptions",
  "hostUsers",
  "hostPID",
  "hostIPC",
  "securityContext.seccompProfile",
  "securityContext.fsGroup",
  "securityContext.fsGroupChangePolicy",
  "securityContext.sysctls",
  "shareProcessNamespace",
  "securityContext.runAsUser",
  "securityContext.runAsGroup",
  "securityContext.supplementalGroups",
  "securityContext.supplementalGroupsPolicy",
  "securityContext.seLinuxChangePolicy",
];

const containerFields = [
  "appArmorProfile",
  "seLinuxOptions",
  "seccompProfile",
  "capabilities",
  "readOnlyRootFilesystem",
  "privileged",
  "allowPrivilegeEscalation",
  "procMount",
  "runAsUser",
  "runAsGroup",
];

/** Fields that are not pointers in the real server's types: false is the same as unset. */
const plainFields = new Set(["hostPID", "hostIPC"]);

function isSet(value: unknown, path: string): boolean {
  if (path === "securityContext.sysctls") return Array.isArray(value) && value.length > 0;
  return plainFields.has(path) ? value === true : value !== undefined;
}

function windowsErrors(scope: PodScope): FieldError[] {
  const { spec, field } = scope;
  return [
    ...podFields.flatMap((path) =>
      isSet(at(spec, ...path.split(".")), path) ? [notAllowed(`${field}.${path}`, notOnWindows)] : [],
    ),
    ...allContainers(scope).flatMap(({ container, field: here }) =>
      containerFields.flatMap((key) =>
        at(container, "securityContext", key) === undefined
          ? []
          : [notAllowed(`${here}.securityContext.${key}`, notOnWindows)],
      ),
    ),
  ];
}

function linuxErrors(scope: PodScope): FieldError[] {
  const all = [{ container: scope.spec, field: scope.field }, ...allContainers(scope)];
  return all.flatMap(({ container, field }) =>
    at(container, "securityContext", "windowsOptions") === undefined
      ? []
      : [notAllowed(`${field}.securityContext.windowsOptions`, notOnLinux)],
  );
}

/** Validates `os`, and that no fields are set which it does not support. */
export function osErrors(os: unknown, field: string, scope: PodScope): FieldError[] {
  if (!isFields(os)) return [];
  const name = textOf(os["name"]);
  if (name === "") return [required(`${field}.name`)];
  if (!systems.includes(name)) return [notSupported(field, name, systems)];
  return name === "linux" ? linuxErrors(scope) : windowsErrors(scope);
}

/** Windows HostProcess containers: all containers of a pod or none, with the host network. */
export function hostProcessErrors(scope: PodScope): FieldError[] {
  const { spec, field } = scope;
  const path = ["securityContext", "windowsOptions", "hostProcess"] as const;
  const ofPod = at(spec, ...path);
  const containers = allContainers(scope).map(({ container, field: here }) => ({ own: at(container, ...path), here }));
  const errors = containers.flatMap(({ own, here }) => {
    if (ofPod === undefined || own === undefined || own === ofPod) return [];
    const why = `pod hostProcess value must be identical if both are specified, was ${ofPod === true}`;
    return [invalid(`${here}.${path.join(".")}`, own, why)];
  });
  const count = containers.filter(({ own }) => (own ?? ofPod) === true).length;
  if (count === 0) return errors;
  if (count !== containers.length) {
    const why = "If pod contains any hostProcess containers then all containers must be HostProcess containers";
    errors.push(invalid(field, "", why));
  }
  if (spec["hostNetwork"] === true) return errors;
  const why = "hostNetwork must be true if pod contains any hostProcess containers";
  return [...errors, invalid(`${field}.hostNetwork`, false, why)];
}
