/**
 * Who may write which part of a ResourceClaim's status, besides having the right to write it at all. Source: kubernetes v1.36
 * pkg/registry/resource/utils.go AuthorizedForAdminStatus, AuthorizedForBinding, AuthorizedForDeviceStatus, and
 * pkg/registry/resource/resourceclaim/strategy.go.
 */
import { accountNodeOf } from "../../meta/access.ts";
import { type FieldError, notAllowed } from "../../meta/field-errors.ts";
import { at, fieldsIn, isFields, textOf, textsIn } from "../../meta/object.ts";
import { isEqual } from "../../validation/checks.ts";
import type { ChangedObject } from "../strategy/rest-strategy.ts";
import { identityKeyOf } from "./device-identity.ts";
import { adminResultErrors, type ChangedStatus } from "./device-requests.ts";

interface Change extends ChangedStatus {
  readonly namespace: string;
}

/** The scheduler allocates and reserves: it needs the write's verb on `resourceclaims/binding`, in all namespaces. */
function bindingErrors({ now, before, context: { verb, denialOf } }: Change): FieldError[] {
  const isReservedAsBefore = isEqual(fieldsIn(now["reservedFor"]), fieldsIn(before["reservedFor"]));
  if (isReservedAsBefore && isEqual(now["allocation"], before["allocation"])) return [];
  const denied = denialOf({ verb, subresource: "binding", namespace: "", name: "" });
  if (denied === undefined) return [];
  const needs = `resource="resourceclaims/binding", verb="${verb}" permission`;
  return [
    notAllowed(
      "status.allocation",
      `changing status.allocation or status.reservedFor requires ${needs}: ${denied.message}`,
    ),
  ];
}

/**
 * Drivers report their devices. Each needs `arbitrary-node:VERB` on `resourceclaims/driver` with the driver's name; a ServiceAccount on the
 * node that the claim is allocated to may have `associated-node:VERB` instead.
 */
function driverErrors(change: Change): FieldError[] {
  const { now, namespace, context } = change;
  const { user, verb, denialOf } = context;
  const node = nodeOf(now["allocation"]);
  const isOnNode = node !== undefined && node === accountNodeOf(user);
  const verbs = [...(isOnNode ? [`associated-node:${verb}`] : []), `arbitrary-node:${verb}`];
  return [...changedDrivers(change)].sort().flatMap((name) => {
    const denials = verbs.map((each) => denialOf({ verb: each, subresource: "driver", namespace, name }));
    const [denied] = denials;
    if (denied === undefined || denials.includes(undefined)) return [];
    const needs = `resource="resourceclaims/driver", verb="[${verbs.join(" ")}]" permission`;
    return [notAllowed("status.devices", `changing status.devices requires ${needs}: ${denied.message}`)];
  });
}

/** The drivers whose entries were added, changed or removed. */
function changedDrivers({ now, before }: Change): Set<string> {
  const left = new Map(fieldsIn(before["devices"]).map((device) => [identityKeyOf(device), device]));
  const drivers = new Set<string>();
  for (const device of fieldsIn(now["devices"])) {
    const identity = identityKeyOf(device);
    if (!isEqual(left.get(identity), device)) drivers.add(textOf(device["driver"]));
    left.delete(identity);
  }
  for (const { driver } of left.values()) drivers.add(textOf(driver));
  return drivers;
}

/** The only node that an allocation is usable on. */
function nodeOf(allocation: unknown): string | undefined {
  const [term, ...terms] = fieldsIn(at(allocation, "nodeSelector", "nodeSelectorTerms"));
  const [field, ...fields] = fieldsIn(term?.["matchFields"]);
  if (field === undefined || terms.length > 0 || fields.length > 0) return undefined;
  if (fieldsIn(term?.["matchExpressions"]).length > 0) return undefined;
  // It is valid only with a single value.
  const [node] = textsIn(field["values"]);
  return field["key"] === "metadata.name" && field["operator"] === "In" ? node : undefined;
}

/** The first step of a write of `resourceclaims/status`. The status of a claim that is not allocated has no devices to check. */
export function validateClaimRights({ object, old, context }: ChangedObject): readonly FieldError[] {
  const { status: now = {}, metadata } = object;
  const { status: before = {} } = old;
  const change = { now, before, namespace: metadata.namespace ?? "", context };
  return [
    ...adminResultErrors(change),
    ...bindingErrors(change),
    ...(isFields(now["allocation"]) ? driverErrors(change) : []),
  ];
}
