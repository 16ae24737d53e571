/** What the status of a Service may say of its load balancer. Source: kubernetes v1.36 pkg/apis/core/validation ValidateLoadBalancerStatus. */
import { subdomainProblems } from "../../../../api/label-names.ts";
import { invalid, notAllowed, notSupported, required, type FieldError } from "../../../meta/field-errors.ts";
import { at, fieldsIn, textOf, type ApiObject, type Fields } from "../../../meta/object.ts";
import { eachErrors } from "../../../validation/checks.ts";
import { addressErrors, isAddress } from "../../../validation/cidr.ts";

const modes = ["Proxy", "VIP"];
const field = "status.loadBalancer.ingress";

function modeErrors({ ip, ipMode: mode }: Fields, path: string): FieldError[] {
  if (mode === undefined) return textOf(ip) === "" ? [] : [required(path, "must be specified when `ip` is set")];
  if (textOf(ip) === "") return [notAllowed(path, "may not be specified when `ip` is not set")];
  return modes.includes(textOf(mode)) ? [] : [notSupported(path, mode, modes)];
}

function hostErrors(host: string, path: string): FieldError[] {
  if (host === "") return [];
  const errors = subdomainProblems(host).map((problem) => invalid(path, host, problem));
  if (isAddress(host)) errors.push(invalid(path, host, "must be a DNS name, not an IP address"));
  return errors;
}

/** What is wrong with the addresses of the load balancer; those that it had before may stay. */
export function balancerStatusErrors({ spec = {}, status }: ApiObject, old: ApiObject): FieldError[] {
  const entries = fieldsIn(at(status, "loadBalancer", "ingress"));
  if (spec["type"] !== "LoadBalancer")
    return entries.length === 0 ? [] : [notAllowed(field, "may only be used when `spec.type` is 'LoadBalancer'")];
  const known = new Set(fieldsIn(at(old.status, "loadBalancer", "ingress")).map(({ ip }) => textOf(ip)));
  return eachErrors(entries, field, (entry, path) => {
    const ip = textOf(entry["ip"]);
    return [
      ...(ip === "" || known.has(ip) ? [] : addressErrors(ip, `${path}.ip`)),
      ...modeErrors(entry, `${path}.ipMode`),
      ...hostErrors(textOf(entry["hostname"]), `${path}.hostname`),
    ];
  });
}
