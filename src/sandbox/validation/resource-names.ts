/** Names of resources: of nodes, containers and quotas. Source: kubernetes v1.36 pkg/apis/core/helper/helpers.go, validation.go validateResourceName. */
import { formatQuantity, type Quantity } from "../../api/quantity.ts";
import { invalid, type FieldError } from "../meta/field-errors.ts";
import { labelKeyProblems } from "../../api/label-names.ts";

const words = (text: string): ReadonlySet<string> => new Set(text.split(/\s+/));

/** What containers use. */
export const computeResources: ReadonlySet<string> = words("cpu memory ephemeral-storage");
/** What is counted: there are no parts of it. */
export const countedResources: ReadonlySet<string> =
  words(`pods resourcequotas services replicationcontrollers secrets configmaps persistentvolumeclaims
  services.nodeports services.loadbalancers`);
/** What quotas bound by what pods and claims ask for. */
export const boundedResources: ReadonlySet<string> =
  words(`requests.cpu requests.memory requests.storage requests.ephemeral-storage limits.cpu limits.memory
  limits.ephemeral-storage`);

/** True for `hugepages-2Mi` and its like. */
export const isHugePages = (name: string): boolean => name.startsWith("hugepages-");

/** True if a quota may bound it by this name. */
export const isHugePagesOfQuota = (name: string): boolean => /^(requests\.)?hugepages-/.test(name);

const isStandard = (name: string): boolean =>
  computeResources.has(name) ||
  countedResources.has(name) ||
  boundedResources.has(name) ||
  name === "storage" ||
  isHugePagesOfQuota(name);

/** True if a name is one of Kubernetes itself. */
export const isNative = (name: string): boolean => !name.includes("/") || name.includes("kubernetes.io/");

/** True for the name of an extended resource: qualified, and not one of Kubernetes. */
export function isExtended(name: string): boolean {
  if (isNative(name) || name.startsWith("requests.")) return false;
  return labelKeyProblems(`requests.${name}`).length === 0;
}

/** True if of it less may be asked for than it is limited to. */
export const mayBeOvercommitted = (name: string): boolean => isNative(name) && !isHugePages(name);

/** True if there are no parts of it. */
export const isCounted = (name: string): boolean => countedResources.has(name) || isExtended(name);

/** The name is not that of a resource: neither a standard one nor qualified. */
export function resourceNameErrors(name: string, field: string): FieldError[] {
  const problems = labelKeyProblems(name).map((problem) => invalid(field, name, problem));
  if (problems.length > 0 || name.includes("/") || isStandard(name)) return problems;
  return [invalid(field, name, "must be a standard resource type or fully qualified")];
}

/** The name of a resource that a container may ask for. */
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

/** How much of a resource there may be: nothing below 0, and of what is counted no parts. */
export function amountErrors(name: string, quantity: Quantity, field: string): FieldError[] {
  const shown = formatQuantity(quantity);
  return [
    ...(quantity.nano < 0n ? [invalid(field, shown, "must be greater than or equal to 0")] : []),
    ...(isCounted(name) && quantity.nano % oneUnit !== 0n ? [invalid(field, shown, "must be an integer")] : []),
  ];
}
