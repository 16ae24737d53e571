/** The significant part of a write: without times, versions, and values that the API server fills in by itself. */
import type { ObjectMeta } from "../../../../src/api/object.ts";
import type { Write } from "./round.ts";

interface Body {
  readonly apiVersion?: unknown;
  readonly kind?: unknown;
  readonly metadata?: ObjectMeta;
  readonly status?: unknown;
}

/** Two writes with the same text are the same write. The text includes the target, but not a name that the server generates. */
export function essenceOf(write: Write): string {
  const { verb, resource, namespace, name } = write;
  return `${verb} ${resource} ${namespace}/${name} ${JSON.stringify(contentOf(write))}`;
}

/** The target of a write, regardless of its content: `update replicasets.apps/status shop/web`. */
export function targetOf({ verb, resource, namespace, name }: Write): string {
  return `${verb} ${resource} ${namespace}/${name}`;
}

function contentOf({ verb, resource, body }: Write): unknown {
  // What is neither: `spec`, or the `data` of a ConfigMap, the `subsets` of Endpoints.
  const { apiVersion: _version, kind: _kind, metadata = {}, status, ...content } = (body ?? {}) as Body;
  switch (verb) {
    case "create":
    case "update": {
      if (resource.endsWith("/status")) return essential(status, "status");
      const { labels, annotations, finalizers, ownerReferences, generateName } = metadata;
      const meta = { labels, annotations, finalizers, ownerReferences, generateName };
      return essential({ metadata: meta, ...content });
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

/** Lists that the owner writes in the order of a Go map: of EndpointSlices, of the claims of a pod, and of the volumes of a node. */
const unordered: ReadonlySet<string> = new Set(["endpoints", "resourceClaimStatuses", "volumesAttached"]);

function inOrder(key: string, value: unknown): unknown {
  if (!unordered.has(key) || !Array.isArray(value)) return value;
  return value.toSorted((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1));
}

/** A type in a warning about an expression: `Endpoints186451947.subsets`. The number is random. */
const typeOfChecker = /(?<=\(|, |list\()([A-Z][A-Za-z]+)\d{6,}(?=[.,)])/g;

/**
 * Sorts keys, and removes times and versions. Typed clients omit empty values, and zeros of a status; in a patch an empty value is
 * significant.
 */
function essential(value: unknown, of: "object" | "status" | "patch" = "object"): unknown {
  if (typeof value === "string") return value.replace(typeOfChecker, "$1");
  if (Array.isArray(value)) return value.map((item) => essential(item, of));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([key, item]) => !isFilledIn(key) && !(of === "object" && defaults.get(key) === item))
      .map(([key, item]) => [key, inOrder(key, essential(item, of))] as const)
      .filter(([, item]) => of === "patch" || !(isEmpty(item) || (of === "status" && item === 0)))
      .sort(([a], [b]) => (a < b ? -1 : 1)),
  );
}

/**
 * Defaults of the API server for omitted fields. The audit log has the requests of kube-controller-manager after defaulting; ours are as
 * sent. For pods, the template already has its defaults.
 */
const defaults: ReadonlyMap<string, unknown> = new Map<string, unknown>([
  // In a fieldRef.
  ["apiVersion", "v1"],
  // In Jobs.
  ["parallelism", 1],
  ["completions", 1],
  ["backoffLimit", 6],
  ["completionMode", "NonIndexed"],
  ["suspend", false],
  ["podReplacementPolicy", "TerminatingOrFailed"],
  ["manualSelector", false],
]);

/** `timeAdded` is the time of a taint. `enableServiceLinks`: defaulted only in pods, so that it is missing in their template. */
function isFilledIn(key: string): boolean {
  return (
    /(Time|Timestamp|trigger-time|timeAdded)$/.test(key) || key === "resourceVersion" || key === "enableServiceLinks"
  );
}

function isEmpty(value: unknown): boolean {
  return (
    value === undefined ||
    value === null ||
    value === "" ||
    (typeof value === "object" && Object.keys(value).length === 0)
  );
}
