/** The relevant content of a write: without times, versions and server defaults. */
import { controllerOf } from "../../../src/api/owner-references.ts";
import type { ObjectMeta } from "../../../src/api/object.ts";
import type { Write } from "./judged.ts";

interface Body {
  readonly metadata?: ObjectMeta;
  readonly spec?: unknown;
  readonly status?: unknown;
}

/** Text that is equal for equal writes. It includes the target, except for a generated name. */
export function essenceOf(write: Write): string {
  const { verb, resource, namespace, name } = write;
  return `${verb} ${resource} ${namespace}/${name} ${JSON.stringify(contentOf(write))}`;
}

/** The target of a write, whatever its content: `update replicasets.apps/status shop/web`. */
export function targetOf({ verb, resource, namespace, name }: Write): string {
  return `${verb} ${resource} ${namespace}/${name}`;
}

/** The uid of a new object's controller. */
export function makerOf({ body }: Write): string | undefined {
  const { metadata } = (body ?? {}) as Body;
  return metadata === undefined ? undefined : controllerOf({ metadata })?.uid;
}

function contentOf({ verb, resource, body }: Write): unknown {
  const { metadata = {}, spec, status } = (body ?? {}) as Body;
  switch (verb) {
    case "create":
    case "update": {
      if (resource.endsWith("/status")) return essential(status, "status");
      const { labels, annotations, finalizers, ownerReferences, generateName } = metadata;
      return essential({ metadata: { labels, annotations, finalizers, ownerReferences, generateName }, spec });
    }
    case "patch":
      return essential(body, "patch");
    case "delete": {
      const { preconditions, propagationPolicy } = (body ?? {}) as {
        readonly preconditions?: { readonly uid?: string };
        readonly propagationPolicy?: string;
      };
      return essential({ uid: preconditions?.uid, propagationPolicy });
    }
  }
}

/**
 * Sorts the keys and drops times and versions. A typed client omits empty fields and zeros of a status; in a patch, empty fields have a
 * meaning.
 */
function essential(value: unknown, of: "object" | "status" | "patch" = "object"): unknown {
  if (Array.isArray(value)) return value.map((item) => essential(item, of));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([key, item]) => !isFilledIn(key) && !(of === "object" && defaults.get(key) === item))
      .map(([key, item]) => [key, essential(item, of)] as const)
      .filter(([, item]) => of === "patch" || !(isEmpty(item) || (of === "status" && item === 0)))
      .sort(([a], [b]) => (a < b ? -1 : 1)),
  );
}

/**
 * Server defaults. The audit log has kube-controller-manager's writes after defaulting, but ours before it. Fields of a template already
 * have their defaults.
 */
const defaults: ReadonlyMap<string, unknown> = new Map<string, unknown>([
  // For a fieldRef.
  ["apiVersion", "v1"],
  // For Jobs.
  ["parallelism", 1],
  ["completions", 1],
  ["backoffLimit", 6],
  ["completionMode", "NonIndexed"],
  ["suspend", false],
  ["podReplacementPolicy", "TerminatingOrFailed"],
  ["manualSelector", false],
]);

/** `enableServiceLinks` is defaulted only in pods, and so is missing in the template from which they are created. */
function isFilledIn(key: string): boolean {
  return /(Time|Timestamp)$/.test(key) || key === "resourceVersion" || key === "enableServiceLinks";
}

function isEmpty(value: unknown): boolean {
  return (
    value === undefined ||
    value === null ||
    value === "" ||
    (typeof value === "object" && Object.keys(value).length === 0)
  );
}
