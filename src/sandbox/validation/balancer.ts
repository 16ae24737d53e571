/** The addresses of load balancers. Source: kubernetes v1.36 pkg/apis/core/validation ValidateLoadBalancerStatus; pkg/apis/networking/validation ValidateIngressLoadBalancerStatus. */
import { subdomainProblems } from "../../api/label-names.ts";
import { invalid, type FieldError } from "../meta/field-errors.ts";
import { at, fieldsIn, textOf, type Fields } from "../meta/object.ts";
import { eachErrors } from "./checks.ts";
import { addressErrors, isAddress } from "./cidr.ts";

/** Where a status has them. */
export const balancerField = "status.loadBalancer.ingress";

function hostErrors(host: string, path: string): FieldError[] {
  if (host === "") return [];
  const errors = subdomainProblems(host).map((problem) => invalid(path, host, problem));
  if (isAddress(host)) errors.push(invalid(path, host, "must be a DNS name, not an IP address"));
  return errors;
}

/** The addresses of a load balancer in a status, and what it had before, which may stay. */
interface Balancer {
  readonly status: unknown;
  readonly old: unknown;
}

/** What is wrong with the addresses of a load balancer; `more`: with an entry beside its address and its name. */
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
