/** Names of resources: of nodes, containers and quotas. Source: kubernetes v1.36 pkg/apis/core/helper/helpers.go, validation.go validateResourceName. */
import { formatQuantity, type Quantity } from "../../api/quantity.ts";
import { invalid, type FieldError } from "../meta/field-errors.ts";
import { labelKeyProblems } from "../../api/label-names.ts";

const words = (text: string): ReadonlySet<string> => new Set(text.split(/\s+/));

/** Resources that containers use. */
export const computeResources: ReadonlySet<string> = words("cpu memory ephemeral-storage");
/** Resources counted in whole units. */
export const countedResources: ReadonlySet<string> =
  words(`pods resourcequotas services replicationcontrollers secrets configmaps persistentvolumeclaims
  services.nodeports services.loadbalancers`);
/** Quotas on the requests and limits of pods and claims. */
export const boundedResources: ReadonlySet<string> =
  words(`requests.cpu requests.memory requests.storage requests.ephemeral-storage limits.cpu limits.memory
  limits.ephemeral-storage`);

/** True for names like `hugepages-2Mi`. */
export const isHugePages = (name: string): boolean => name.startsWith("hugepages-");

/** True for a huge page resource of a quota. */
export const isHugePagesOfQuota = (name: string): boolean => /^(requests\.)?hugepages-/.test(name);

const isStandard = (name: string): boolean =>
  computeResources.has(name) ||
  countedResources.has(name) ||
  boundedResources.has(name) ||
  name === "storage" ||
  isHugePagesOfQuota(name);

/** True for a resource name of Kubernetes itself. */
export const isNative = (name: string): boolean => !name.includes("/") || name.includes("kubernetes.io/");

/** True for an extended resource: qualified, and not of Kubernetes itself. */
export function isExtended(name: string): boolean {
  if (isNative(name) || name.startsWith("requests.")) return false;
  return labelKeyProblems(`requests.${name}`).length === 0;
}

/** True if its request may be less than its limit. */
export const mayBeOvercommitted = (name: string): boolean => isNative(name) && !isHugePages(name);

/** True if it is counted in whole units. */
export const isCounted = (name: string): boolean => countedResources.has(name) || isExtended(name);

/** The name must be a standard resource, or qualified. */
export function resourceNameErrors(name: string, field: string): FieldError[] {
  const problems = labelKeyProblems(name).map((problem) => invalid(field, name, problem));
  if (problems.length > 0 || name.includes("/") || isStandard(name)) return problems;
  return [invalid(field, name, "must be a standard resource type or fully qualified")];
}

/** Validates the name of a container's resource. */
export function containerResourceNameErrors(name: string, field: string): FieldError[] {
  const errors = resourceNameErrors(name, field);
  if (name.includes("/")) {
    if (isNative(name) || isExtended(name)) return errors;
    return [...errors, invalid(field, name, "doesn't follow extended resource name standard")];
  }
  if (computeResources.has(name) || isHugePages(name)) return errors;
  return [...errors, invalid(field, name, "must be a standard resource for containers")];
}

const oneUnit = 1_000_000_000n;

/** Validates an amount of a resource: not negative, and whole if it is counted in units. */
export function amountErrors(name: string, quantity: Quantity, field: string): FieldError[] {
  const shown = formatQuantity(quantity);
  return [
    ...(quantity.nano < 0n ? [invalid(field, shown, "must be greater than or equal to 0")] : []),
    ...(isCounted(name) && quantity.nano % oneUnit !== 0n ? [invalid(field, shown, "must be an integer")] : []),
  ];
}
