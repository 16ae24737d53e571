/** Eviction of pods by device taints. Source: kubernetes v1.36 pkg/controller/devicetainteviction/device_taint_eviction.go. */
import { devicesOf, evictingTaints, poolIndex, poolKey, poolOfSlice, poolsOfClaim } from "../../api/device-taints.ts";
import { deepEqual } from "../../api/field-changes.ts";
import { keyOf, objectKey } from "../../api/key.ts";
import { Pods, ResourceClaims, ResourceSlices } from "../../api/kinds.ts";
import type { Pod, ResourceClaim, ResourceSlice } from "../../api/types.ts";
import {
  type ControllerDefinition,
  defineController,
  type Notification,
  watch,
  type WatchContext,
} from "../../controller/api/definition.ts";
import { podClaimsOf } from "../../api/device-claims.ts";
import { appointments, evicted, poolTaints } from "./memory.ts";
import { rules } from "./rules.ts";
import { syncPod } from "./sync.ts";

/** Deletes pods whose claims do not, or no longer, tolerate the NoExecute taints of their devices. */
export const deviceTaintEviction: ControllerDefinition = defineController<Pod>({
  name: "device-taint-eviction",
  aliases: ["device-taint-eviction-controller"],
  purpose: "deletes pods that do not tolerate the NoExecute taints of their devices",
  component: "device-taint-eviction-controller",
  source: "pkg/controller/devicetainteviction/device_taint_eviction.go",
  for: Pods,
  watches: [
    watch<Pod>({ kind: Pods, on: onPod }),
    watch<ResourceClaim>({ kind: ResourceClaims, indexes: { [poolIndex]: poolsOfClaim }, on: onClaim }),
    watch<ResourceSlice>({
      kind: ResourceSlices,
      indexes: { [poolIndex]: (slice) => [poolOfSlice(slice)] },
      on: onSlice,
    }),
  ],
  workers: 8,
  ifRunTwice: "the second of two deletions would be refused",
  rules,
  // Granted by upstream's role too: kubernetes v1.36 plugin/pkg/auth/authorizer/rbac/bootstrappolicy/controller_policy.go.
  permissions: [
    { group: "", resource: "pods", verbs: ["get", "delete"] },
    { group: "", resource: "pods/status", verbs: ["patch"] },
  ],
  sync: (_key, context) => syncPod(context),
});

/** Only its node and claims count; the status written before its deletion does not enqueue it. */
function onPod(notification: Notification<Pod>, context: WatchContext): void {
  const { type, object: pod } = notification;
  if (podClaimsOf(pod).length === 0) return;
  if (type === "updated") {
    const { before } = notification;
    const isSame =
      before.spec?.nodeName === pod.spec?.nodeName &&
      deepEqual(before.status?.resourceClaimStatuses, pod.status?.resourceClaimStatuses);
    if (isSame) return;
  }
  const isKnown = context.state(appointments).has(keyOf(pod));
  if (isKnown || (type !== "deleted" && (pod.spec?.nodeName ?? "") !== "")) wake(pod, context);
}

function onClaim(notification: Notification<ResourceClaim>, context: WatchContext): void {
  const { type, object: claim } = notification;
  const before = type === "updated" ? notification.before : claim;
  if (devicesOf(claim).length === 0 && devicesOf(before).length === 0) return;
  for (const each of new Set([before, claim])) wakePodsOf(each, context);
}

/** Only claims on devices whose taints have changed count. */
function onSlice({ object: slice }: Notification<ResourceSlice>, context: WatchContext): void {
  const pool = poolOfSlice(slice);
  const known = context.state(poolTaints);
  // Compared with those of the last call: the cache may be ahead of the notification.
  const before = known.get(pool) ?? evictingTaints([]);
  const after = evictingTaints(context.cache(ResourceSlices).byIndex(poolIndex, pool));
  if (after.size === 0) known.delete(pool);
  else known.set(pool, after);
  const changed = new Set(
    [...before.keys(), ...after.keys()].filter((name) => !deepEqual(before.get(name), after.get(name))),
  );
  if (changed.size === 0) return;
  for (const claim of context.cache(ResourceClaims).byIndex(poolIndex, pool)) {
    if (devicesOf(claim).some((device) => poolKey(device) === pool && changed.has(device.device)))
      wakePodsOf(claim, context);
  }
}

/** As upstream: the pods for which the claim is reserved, not all that name it. Source: handlePods. */
function wakePodsOf({ metadata, status }: ResourceClaim, context: WatchContext): void {
  for (const { apiGroup = "", resource, name, uid } of status?.reservedFor ?? []) {
    if (apiGroup !== "" || resource !== "pods") continue;
    const pod = context.cache(Pods).get(objectKey(metadata.namespace, name));
    if (pod?.metadata.uid === uid && (pod.spec?.nodeName ?? "") !== "") wake(pod, context);
  }
}

function wake(pod: Pod, context: WatchContext): void {
  const { uid } = pod.metadata;
  const past = context.state(evicted);
  if (past.get(uid) !== undefined) past.set(uid, "woken");
  context.enqueue(keyOf(pod));
}
