/** Which applied objects a controller here acts on. */
import type { ControllerDefinition } from "../../controller/api/definition.ts";
import { persistentVolumeBinder } from "../../controllers/persistentvolume-binder/persistentvolume-binder.ts";
import { persistentVolumeExpander } from "../../controllers/persistentvolume-expander/persistentvolume-expander.ts";
import { persistentVolumeProtection } from "../../controllers/persistentvolume-protection/persistentvolume-protection.ts";
import { persistentVolumeClaimProtection } from "../../controllers/persistentvolumeclaim-protection/persistentvolumeclaim-protection.ts";
import { volumeAttributesClassProtection } from "../../controllers/volumeattributesclass-protection/volumeattributesclass-protection.ts";
import type { KindName } from "../../trace/names.ts";
import type { AppliedChange } from "./apply.ts";

/** No controller acts on these: others read them. */
const passive: ReadonlySet<string> = new Set([
  "ConfigMap",
  "Secret",
  "ServiceAccount",
  "Namespace",
  "Role",
  "RoleBinding",
  "ClusterRole",
  "ClusterRoleBinding",
  "PriorityClass",
  "RuntimeClass",
  "StorageClass",
  "IngressClass",
  "LimitRange",
  "PodTemplate",
  "ControllerRevision",
  "Lease",
  "ResourceClaimTemplate",
  "DeviceClass",
  "ResourceSlice",
  "Event",
  "Node",
]);

/** Kinds whose controllers always run: the scheduler, the kubelet and those of `always-run.ts`. */
const alwaysFollowed: ReadonlySet<string> = new Set(["Pod", "ResourceQuota"]);

/** Controllers that only guard the deletion of their objects, or do not run: nothing here binds a claim or provisions a volume. */
const guards: ReadonlySet<string> = new Set([
  persistentVolumeBinder.name,
  persistentVolumeExpander.name,
  persistentVolumeClaimProtection.name,
  persistentVolumeProtection.name,
  volumeAttributesClassProtection.name,
]);

/** What acts on objects. */
export interface Reconcilers {
  readonly controllers: readonly ControllerDefinition[];
  /** Whether a running program watches the kind. Default: no program. */
  readonly follows?: ((of: KindName) => boolean) | undefined;
}

/** An object that was applied, or otherwise changed. */
export type Followed = Pick<AppliedChange, "of" | "key" | "did" | "isCustom">;

/** Whether one of them reconciles the changed object, or none needs to. */
export function isReconciled({ of, did, isCustom }: Followed, { controllers, follows }: Reconcilers): boolean {
  if (isCustom === true) return false;
  // A program that creates a Job watches it too; the Job controller creates its pods.
  if (follows?.(of) === true) return true;
  if (of.group === "" && alwaysFollowed.has(of.kind)) return true;
  if (did !== "deleted" && passive.has(of.kind)) return true;
  const own = controllers.filter((controller) => controller.for?.kind === of.kind && controller.for.group === of.group);
  if (own.some(({ name }) => did === "deleted" || !guards.has(name))) return true;
  // The garbage collector handles the dependents of a deleted object.
  return did === "deleted" && controllers.some(({ name }) => name.startsWith("garbage"));
}

/** Kinds whose controllers create workloads of another kind, which run the pods. */
const workloadsBelow: ReadonlyMap<string, KindName> = new Map([
  ["apps/Deployment", { group: "apps", kind: "ReplicaSet" }],
]);

/** The kind of the workloads between such an object and its pods, if no controller here reconciles them. */
export function missingBelow({ group, kind }: KindName, reconcilers: Reconcilers): KindName | undefined {
  const below = workloadsBelow.get(`${group}/${kind}`);
  return below === undefined || isReconciled({ of: below, key: "", did: "created" }, reconcilers) ? undefined : below;
}
