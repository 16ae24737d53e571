/** Which fields a patch is meant to change. */
import { deepEqual, pathStep, type FieldChange } from "./field-changes.ts";
import type { Patch } from "./patch.ts";
import { isObject } from "./json.ts";

/**
 * The fields in a patch whose values differ from those in `base`, following the patch's own structure: a list counts as
 * one field, because only the server knows how it is merged. Preconditions (`metadata.uid`, `metadata.resourceVersion`)
 * are not changes.
 */
export function patchChanges(base: unknown, patch: Patch): FieldChange[] {
  const changes: FieldChange[] = [];
  if (patch.type !== "json") {
    walk("", base, patch.body, changes);
    return changes;
  }
  for (const operation of patch.body) {
    if (operation.op === "test") continue;
    const steps = operation.path
      .split("/")
      .slice(1)
      .map((step) => step.replaceAll("~1", "/").replaceAll("~0", "~"));
    const before = steps.reduce<unknown>((value, step) => (value as Record<string, unknown> | undefined)?.[step], base);
    changes.push({
      path: steps.map((step) => (/^(\d+|-)$/.test(step) ? `[${step}]` : pathStep(step))).join(""),
      ...(before !== undefined && { before }),
      ...(operation.value !== undefined && { after: operation.value }),
    });
  }
  return changes;
}

const noChanges: ReadonlySet<string> = new Set([
  ".apiVersion",
  ".kind",
  ".metadata.name",
  ".metadata.namespace",
  ".metadata.uid",
  ".metadata.resourceVersion",
]);

function walk(path: string, base: unknown, patch: unknown, into: FieldChange[]): void {
  if (noChanges.has(path)) return;
  if (isObject(patch) && (isObject(base) || base === undefined) && Object.keys(patch).length > 0) {
    for (const [key, value] of Object.entries(patch)) walk(path + pathStep(key), base?.[key], value, into);
    return;
  }
  if (deepEqual(base, patch) || (base === undefined && patch === null)) return;
  into.push({ path, ...(base !== undefined && { before: base }), ...(patch !== null && { after: patch }) });
}
