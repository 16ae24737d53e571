/** Validates the load balancer status of a Service. Source: kubernetes v1.36 pkg/apis/core/validation ValidateLoadBalancerStatus. */
import { notAllowed, notSupported, required, type FieldError } from "../../../meta/field-errors.ts";
import { at, fieldsIn, textOf, type ApiObject, type Fields } from "../../../meta/object.ts";
import { balancerErrors, balancerField } from "../../../validation/balancer.ts";

const modes = ["Proxy", "VIP"];

function modeErrors({ ip, ipMode: mode }: Fields, path: string): FieldError[] {
  if (mode === undefined) return textOf(ip) === "" ? [] : [required(path, "must be specified when `ip` is set")];
  if (textOf(ip) === "") return [notAllowed(path, "may not be specified when `ip` is not set")];
  return modes.includes(textOf(mode)) ? [] : [notSupported(path, mode, modes)];
}

/** Validates the load balancer status of a Service. */
export function balancerStatusErrors({ spec = {}, status }: ApiObject, { status: old }: ApiObject): FieldError[] {
  if (spec["type"] === "LoadBalancer")
    return balancerErrors({ status, old }, (entry, path) => modeErrors(entry, `${path}.ipMode`));
  const entries = fieldsIn(at(status, "loadBalancer", "ingress"));
  return entries.length === 0 ? [] : [notAllowed(balancerField, "may only be used when `spec.type` is 'LoadBalancer'")];
}
