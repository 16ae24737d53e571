/**
 * Validates load balancer statuses. Source: kubernetes v1.36 pkg/apis/core/validation ValidateLoadBalancerStatus;
 * pkg/apis/networking/validation ValidateIngressLoadBalancerStatus.
 */
import { subdomainProblems } from "../../api/label-names.ts";
import { invalid, type FieldError } from "../meta/field-errors.ts";
import { at, fieldsIn, textOf, type ApiObject, type Fields } from "../meta/object.ts";
import { eachErrors } from "./checks.ts";
import { listedWarnings } from "./address-warnings.ts";
import { addressErrors, isAddress } from "./cidr.ts";

/** The field path in a status. */
export const balancerField = "status.loadBalancer.ingress";

function hostErrors(host: string, path: string): FieldError[] {
  if (host === "") return [];
  const errors = subdomainProblems(host).map((problem) => invalid(path, host, problem));
  if (isAddress(host)) errors.push(invalid(path, host, "must be a DNS name, not an IP address"));
  return errors;
}

/** Warnings about the addresses in a status. */
export const balancerWarnings = ({ status }: ApiObject): string[] =>
  listedWarnings(at(status, "loadBalancer", "ingress"), (index) => `${balancerField}[${index}]`);

/** A status with a load balancer, and the old status, whose values may stay. */
interface Balancer {
  readonly status: unknown;
  readonly old: unknown;
}

/** Validates a load balancer's addresses; `more` validates the other fields of an entry. */
export function balancerErrors(
  { status, old }: Balancer,
  more: (entry: Fields, path: string) => FieldError[] = () => [],
): FieldError[] {
  const known = new Set(fieldsIn(at(old, "loadBalancer", "ingress")).map(({ ip }) => textOf(ip)));
  return eachErrors(fieldsIn(at(status, "loadBalancer", "ingress")), balancerField, (entry, path) => {
    const ip = textOf(entry["ip"]);
    return [
      ...(ip === "" || known.has(ip) ? [] : addressErrors(ip, `${path}.ip`)),
      ...more(entry, path),
      ...hostErrors(textOf(entry["hostname"]), `${path}.hostname`),
    ];
  });
}
