/**
 * Device claims. Allocation depends on the devices that drivers publish, which are not read here: a pod whose claims have devices goes
 * where these can be used; one whose claims certainly get none waits; any other is placed, and whether it gets devices is reported as
 * unknown.
 *
 * Source: kubernetes v1.36 pkg/scheduler/framework/plugins/dynamicresources/dynamicresources.go foreachPodResourceClaim,
 * validateDeviceClass.
 */
import {
  classRequestsOf,
  isControlledBy,
  meantBy,
  notOwnMessage,
  type PodClaim,
  podClaimsOf,
} from "../../api/device-claims.ts";
import { objectKey, type ObjectKey } from "../../api/key.ts";
import { DeviceClasses, Pods, ResourceClaims, ResourceClaimTemplates } from "../../api/kinds.ts";
import type { StoredObject } from "../../api/object.ts";
import type { Pod, ResourceClaim, ResourceClaimTemplate } from "../../api/types.ts";
import { type DevicesView, usableDevices } from "../../controllers/scheduler/devices.ts";
import type { Unseen } from "../../verdict/verdict.ts";
import { entryName, type State } from "../../views/state.ts";
import { ownedBy } from "./owned-by.ts";
import type { Followed } from "./reconciled-kinds.ts";
import { type Lookup, type Scope, whyUnknown } from "./scope.ts";

/** What is known about the cluster. */
export interface DeviceKnowledge {
  readonly lookup: Lookup;
  readonly scope: Scope;
}

function claimAt(lookup: Lookup, key: ObjectKey): ResourceClaim | undefined {
  // The kind implies the type.
  return lookup(ResourceClaims, key) as ResourceClaim | undefined;
}

/** For the scheduler: the claims of a pod that have devices. `deviceLack` covers what else it waits for. */
export function knownDevices(pod: Pod, lookup: Lookup): DevicesView {
  const named = podClaimsOf(pod).flatMap((entry): readonly ResourceClaim[] => {
    const meant = meantBy(pod, entry);
    if (meant.is !== "named") return [];
    const claim = claimAt(lookup, objectKey(pod.metadata.namespace, meant.name));
    return claim?.status?.allocation === undefined ? [] : [claim];
  });
  return usableDevices(named);
}

/** What keeps a pod from being placed: `there is no ResourceClaim shop/gpu (.spec.resourceClaims[0])`. */
export function deviceLack(pod: Pod, known: DeviceKnowledge): string | undefined {
  for (const [index, entry] of podClaimsOf(pod).entries()) {
    const why = lackOf({ pod, entry }, known);
    if (why !== undefined) return `${why} (.spec.resourceClaims[${index}])`;
  }
  return undefined;
}

function lackOf(
  { pod, entry }: { readonly pod: Pod; readonly entry: PodClaim },
  known: DeviceKnowledge,
): string | undefined {
  const { lookup, scope } = known;
  const meant = meantBy(pod, entry);
  if (meant.is === "not-needed" || meant.is === "unsupported") return undefined;
  const { namespace = "" } = pod.metadata;
  const claim = meant.is === "named" ? claimAt(lookup, objectKey(namespace, meant.name)) : undefined;
  if (claim !== undefined && meant.is === "named") {
    if (claim.metadata.deletionTimestamp !== undefined)
      return `ResourceClaim ${objectKey(namespace, meant.name)} is being deleted`;
    if (meant.isGenerated && !isControlledBy(claim, pod)) return notOwnMessage(claim, pod);
    return claim.status?.allocation === undefined ? classLack(claim.spec, known) : undefined;
  }
  if (meant.is === "named" && !meant.isGenerated) {
    const isKnown = whyUnknown(scope, ResourceClaims, namespace) === undefined;
    return isKnown ? `there is no ResourceClaim ${objectKey(namespace, meant.name)}` : undefined;
  }
  const key = objectKey(namespace, entry.resourceClaimTemplateName ?? "");
  // The kind implies the type.
  const template = lookup(ResourceClaimTemplates, key) as ResourceClaimTemplate | undefined;
  if (template !== undefined) return classLack(template.spec.spec, known);
  const isKnown = whyUnknown(scope, ResourceClaimTemplates, namespace) === undefined;
  return isKnown ? `there is no ResourceClaimTemplate ${key}` : undefined;
}

