/**
 * How Services are reached: load balancers, traffic policies. Source: kubernetes v1.36 pkg/apis/core/validation/validation.go
 * validateService.
 */
import { invalid, notAllowed, required, type FieldError } from "../../../meta/field-errors.ts";
import { at, isFields, textOf, textsIn, type ApiObject, type Fields } from "../../../meta/object.ts";
import {
  choiceErrors,
  eachErrors,
  isNumber,
  neededChoiceErrors,
  portNumberErrors,
  qualifiedNameErrors,
} from "../../../validation/checks.ts";
import { cidrErrors } from "../../../validation/cidr.ts";
import { isReached } from "./service-addresses.ts";
import { needsHealthCheck } from "./service-ports.ts";

const longestAffinity = 86_400;

/** How long a client is sent to the same pod. */
export function affinityErrors(config: unknown): FieldError[] {
  const field = "spec.sessionAffinityConfig";
  const why = "when session affinity type is ClientIP";
  if (!isFields(config)) return [required(field, why)];
  const client = config["clientIP"];
  if (!isFields(client)) return [required(`${field}.clientIP`, why)];
  const seconds = at(client, "timeoutSeconds");
  const here = `${field}.clientIP.timeoutSeconds`;
  if (!isNumber(seconds)) return [required(here, why)];
  if (seconds > 0 && seconds <= longestAffinity) return [];
  return [invalid(here, seconds, `must be greater than 0 and less than ${longestAffinity}`)];
}

const rangesKey = "service.beta.kubernetes.io/load-balancer-source-ranges";

/** The source ranges of a load balancer, in the field or in the annotation that preceded it. */
function sourceRangeErrors({ metadata, spec = {} }: ApiObject): FieldError[] {
  const ranges = textsIn(spec["loadBalancerSourceRanges"]).map((range) => range.trim());
  const annotated = metadata.annotations?.[rangesKey];
  const [field, inField] = ["spec.LoadBalancerSourceRanges", ranges.length > 0];
  if (!inField && annotated === undefined) return [];
  const where = inField ? field : `metadata.annotations[${rangesKey}]`;
  const wrong =
    spec["type"] === "LoadBalancer" ? [] : [notAllowed(where, "may only be used when `type` is 'LoadBalancer'")];
  if (inField) return [...wrong, ...eachErrors(ranges, field, cidrErrors)];
  const listed = (annotated ?? "").trim();
  return [...wrong, ...(listed === "" ? [] : listed.split(",").flatMap((range) => cidrErrors(range.trim(), where)))];
}

const onlyBalancers = "may only be used when `type` is 'LoadBalancer'";

function balancerErrors(spec: Fields): FieldError[] {
  const { allocateLoadBalancerNodePorts: allocates, loadBalancerClass: name } = spec as Record<string, unknown>;
  const field = "spec.loadBalancerClass";
  if (spec["type"] === "LoadBalancer") return name === undefined ? [] : qualifiedNameErrors(name, field);
  return [
    ...(allocates === undefined ? [] : [notAllowed("spec.allocateLoadBalancerNodePorts", onlyBalancers)]),
    ...(name === undefined ? [] : [notAllowed(field, onlyBalancers)]),
  ];
}

/** The class of a load balancer cannot change. */
export function balancerClassChangeErrors(now: Fields, before: Fields): FieldError[] {
  const field = "spec.loadBalancerClass";
  const [name, had] = [now["loadBalancerClass"], before["loadBalancerClass"]];
  const both = now["type"] === "LoadBalancer" && before["type"] === "LoadBalancer";
  const changed = both && name !== had ? [invalid(field, name ?? null, "may not change once set")] : [];
  // The rest is reported for every Service, and again on update.
  if (now["type"] !== "LoadBalancer") return name === undefined ? [] : [notAllowed(field, onlyBalancers)];
  return name === undefined ? changed : [...changed, ...qualifiedNameErrors(name, field)];
}

function externalErrors(spec: Fields): FieldError[] {
  const policy = textOf(spec["externalTrafficPolicy"]);
  const field = "spec.externalTrafficPolicy";
  if (isReached(spec)) return neededChoiceErrors(policy, field, ["Cluster", "Local"]);
  return policy === "" ? [] : [invalid(field, policy, "may only be set for externally-accessible services")];
}

function healthErrors(spec: Fields): FieldError[] {
  const port = isNumber(spec["healthCheckNodePort"]) ? spec["healthCheckNodePort"] : 0;
  const field = "spec.healthCheckNodePort";
  if (needsHealthCheck(spec)) return port === 0 ? [required(field)] : portNumberErrors(port, field);
  const why = "may only be set when `type` is 'LoadBalancer' and `externalTrafficPolicy` is 'Local'";
  return port === 0 ? [] : [invalid(field, port, why)];
}

function internalErrors(spec: Fields): FieldError[] {
  const policy = spec["internalTrafficPolicy"];
  const field = "spec.internalTrafficPolicy";
  if (policy !== undefined) return choiceErrors(policy, field, ["Cluster", "Local"]);
  return ["NodePort", "LoadBalancer", "ClusterIP"].includes(textOf(spec["type"])) ? [required(field)] : [];
}

const distributions = ["PreferClose", "PreferSameZone", "PreferSameNode"];

/** All these checks, in the real server's order. */
export function reachErrors(service: ApiObject): FieldError[] {
  const { spec = {} } = service;
  const distribution = spec["trafficDistribution"];
  return [
    ...sourceRangeErrors(service),
    ...balancerErrors(spec),
    ...externalErrors(spec),
    ...healthErrors(spec),
    ...internalErrors(spec),
    ...(distribution === undefined ? [] : choiceErrors(distribution, "spec.trafficDistribution", distributions)),
  ];
}
