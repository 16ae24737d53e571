/**
 * Security contexts of pods and containers.
 * Source: kubernetes v1.36 pkg/apis/core/validation/validation.go validatePodSpecSecurityContext, ValidateSecurityContext.
 */
import { duplicate, invalid, notSupported, required, tooLong, type FieldError } from "../../../../meta/field-errors.ts";
import { at, fieldsIn, isFields, textOf, textsIn, type Fields } from "../../../../meta/object.ts";
import { choiceErrors, eachErrors, isNumber } from "../../../../validation/checks.ts";
import { relativePathErrors } from "../volumes/paths.ts";
import { hasHostUsers, type PodScope } from "./scope.ts";
import { windowsOptionErrors } from "./windows-options.ts";

const highestId = 2 ** 31 - 1;

const idErrors = (id: unknown, field: string): FieldError[] =>
  isNumber(id) && (id < 0 || id > highestId)
    ? [invalid(field, id, `must be between 0 and ${highestId}, inclusive`)]
    : [];

const optionalChoice = (value: unknown, field: string, values: readonly string[]): FieldError[] =>
  value === undefined ? [] : choiceErrors(value, field, values);

const profileTypes = ["Localhost", "RuntimeDefault", "Unconfined"];

function seccompErrors(profile: unknown, field: string): FieldError[] {
  if (!isFields(profile)) return [];
  const { type = "", localhostProfile: path } = profile as { type?: unknown; localhostProfile?: unknown };
  const errors =
    type === ""
      ? [required(`${field}.type`, "type is required when seccompProfile is set")]
      : choiceErrors(type, `${field}.type`, profileTypes);
  const here = `${field}.localhostProfile`;
  if (type !== "Localhost") {
    if (path === undefined) return errors;
    const shown = { Type: type, LocalhostProfile: path };
    return [...errors, invalid(here, shown, "can only be set when seccomp type is Localhost")];
  }
  if (path === undefined) return [...errors, required(here, "must be set when seccomp type is Localhost")];
  return [...errors, ...relativePathErrors(textOf(path), here)];
}

const longestProfile = 4095;

function appArmorErrors(profile: unknown, field: string): FieldError[] {
  if (!isFields(profile)) return [];
  const { type = "", localhostProfile: name } = profile as { type?: unknown; localhostProfile?: unknown };
  const here = `${field}.localhostProfile`;
  if (type === "") return [required(`${field}.type`, "type is required when appArmorProfile is set")];
  if (!profileTypes.includes(textOf(type))) return [notSupported(`${field}.type`, type, profileTypes)];
  if (type !== "Localhost")
    return name === undefined ? [] : [invalid(here, name, "can only be set when AppArmor type is Localhost")];
  const text = textOf(name);
  const errors: FieldError[] = [];
  if (text.trim() !== text) errors.push(invalid(here, text, "must not be padded with whitespace"));
  else if (text === "") errors.push(required(here, "must be set when AppArmor type is Localhost"));
  return text.length > longestProfile ? [...errors, tooLong(here, longestProfile)] : errors;
}

const segment = "[a-z0-9]([-_a-z0-9]*[a-z0-9])?";
const sysctlPattern = `^(${segment}[\\./])*${segment}$`;
const sysctlName = new RegExp(sysctlPattern);
const longestSysctl = 253;
const ipcSysctl = /^(kernel\.(sem|shm|shmall|shmmax|shmmni|shm_rmid_forced|msg|msgmax|msgmnb|msgmni)$|fs\.mqueue\.)/;

/** The name with dots as separators: if the first separator is a slash, dots and slashes are swapped. */
function normalizedSysctl(name: string): string {
  if (/[./]/.exec(name)?.[0] !== "/") return name;
  return name.replaceAll(/[./]/g, (separator) => (separator === "/" ? "." : "/"));
}

