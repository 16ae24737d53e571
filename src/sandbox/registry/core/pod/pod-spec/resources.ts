/**
 * Requests and limits of containers and pods.
 * Source: kubernetes v1.36 pkg/apis/core/validation/validation.go validateResourceRequirements, validatePodResources.
 */
import { compareQuantities, formatQuantity, parseQuantity, type Quantity } from "../../../../../api/quantity.ts";
import type { Amounts } from "../../../../../api/quota/amounts.ts";
import {
  duplicate,
  invalid,
  notAllowed,
  notSupported,
  required,
  type FieldError,
} from "../../../../meta/field-errors.ts";
import { at, fieldsIn, isFields, textOf, type Fields } from "../../../../meta/object.ts";
import { labelNameErrors } from "../../../../validation/checks.ts";
import { amountsIn, containerAmounts } from "../resources/pod-amounts.ts";
import {
  amountErrors,
  containerResourceNameErrors,
  isHugePages,
  mayBeOvercommitted,
  resourceNameErrors,
} from "../../../../validation/resource-names.ts";
import { osOf, type PodScope } from "./scope.ts";

type NameErrors = (name: string, field: string) => FieldError[];

const oneUnit = 1_000_000_000n;

/** Sorted by name: the real server iterates over a map, in any order. */
const sorted = (amounts: Amounts): [string, Quantity][] => [...amounts].sort(([a], [b]) => (a < b ? -1 : 1));

function hugePageErrors(name: string, quantity: Quantity, field: string): FieldError[] {
  if (!isHugePages(name)) return [];
  const page = parseQuantity(name.slice("hugepages-".length))?.nano ?? 0n;
  if (page > 0n && page % oneUnit === 0n && quantity.nano % page === 0n) return [];
  const shown = formatQuantity(quantity);
  return [invalid(field, shown, `${shown} is not positive integer multiple of ${name}`)];
}

/** Compares a request with its limit. */
function againstLimit(name: string, request: Quantity, limit: Quantity | undefined, field: string): FieldError[] {
  const here = `${field}.requests`;
  if (limit === undefined)
    return mayBeOvercommitted(name)
      ? []
      : [required(`${field}.limits`, "Limit must be set for non overcommitable resources")];
  const order = compareQuantities(request, limit);
  const most = `${name} limit of ${formatQuantity(limit)}`;
  if (order !== 0 && !mayBeOvercommitted(name))
    return [invalid(here, formatQuantity(request), `must be equal to ${most}`)];
  return order > 0 ? [invalid(here, formatQuantity(request), `must be less than or equal to ${most}`)] : [];
}

function requirementsErrors(resources: unknown, field: string, nameErrors: NameErrors): FieldError[] {
  const [limits, requests] = [amountsIn(at(resources, "limits")), amountsIn(at(resources, "requests"))];
  const each = (
    list: string,
    amounts: Amounts,
    more: (name: string, quantity: Quantity) => FieldError[],
  ): FieldError[] =>
    sorted(amounts).flatMap(([name, quantity]) => {
      const here = `${field}.${list}[${name}]`;
      return [
        ...nameErrors(name, here),
        ...amountErrors(name, quantity, here),
        ...more(name, quantity),
        ...hugePageErrors(name, quantity, here),
      ];
    });
  const names = [...limits.keys(), ...requests.keys()];
  const onlyHuge = names.some(isHugePages) && !names.includes("cpu") && !names.includes("memory");
  return [
    ...each("limits", limits, () => []),
    ...each("requests", requests, (name, request) => againstLimit(name, request, limits.get(name), field)),
    ...(onlyHuge ? [notAllowed(field, "HugePages require cpu or memory")] : []),
  ];
}

