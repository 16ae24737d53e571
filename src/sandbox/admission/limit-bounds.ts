/**
 * The bounds of a LimitRange, and the real server's messages for violations.
 * Source: kubernetes v1.36 plugin/pkg/admission/limitranger/admission.go.
 */
import { amountsOf, type Amounts } from "../../api/quota/amounts.ts";
import { compareQuantities, formatQuantity, type Quantity } from "../../api/quantity.ts";
import { isFields, type Fields } from "../meta/object.ts";

/** The resources of a container, a pod or a claim. */
export interface Requirements {
  readonly requests: Amounts;
  /** Undefined for claims, which have only requests. */
  readonly limits?: Amounts;
}

/** The quantities of a field that may be absent. */
export function quantitiesIn(list: unknown): Amounts {
  // Quantities were validated: they are strings.
  return amountsOf(isFields(list) ? (list as Readonly<Record<string, string>>) : undefined);
}

/** Violations: one message per resource outside a bound of the LimitRange's item. */
export function problemsWith(requirements: Requirements, item: Fields): readonly string[] {
  const type = String(item["type"]);
  const each = (field: string, check: (bound: Bound) => string | undefined): readonly string[] =>
    [...quantitiesIn(item[field])].flatMap(([name, quantity]) => check({ type, name, quantity }) ?? []);
  return [
    ...each("min", (bound) => belowMinimum(bound, requirements)),
    ...each("max", (bound) => aboveMaximum(bound, requirements)),
    ...each("maxLimitRequestRatio", (bound) => aboveRatio(bound, requirements)),
  ];
}

interface Bound {
  readonly type: string;
  readonly name: string;
  readonly quantity: Quantity;
}

function belowMinimum({ type, name, quantity }: Bound, { requests, limits }: Requirements): string | undefined {
  const minimum = `minimum ${name} usage per ${type} is ${formatQuantity(quantity)}`;
  const [request, limit] = [requests.get(name), limits?.get(name)];
  if (request === undefined) return `${minimum}.  No request is specified`;
  if (compareQuantities(request, quantity) < 0) return `${minimum}, but request is ${formatQuantity(request)}`;
  if (limit === undefined || compareQuantities(limit, quantity) >= 0) return undefined;
  return `${minimum}, but limit is ${formatQuantity(limit)}`;
}

/** If there can be limits, the limit must be set. */
function aboveMaximum({ type, name, quantity }: Bound, { requests, limits }: Requirements): string | undefined {
  const maximum = `maximum ${name} usage per ${type} is ${formatQuantity(quantity)}`;
  const [request, limit] = [requests.get(name), limits?.get(name)];
  if (limits !== undefined && limit === undefined) return `${maximum}.  No limit is specified`;
  if (limits === undefined && request === undefined) return `${maximum}.  No request is specified`;
  if (limit !== undefined && compareQuantities(limit, quantity) > 0)
    return `${maximum}, but limit is ${formatQuantity(limit)}`;
  if (request === undefined || compareQuantities(request, quantity) <= 0) return undefined;
  return `${maximum}, but request is ${formatQuantity(request)}`;
}

function aboveRatio({ type, name, quantity }: Bound, { requests, limits }: Requirements): string | undefined {
  const maximum = `${name} max limit to request ratio per ${type} is ${formatQuantity(quantity)}`;
  const request = requests.get(name)?.nano ?? 0n;
  const limit = limits?.get(name)?.nano ?? 0n;
  if (request === 0n) return `${maximum}, but no request is specified or request is 0`;
  if (limit === 0n) return `${maximum}, but no limit is specified or limit is 0`;
  const ratio = Number(limit) / Number(request);
  return ratio * 1e9 > Number(quantity.nano) ? `${maximum}, but provided ratio is ${ratio.toFixed(6)}` : undefined;
}
