/**
 * Kinds that no controller reconciles: they hold data, permissions or settings, and take effect as soon as they are
 * stored.
 */
import { type Kind, resourceOf } from "../api/kind.ts";
import type { Examined } from "./diagnosis.ts";

const passive: ReadonlySet<string> = new Set([
  "bindings",
  "clusterroles.rbac.authorization.k8s.io",
  "configmaps",
  "controllerrevisions.apps",
  "csidrivers.storage.k8s.io",
  "csinodes.storage.k8s.io",
  "csistoragecapacities.storage.k8s.io",
  "deviceclasses.resource.k8s.io",
  "endpoints",
  "endpointslices.discovery.k8s.io",
  "events",
  "events.events.k8s.io",
  "flowschemas.flowcontrol.apiserver.k8s.io",
  "ingressclasses.networking.k8s.io",
  "ipaddresses.networking.k8s.io",
  "leases.coordination.k8s.io",
  "limitranges",
  "networkpolicies.networking.k8s.io",
  "podtemplates",
  "priorityclasses.scheduling.k8s.io",
  "prioritylevelconfigurations.flowcontrol.apiserver.k8s.io",
  "resourceclaimtemplates.resource.k8s.io",
  "resourceslices.resource.k8s.io",
  "roles.rbac.authorization.k8s.io",
  "runtimeclasses.node.k8s.io",
  "secrets",
  "serviceaccounts",
  "storageclasses.storage.k8s.io",
]);

/** Whether no controller reconciles the kind. */
export function isPassive(kind: Kind): boolean {
  return passive.has(resourceOf(kind));
}

/** Passive objects are well if they exist. */
export function examinePassive(): Examined {
  const says = "it is stored, and no controller has to act on it";
  return { says, reached: true, findings: [], seen: ["that it exists"], unseen: [] };
}