/** References to claims of the pod; each occurs once, as a whole or by its requests. */
function claimErrors(claims: unknown, field: string, known: ReadonlySet<string>): FieldError[] {
  const seen = new Set<string>();
  const unknown =
    known.size === 0
      ? "must be one of the names in pod.spec.resourceClaims which is empty"
      : `must be one of the names in pod.spec.resourceClaims: ${[...known].sort().join(", ")}`;
  return fieldsIn(claims).flatMap((claim, index): FieldError[] => {
    const here = `${field}[${index}]`;
    const [name, request] = [textOf(claim["name"]), textOf(claim["request"])];
    const found: FieldError = {
      reason: "FieldValueNotFound",
      field: here,
      message: `Not found: ${JSON.stringify(name)}: ${unknown}`,
    };
    const missing = known.has(name) ? [] : [found];
    if (name === "") return [required(here)];
    if (seen.has(name)) return [duplicate(here, name), ...missing];
    const key = request === "" ? name : `${name}/${request}`;
    const errors = request === "" ? [] : labelNameErrors(request, `${here}.request`);
    if (seen.has(key)) errors.push(duplicate(here, key));
    else if (request === "")
      errors.push(...[...seen].filter((other) => other.startsWith(`${name}/`)).map(() => duplicate(here, name)));
    seen.add(key);
    return [...errors, ...missing];
  });
}

/** Validates the resources of a container. `claims` are the names of the pod's claims. */
export function resourceErrors(resources: unknown, field: string, claims: ReadonlySet<string>): FieldError[] {
  return [
    ...requirementsErrors(resources, field, containerResourceNameErrors),
    ...claimErrors(at(resources, "claims"), `${field}.claims`, claims),
  ];
}

/** The pod's overhead, validated like limits. */
export const overheadErrors = (overhead: unknown, field: string): FieldError[] =>
  overhead === undefined ? [] : resourceErrors({ limits: overhead }, field, new Set());

const ofPods = ["cpu", "hugepages-", "memory"];

function podResourceNameErrors(name: string, field: string): FieldError[] {
  const errors = resourceNameErrors(name, field);
  if (errors.length > 0 || isHugePages(name) || ofPods.includes(name)) return errors;
  return [notSupported(field, name, ofPods)];
}

/** Containers cannot exceed the limits of their pod. */
function consistencyErrors(spec: Fields, field: string): FieldError[] {
  const own = (key: string): Amounts => amountsIn(at(spec, "resources", key));
  const [limits, requests] = [own("limits"), own("requests")];
  const sums = (key: "limits" | "requests", whole: Amounts): FieldError[] =>
    sorted(containerAmounts(spec, key)).flatMap(([name, sum]) => {
      const amount = whole.get(name);
      if (amount === undefined || compareQuantities(sum, amount) <= 0) return [];
      if (key === "limits" && !isHugePages(name)) return [];
      const why = `must be greater than or equal to aggregate container ${key} of ${formatQuantity(sum)}`;
      return [invalid(`${field}.${key}[${name}]`, formatQuantity(amount), why)];
    });
  const single = fieldsIn(spec["containers"]).flatMap((container, index) =>
    sorted(amountsIn(at(container, "resources", "limits"))).flatMap(([name, limit]) => {
      const most = limits.get(name);
      if (most === undefined || compareQuantities(limit, most) <= 0) return [];
      const why = `must be less than or equal to pod limits of ${formatQuantity(most)}`;
      return [invalid(`${field}.containers[${index}][${name}].limits`, formatQuantity(limit), why)];
    }),
  );
  return [...sums("requests", requests), ...sums("limits", limits), ...single];
}

/** Validates pod-level resources. */
export function podResourcesErrors(resources: unknown, field: string, scope: PodScope): FieldError[] {
  if (!isFields(resources)) return [];
  if (osOf(scope) === "windows") return [notAllowed(field, "may not be set for a windows pod")];
  const claims = resources["claims"] === undefined ? [] : ["claims may not be set for Resources at pod-level"];
  return [
    ...claims.map((why) => notAllowed(`${field}.claims`, why)),
    ...requirementsErrors(resources, field, podResourceNameErrors),
    ...claimErrors(resources["claims"], `${field}.claims`, scope.claims),
    ...consistencyErrors(scope.spec, field),
  ];
}