function sysctlErrors(sysctls: unknown, field: string, spec: Fields): FieldError[] {
  const seen = new Set<string>();
  return eachErrors(fieldsIn(sysctls), field, (sysctl, item) => {
    const here = `${item}.name`;
    const name = textOf(sysctl["name"]);
    const errors: FieldError[] = [];
    if (name === "") errors.push(required(here));
    else if (name.length > longestSysctl || !sysctlName.test(name)) {
      const why = `must have at most ${longestSysctl} characters and match regex ${sysctlPattern}`;
      errors.push(invalid(here, name, why));
    } else if (seen.has(name)) errors.push(duplicate(here, name));
    seen.add(name);
    const dotted = normalizedSysctl(name);
    if (spec["hostNetwork"] === true && dotted.startsWith("net."))
      errors.push(invalid(here, name, "may not be specified when 'hostNetwork' is true"));
    else if (spec["hostIPC"] === true && ipcSysctl.test(dotted))
      errors.push(invalid(here, name, "may not be specified when 'hostIPC' is true"));
    return errors;
  });
}

/** Validates the security context of a pod. */
export function podSecurityErrors(context: unknown, field: string, { spec }: PodScope): FieldError[] {
  if (!isFields(context)) return [];
  const groups = Array.isArray(context["supplementalGroups"]) ? (context["supplementalGroups"] as unknown[]) : [];
  const sharing = spec["shareProcessNamespace"] === true && spec["hostPID"] === true;
  const why = "ShareProcessNamespace and HostPID cannot both be enabled";
  return [
    ...["fsGroup", "runAsUser", "runAsGroup"].flatMap((key) => idErrors(context[key], `${field}.${key}`)),
    ...eachErrors(groups, `${field}.supplementalGroups`, idErrors),
    ...(sharing ? [invalid(`${field}.shareProcessNamespace`, true, why)] : []),
    ...sysctlErrors(context["sysctls"], `${field}.sysctls`, spec),
    ...optionalChoice(context["fsGroupChangePolicy"], `${field}.fsGroupChangePolicy`, ["Always", "OnRootMismatch"]),
    ...seccompErrors(context["seccompProfile"], `${field}.seccompProfile`),
    ...windowsOptionErrors(context["windowsOptions"], `${field}.windowsOptions`),
    ...appArmorErrors(context["appArmorProfile"], `${field}.appArmorProfile`),
    ...optionalChoice(context["supplementalGroupsPolicy"], `${field}.supplementalGroupsPolicy`, ["Merge", "Strict"]),
    // The other value, MountOption, belongs to a feature that is off by default.
    ...optionalChoice(context["seLinuxChangePolicy"], `${field}.seLinuxChangePolicy`, ["Recursive"]),
  ];
}

function escalationErrors(context: Fields, field: string): FieldError[] {
  if (context["allowPrivilegeEscalation"] !== false) return [];
  const cannot = "cannot set `allowPrivilegeEscalation` to false and";
  const admin = textsIn(at(context, "capabilities", "add")).filter((name) => name === "CAP_SYS_ADMIN");
  return [
    ...(context["privileged"] === true ? [invalid(field, context, `${cannot} \`privileged\` to true`)] : []),
    ...admin.map(() => invalid(field, context, `${cannot} \`capabilities.Add\` CAP_SYS_ADMIN`)),
  ];
}

/** Validates the security context of a container. */
export function securityErrors(context: unknown, field: string, scope: PodScope): FieldError[] {
  if (!isFields(context)) return [];
  const mount = context["procMount"];
  const unmasked = mount === "Unmasked" && hasHostUsers(scope);
  return [
    ...["runAsUser", "runAsGroup"].flatMap((key) => idErrors(context[key], `${field}.${key}`)),
    ...optionalChoice(mount, `${field}.procMount`, ["Default", "Unmasked"]),
    ...(unmasked ? [invalid(`${field}.procMount`, mount, "`hostUsers` must be false to use `Unmasked`")] : []),
    ...seccompErrors(context["seccompProfile"], `${field}.seccompProfile`),
    ...escalationErrors(context, field),
    ...windowsOptionErrors(context["windowsOptions"], `${field}.windowsOptions`),
    ...appArmorErrors(context["appArmorProfile"], `${field}.appArmorProfile`),
  ];
}
