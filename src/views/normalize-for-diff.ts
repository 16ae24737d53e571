/** An object as people want to compare it: without what every write changes, and without secrets. */
import { pathStep } from "../api/field-changes.ts";
import { isObject, type JsonObject } from "../api/json.ts";
import type { StoredObject } from "../api/object.ts";
import { isSecret } from "../trace/mask.ts";
import type { KindName } from "../trace/names.ts";

/** What is hidden unless it is switched on. */
export interface DiffVisibility {
  readonly managedFields?: boolean;
  /** uid, resourceVersion, generation; addresses, the placement of pods and container ids: assigned by the cluster. */
  readonly ids?: boolean;
  /** creationTimestamp, the times in `status`, and when what endpoints follow changed. */
  readonly times?: boolean;
}

const lastApplied = '.metadata.annotations["kubectl.kubernetes.io/last-applied-configuration"]';
const lastTrigger = '.metadata.annotations["endpoints.kubernetes.io/last-change-trigger-time"]';
/** How kubectl diff masks them. */
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
/** Where a pod was placed: its node, and what binding copies from there. */
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
  // A probe that never ran has the time null.
  return inStatus && (typeof value === "string" ? timeText.test(value) : key === "lastProbeTime");
}

/**
 * The object without what is hidden. Where `other` is its other state, masked values tell whether they differ: `*** (before)` and
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
  // The form of an object is an object.
  return form("", object, other?.object) as JsonObject;
}

function maskedAs(value: unknown, across: unknown, otherIs: "before" | "after" | undefined): string {
  if (otherIs === undefined || across === undefined || across === value) return masked;
  return `${masked} (${otherIs === "before" ? "after" : "before"})`;
}

/** An object that holds nothing but hidden fields is hidden too. */
function isEmptied(before: unknown, after: unknown): boolean {
  if (typeof before !== "object" || before === null || typeof after !== "object" || after === null) return false;
  return Object.keys(after).length === 0 && Object.keys(before).length > 0;
}
