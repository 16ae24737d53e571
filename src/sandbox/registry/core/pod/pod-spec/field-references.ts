/**
 * References to a pod's own fields, in environment variables and files.
 * Source: kubernetes v1.36 pkg/apis/core/validation/validation.go validateObjectFieldSelector, validateContainerResourceFieldSelector.
 */
import { formatQuantity, parseQuantity } from "../../../../../api/quantity.ts";
import { invalid, notSupported, required, type FieldError } from "../../../../meta/field-errors.ts";
import { textOf, type Fields } from "../../../../meta/object.ts";
import { qualifiedNameErrors } from "../../../../validation/checks.ts";

/** The fields that a variable may refer to, sorted. */
export const variableFieldPaths: readonly string[] = [
  "metadata.name",
  "metadata.namespace",
  "metadata.uid",
  "spec.nodeName",
  "spec.serviceAccountName",
  "status.hostIP",
  "status.hostIPs",
  "status.podIP",
  "status.podIPs",
];

/** The fields that a file may refer to, sorted. */
export const volumeFieldPaths: readonly string[] = [
  "metadata.annotations",
  "metadata.labels",
  "metadata.name",
  "metadata.namespace",
  "metadata.uid",
];

/** All paths that the real server can convert; which of them are allowed depends on the place. */
const knownPaths = new Set([
  ...variableFieldPaths,
  ...volumeFieldPaths,
  "spec.restartPolicy",
  "spec.schedulerName",
  "status.phase",
  "spec.host",
]);

const subscripted = /^(.+?)\['(.*)'\]$/s;
const maps = ["metadata.annotations", "metadata.labels"];

/** Validates a reference to a field of the pod; `paths` are the allowed ones. */
export function fieldReferenceErrors(
  { apiVersion, fieldPath }: Fields,
  field: string,
  paths: readonly string[],
): FieldError[] {
  const [version, path] = [textOf(apiVersion), textOf(fieldPath)];
  const here = `${field}.fieldPath`;
  const cannotConvert = (why: string): FieldError[] => [invalid(here, path, `error converting fieldPath: ${why}`)];
  if (version === "") return [required(`${field}.apiVersion`)];
  if (path === "") return [required(here)];
  if (version !== "v1") return cannotConvert(`unsupported pod version: ${version}`);
  const [, map, key = ""] = subscripted.exec(path) ?? [];
  if (map !== undefined) {
    if (!maps.includes(map)) return cannotConvert(`field label does not support subscript: ${path}`);
    return qualifiedNameErrors(map === "metadata.annotations" ? key.toLowerCase() : key, field);
  }
  if (!knownPaths.has(path)) return cannotConvert(`field label not supported: ${path}`);
  // The field's name in very old clients.
  const current = path === "spec.host" ? "spec.nodeName" : path;
  return paths.includes(current) ? [] : [notSupported(here, current, paths)];
}

const resources = [
  "limits.cpu",
  "limits.ephemeral-storage",
  "limits.memory",
  "requests.cpu",
  "requests.ephemeral-storage",
  "requests.memory",
];

const wholeUnits = ["1", ...["k", "M", "G", "T", "P", "E"].flatMap((unit) => `1${unit}`)];
const byteUnits = [...wholeUnits, ...["Ki", "Mi", "Gi", "Ti", "Pi", "Ei"].map((unit) => `1${unit}`)];

/** The allowed divisors for a resource, and the resource's name in messages. */
function divisorsOf(resource: string): readonly [units: readonly string[], shown: string] | undefined {
  const [list, name = ""] = resource.split(/\.(.*)/s);
  if (list !== "limits" && list !== "requests") return undefined;
  if (name === "cpu") return [["1m", "1"], "cpu"];
  if (name === "memory") return [byteUnits, "memory"];
  if (name === "ephemeral-storage") return [byteUnits, "local ephemeral storage"];
  return name.startsWith("hugepages-") ? [byteUnits, "hugepages"] : undefined;
}

function divisorErrors(divisor: unknown, resource: string, field: string): FieldError[] {
  const quantity = parseQuantity(textOf(divisor));
  const known = divisorsOf(resource);
  const isHuge = /^(limits|requests)\.hugepages-/.test(resource);
  if (quantity === undefined || quantity.nano === 0n || known === undefined) return [];
  const [units, shown] = known;
  if (units.includes(formatQuantity(quantity))) return [];
  const list = isHuge || shown !== "cpu" ? units.join(", ") : "1m and 1";
  return [invalid(field, resource, `only divisor's values ${list} are supported with the ${shown} resource`)];
}

/** Validates a reference to a container's resources; in a file it must name the container. */
export function resourceReferenceErrors(reference: Fields, field: string, inFile: boolean): FieldError[] {
  const resource = textOf(reference["resource"]);
  const divided = divisorErrors(reference["divisor"], resource, `${field}.divisor`);
  if (inFile && textOf(reference["containerName"]) === "") return [required(`${field}.containerName`), ...divided];
  if (resource === "") return [required(`${field}.resource`), ...divided];
  if (resources.includes(resource) || /^(limits|requests)\.hugepages-/.test(resource)) return divided;
  return [notSupported(`${field}.resource`, resource, resources), ...divided];
}
