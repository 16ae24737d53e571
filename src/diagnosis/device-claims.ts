/** What a ResourceClaim waits for: the class of its devices, a pod that uses it, devices without taints. */
import { classRequestsOf, deviceClaimKeysOf } from "../api/device-claims.ts";
import { devicesOf, deviceText, poolKey, poolOfSlice, untoleratedTaints } from "../api/device-taints.ts";
import { formatAge } from "../api/duration.ts";
import { keyOf } from "../api/key.ts";
import { DeviceClasses, Pods, ResourceClaims, ResourceSlices } from "../api/kinds.ts";
import { pluralize } from "../api/pluralize.ts";
import type { Pod, ResourceClaim } from "../api/types.ts";
import type { Unseen } from "../verdict/verdict.ts";
import { type Examined, type Finding, inNamespace, type Item, kubectl, refOf } from "./diagnosis.ts";
import { aside, type Look } from "./look.ts";

/** By its devices and their taints, and before it has any by its classes and the pods that use it. */
export function examineResourceClaim(look: Look, item: Item<ResourceClaim>): Examined {
  return item.object.status?.allocation === undefined ? unallocated(look, item) : allocated(look, item);
}

function unallocated(look: Look, item: Item<ResourceClaim>): Examined {
  const claim = item.object;
  const { findings, unseen } = lackOfDevices(look, { kind: ResourceClaims, object: claim });
  const { objects, unseen: unseenPods } = look.list(Pods, claim.metadata.namespace ?? "");
  const users = objects.filter((pod) => deviceClaimKeysOf(pod).includes(keyOf(claim)));
  const own = { at: refOf(item), ...waitsFor(users, unseenPods.length === 0) };
  return {
    says: "it has no devices yet",
    reached: false,
    findings: [...findings, own],
    seen: ["its status", "the pods of its namespace"],
    unseen: aside([...unseen, ...unseenPods]),
  };
}

function waitsFor(users: readonly Pod[], areAllKnown: boolean): Pick<Finding, "why" | "advice"> {
  const when = "the scheduler allocates its devices when it schedules a pod that uses it";
  const [first] = users;
  if (first === undefined) return { why: areAllKnown ? `${when}, and no pod uses it` : when };
  // The pod was assigned to a node without the scheduler, and only the scheduler allocates devices.
  const placed = users.find(({ spec }) => (spec?.nodeName ?? "") !== "");
  const { name, namespace } = (placed ?? first).metadata;
  const waiting = users.length === 1 ? `Pod ${name} has` : `Pod ${name} and ${users.length - 1} more have`;
  return {
    why:
      placed === undefined
        ? `${when}: ${waiting} no node yet`
        : `${when}: Pod ${name} already has a node, so the claim may never get any`,
    advice: [kubectl(`describe pod ${name}${inNamespace(namespace)}`)],
  };
}

interface Lack {
  readonly findings: readonly Finding[];
  readonly unseen: readonly Unseen[];
}

/** Why a claim without devices cannot get any: a class that does not exist, or no driver that lists devices. */
export function lackOfDevices(look: Look, item: Item<ResourceClaim>): Lack {
  const lack = missingClasses(look, item.object);
  if (lack.findings.length > 0) return lack;
  const { objects, unseen } = look.list(ResourceSlices, "");
  const isAny = unseen.length > 0 || objects.some(({ spec }) => (spec.devices ?? []).length > 0);
  const why = "no ResourceSlice lists any devices: a DRA driver has to publish one";
  const none = { at: refOf(item), why, advice: [kubectl("get resourceslices")] };
  return { findings: isAny ? [] : [none], unseen: [...lack.unseen, ...unseen] };
}

/** Classes that its requests refer to and that do not exist: it never gets devices then. */
function missingClasses(look: Look, { spec }: ResourceClaim): Lack {
  const names = classRequestsOf(spec).map(({ deviceClass }) => deviceClass);
  const findings: Finding[] = [];
  const unseen: Unseen[] = [];
  for (const name of new Set(names)) {
    const found = look.get(DeviceClasses, "", name);
    if (found.is === "unseen") unseen.push(found.unseen);
    if (found.is !== "missing") continue;
    findings.push({
      at: { kind: DeviceClasses, namespace: "", name },
      why: "there is no such DeviceClass, but the claim requests devices from it",
      advice: [kubectl("get deviceclasses")],
    });
  }
  return { findings, unseen };
}

function allocated(look: Look, item: Item<ResourceClaim>): Examined {
  const claim = item.object;
  const devices = devicesOf(claim);
  const { objects: slices, unseen } = look.list(ResourceSlices, "");
  const slicesOf = (pool: string): typeof slices => slices.filter((slice) => poolOfSlice(slice) === pool);
  const findings = untoleratedTaints(claim, slicesOf).map(({ device, taint, at }): Finding => {
    const goes = at > look.now ? `in ${formatAge(at - look.now)} ` : "";
    return {
      at: refOf(item),
      why: `device ${device} has the taint ${taint}: pods that use it are deleted ${goes}by device-taint-eviction`,
      advice: [kubectl("get resourceslices")],
    };
  });
  const lost = devices.filter((device) => {
    const pool = slicesOf(poolKey(device));
    return unseen.length === 0 && !pool.some(({ spec }) => spec.devices?.some(({ name }) => name === device.device));
  });
  return {
    says: `it has ${pluralize(devices.length, "device")}, reserved for ${consumersText(claim)}`,
    reached: findings.length === 0,
    findings,
    seen: ["its status", ...(unseen.length === 0 ? ["the taints of its devices"] : [])],
    unseen: aside(unseen),
    notes: lost.map((device) => `no ResourceSlice lists its device ${deviceText(device)}`),
  };
}

/** `Pod web-1`, `Pod web-1 and 2 more`, `nobody`. */
export function consumersText({ status }: ResourceClaim): string {
  const [first, ...others] = status?.reservedFor ?? [];
  if (first === undefined) return "nobody";
  const kind = first.resource === Pods.plural ? "Pod" : first.resource;
  return `${kind} ${first.name}${others.length === 0 ? "" : ` and ${others.length} more`}`;
}