function classLack(spec: ResourceClaim["spec"], { lookup, scope }: DeviceKnowledge): string | undefined {
  if (whyUnknown(scope, DeviceClasses, "") !== undefined) return undefined;
  const missing = classRequestsOf(spec).find(
    ({ deviceClass }) => lookup(DeviceClasses, objectKey("", deviceClass)) === undefined,
  );
  return missing && `request ${missing.request}: there is no DeviceClass ${missing.deviceClass}`;
}

/** What is unknown about the devices of a placed pod. Undefined if they are allocated, or it needs none. */
function deviceDoubt(pod: Pod, { lookup, scope }: DeviceKnowledge): string | undefined {
  const { namespace = "" } = pod.metadata;
  for (const entry of podClaimsOf(pod)) {
    const meant = meantBy(pod, entry);
    if (meant.is === "not-needed") continue;
    const key = meant.is === "named" ? objectKey(namespace, meant.name) : undefined;
    const claim = key === undefined ? undefined : claimAt(lookup, key);
    if (claim?.status?.allocation !== undefined) continue;
    const unread = claim === undefined ? whyUnknown(scope, ResourceClaims, namespace) : undefined;
    const { resourceClaimTemplateName: template } = entry;
    const what =
      template === undefined
        ? `ResourceClaim ${key ?? entry.name}`
        : `a ResourceClaim of template ${objectKey(namespace, template)}`;
    return unread === undefined
      ? `a dry run allocates no devices, and does not know whether there are any for ${what}`
      : `${what} was not checked: ${unread}`;
  }
  return undefined;
}

/** Where doubts are searched for. */
export interface DoubtsInput {
  readonly before: State;
  readonly state: State;
  readonly scope: Scope;
}

/** Doubts about workloads with placed pods for which it is unknown whether they get devices: whether they start depends on that. */
export function deviceDoubts(workloads: readonly Followed[], { before, state, scope }: DoubtsInput): readonly Unseen[] {
  const lookup: Lookup = (of, key) => state.get(entryName(of, key))?.object;
  const doubts = new Map<string, string>();
  for (const { of, object } of state.values()) {
    if (of.group !== "" || of.kind !== Pods.kind) continue;
    const pod: Pod & StoredObject = object;
    if (podClaimsOf(pod).length === 0 || (pod.spec?.nodeName ?? "") === "") continue;
    const why = deviceDoubt(pod, { lookup, scope });
    if (why !== undefined && !(isAsBefore(pod, before) && !isKnown(pod, scope))) doubts.set(pod.metadata.uid, why);
  }
  if (doubts.size === 0) return [];
  return [...new Map(workloads.map((each) => [entryName(each.of, each.key), each])).values()].flatMap(
    ({ of, key, did }) => {
      const object = state.get(entryName(of, key))?.object;
      if (object === undefined || did === "deleted") return [];
      const pod = [object, ...ownedBy(object, state)].find(({ metadata }) => doubts.has(metadata.uid));
      const why = doubts.get(pod?.metadata.uid ?? "");
      return why === undefined ? [] : [{ what: `${of.kind} ${key}`, why, isDecisive: true }];
    },
  );
}

/** A pod that already had a node has its devices, whether or not its claims could be read. */
function isAsBefore({ metadata }: Pod, before: State): boolean {
  const was: Pod | undefined = before.get(entryName(Pods, objectKey(metadata.namespace, metadata.name)))?.object;
  return was?.metadata.uid === metadata.uid && (was?.spec?.nodeName ?? "") !== "";
}

function isKnown({ metadata }: Pod, scope: Scope): boolean {
  return whyUnknown(scope, ResourceClaims, metadata.namespace ?? "") === undefined;
}
