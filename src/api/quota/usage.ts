/**
 * How much of a ResourceQuota objects use: pure counting, for the API server, which charges new objects, and for the controller, which adds
 * up existing ones.
 *
 * Source: kubernetes v1.36 pkg/quota/v1/evaluator/core; apiserver v0.36 pkg/quota/v1/generic/evaluator.go. Differs: the devices of a
 * ResourceClaim do not count as an extended resource of their class.
 */
import { deepEqual } from "../deep-equal.ts";
import { ResourceClaims } from "../kinds.ts";
import { parseQuantity, type Quantity } from "../quantity.ts";
import type { ContainerStatus, PersistentVolumeClaim, Pod, ResourceClaim, Service } from "../types.ts";
import { type Amounts, wholeAmount } from "./amounts.ts";
import type { Countable, CountedResource } from "./counted.ts";
import { countsPods, isCharged, podUsage } from "./pod-usage.ts";
import { isTerminating } from "./scopes.ts";
import { classOfClaim } from "../storage/volume-binding.ts";
import { deviceCounts, isDeviceCount } from "./claimed-devices.ts";

const aliases: ReadonlySet<string> = new Set(["configmaps", "resourcequotas", "replicationcontrollers", "secrets"]);
const ofServices: ReadonlySet<string> = new Set(["services", "services.nodeports", "services.loadbalancers"]);
const ofClaims = ["persistentvolumeclaims", "requests.storage"] as const;
const byClass = ".storageclass.storage.k8s.io/";

/** The resource name by which objects of any resource are counted: `count/jobs.batch`. */
function countName({ group, plural }: CountedResource): string {
  return group === "" ? `count/${plural}` : `count/${plural}.${group}`;
}

function isResourceClaims({ group, plural }: CountedResource): boolean {
  return group === ResourceClaims.group && plural === ResourceClaims.plural;
}

/** The resource names of a quota under which objects of the resource count. */
export function namesFor(resource: CountedResource, names: readonly string[]): readonly string[] {
  const count = countName(resource);
  return names.filter((name) => name === count || countsMore(resource, name));
}

function countsMore(resource: CountedResource, name: string): boolean {
  const { group, plural } = resource;
  if (isResourceClaims(resource)) return isDeviceCount(name);
  if (group !== "") return false;
  if (plural === "pods") return countsPods(name);
  if (plural === "services") return ofServices.has(name);
  if (plural === "persistentvolumeclaims") {
    return ofClaims.some((each) => name === each || name.endsWith(`${byClass}${each}`));
  }
  return aliases.has(plural) && name === plural;
}

/** The usage of one object, by all names under which it counts. `now` in ms since 1970. */
export function usageOf(resource: CountedResource, object: Countable, now: number): Amounts {
  const { group, plural } = resource;
  // The resource determines the type of the object.
  if (group === "" && plural === "pods") return podUsage(object as Pod, now);
  const usage: Amounts = new Map([[countName(resource), wholeAmount(1)]]);
  if (isResourceClaims(resource)) {
    for (const [name, count] of deviceCounts(object as ResourceClaim)) usage.set(name, wholeAmount(count));
  }
  if (group !== "") return usage;
  if (aliases.has(plural)) usage.set(plural, wholeAmount(1));
  if (plural === "services") serviceUsage(object as Service, usage);
  if (plural === "persistentvolumeclaims") claimUsage(object as PersistentVolumeClaim, usage);
  return usage;
}

function serviceUsage({ spec }: Service, usage: Amounts): void {
  const ports = spec?.ports ?? [];
  const balanced = spec?.type === "LoadBalancer";
  // Node ports are charged before they are allocated: they will be.
  const given =
    balanced && spec.allocateLoadBalancerNodePorts === false
      ? ports.filter(({ nodePort = 0 }) => nodePort !== 0).length
      : balanced || spec?.type === "NodePort"
        ? ports.length
        : 0;
  usage.set("services", wholeAmount(1));
  usage.set("services.nodeports", wholeAmount(given));
  usage.set("services.loadbalancers", wholeAmount(balanced ? 1 : 0));
}

function claimUsage(claim: PersistentVolumeClaim, usage: Amounts): void {
  const storageClass = classOfClaim(claim);
  const put = (name: (typeof ofClaims)[number], quantity: Quantity): void => {
    usage.set(name, quantity);
    if (storageClass !== "") usage.set(`${storageClass}${byClass}${name}`, quantity);
  };
  put("persistentvolumeclaims", wholeAmount(1));
  const storage = storageOf(claim);
  if (storage !== undefined) put("requests.storage", storage);
}

/** In whole bytes. A claim reduced during its expansion is charged for its allocated size. */
function storageOf({ spec, status }: PersistentVolumeClaim): Quantity | undefined {
  const requested = parseQuantity(spec?.resources?.requests?.["storage"] ?? "");
  if (requested === undefined) return undefined;
  const given = parseQuantity(status?.allocatedResources?.["storage"] ?? "");
  const { nano, format } = given !== undefined && given.nano > requested.nano ? given : requested;
  const unit = 1_000_000_000n;
  return { nano: ((nano + unit - 1n) / unit) * unit, format };
}

/**
 * Whether a change of an object may have changed its usage in a way that the API server did not charge: then its quotas
 * are recounted. Source: kubernetes v1.36 pkg/quota/v1/install/update_filter.go.
 */
export function changesUsage(
  { group, plural }: CountedResource,
  change: { readonly before: Countable; readonly after: Countable; readonly now: number },
): boolean {
  if (group !== "") return false;
  const { now } = change;
  switch (plural) {
    case "pods": {
      const [before, after] = [change.before as Pod, change.after as Pod];
      if (hasNewResources(before, after)) return true;
      if (isTerminating(before) !== isTerminating(after)) return true;
      return isCharged(before, now) && !isCharged(after, now);
    }
    case "services": {
      const typeOf = ({ spec }: Service): string =>
        spec?.type === "NodePort" || spec?.type === "LoadBalancer" ? spec.type : "";
      return typeOf(change.before as Service) !== typeOf(change.after as Service);
    }
    case "persistentvolumeclaims":
      // Upstream compares the addresses of two copies, which always differ (RequiresQuotaReplenish). So a smaller request is credited too.
      return true;
    default:
      return false;
  }
}

/** Whether the actual resources of a container have changed that both versions report. */
function hasNewResources(before: Pod, after: Pod): boolean {
  const differs = (old: Statuses = [], now: Statuses = []): boolean =>
    old.some(({ name, resources }) => {
      const same = now.find((status) => status.name === name);
      return same !== undefined && !deepEqual(resources, same.resources);
    });
  return (
    differs(before.status?.containerStatuses, after.status?.containerStatuses) ||
    differs(before.status?.initContainerStatuses, after.status?.initContainerStatuses)
  );
}

type Statuses = readonly ContainerStatus[] | undefined;
