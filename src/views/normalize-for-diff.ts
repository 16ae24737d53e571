/** Prepares an object for a diff: removes fields that every write changes, and masks secrets. */
import { pathStep } from "../api/field-changes.ts";
import { isObject, type JsonObject } from "../api/json.ts";
import type { StoredObject } from "../api/object.ts";
import { isSecret } from "../trace/mask.ts";
import type { KindName } from "../trace/names.ts";

/** Groups of fields that are hidden unless switched on. */
export interface DiffVisibility {
  readonly managedFields?: boolean;
  /** Fields assigned by the cluster: uid, resourceVersion, generation, addresses, the placement of pods, container ids. */
  readonly ids?: boolean;
  /** creationTimestamp, the times in `status`, and the last-change-trigger-time of endpoints. */
  readonly times?: boolean;
}

const lastApplied = '.metadata.annotations["kubectl.kubernetes.io/last-applied-configuration"]';
const lastTrigger = '.metadata.annotations["endpoints.kubernetes.io/last-change-trigger-time"]';
/** The mask that kubectl diff uses for secrets. */
const masked = "***";

const ids: ReadonlySet<string> = new Set([
  ".metadata.uid",
  ".metadata.resourceVersion",
  ".metadata.generation",
  ".metadata.selfLink",
  ".status.observedGeneration",
  ".status.podIP",
  ".status.podIPs",
  ".status.hostIP",
  ".status.hostIPs",
  ".spec.clusterIP",
  ".spec.clusterIPs",
]);
/** The placement of a pod: its node, and the labels that binding copies from it. */
const placement: ReadonlySet<string> = new Set([
  ".spec.nodeName",
  '.metadata.labels["topology.kubernetes.io/zone"]',
  '.metadata.labels["topology.kubernetes.io/region"]',
]);
const idNames: ReadonlySet<string> = new Set(["containerID", "imageID", "observedGeneration"]);
const timeText = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d/;
const tokenVolume = /^kube-api-access-[a-z0-9]{5}$/;

function isHidden(of: KindName, path: string, key: string, value: unknown, shown: DiffVisibility): boolean {
  if (path === ".metadata.managedFields") return shown.managedFields !== true;
  if (path === lastApplied) return shown.managedFields !== true;
  const inStatus = path.startsWith(".status");
  if (shown.ids !== true) {
    if (ids.has(path)) return path !== ".spec.clusterIP" || value !== "None";
    if (of.kind === "Pod" && placement.has(path)) return true;
    if (inStatus && idNames.has(key)) return true;
    if (key === "uid" && (path.startsWith(".metadata.ownerReferences[") || path.endsWith(".targetRef.uid")))
      return true;
  }
  if (shown.times === true) return false;
  if (path === ".metadata.creationTimestamp" || path === lastTrigger) return true;
  // lastProbeTime is null for a probe that never ran.
  return inStatus && (typeof value === "string" ? timeText.test(value) : key === "lastProbeTime");
}

/**
 * The object without its hidden fields. If `other`, its other state, is given, masked values that differ are shown as `*** (before)` and
 * `*** (after)`.
 */
export function normalizeForDiff(
  of: KindName,
  object: StoredObject,
  shown: DiffVisibility,
  other?: { readonly object: StoredObject; readonly is: "before" | "after" },
): JsonObject {
  const form = (path: string, value: unknown, across: unknown): unknown => {
    if (Array.isArray(value)) {
      const there: readonly unknown[] = Array.isArray(across) ? across : [];
      return value.map((item: unknown, index) => form(`${path}[${index}]`, item, there[index]));
    }
    if (typeof value === "string" && shown.ids !== true && tokenVolume.test(value)) return "kube-api-access-…";
    if (typeof value !== "object" || value === null) return value;
    const kept: JsonObject = {};
    for (const [key, item] of Object.entries(value)) {
      const at = path + pathStep(key);
      if (isHidden(of, at, key, item, shown)) continue;
      const there = isObject(across) ? across[key] : undefined;
      if (isSecret(of, at) && typeof item !== "object") kept[key] = maskedAs(item, there, other?.is);
      else {
        const inner = form(at, item, there);
        if (!isEmptied(item, inner)) kept[key] = inner;
      }
    }
    return kept;
  };
  // Normalizing an object gives an object.
  return form("", object, other?.object) as JsonObject;
}

function maskedAs(value: unknown, across: unknown, otherIs: "before" | "after" | undefined): string {
  if (otherIs === undefined || across === undefined || across === value) return masked;
  return `${masked} (${otherIs === "before" ? "after" : "before"})`;
}

/** Whether all fields of an object are hidden: then the object itself is hidden too. */
function isEmptied(before: unknown, after: unknown): boolean {
  if (typeof before !== "object" || before === null || typeof after !== "object" || after === null) return false;
  return Object.keys(after).length === 0 && Object.keys(before).length > 0;
}
