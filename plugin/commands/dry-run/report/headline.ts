/** The headline of a change: what happens to the object, and why. */
import type { StoredObject } from "../../../../src/api/object.ts";
import { type ObjectChange } from "../../../../src/views/outcome.ts";
import type { Rollout } from "../../../../src/views/rollout.ts";
import type { Cause } from "../../../../src/views/write-attribution.ts";
import { pluralize } from "../../../cli/style.ts";
import { statusChangeText } from "./status-change.ts";

/** The sign before a change, as in a diff. */
export const signs: Readonly<Record<ObjectChange["did"], string>> = {
  created: "+",
  changed: "~",
  deleted: "-",
  replaced: "±",
};

/** `3 Pods shop/web-6d5f4c-…`, `ReplicaSet shop/web-6d5f4c`. */
export function nameOf({ count, of, key, shownKey }: ObjectChange): string {
  return count === 1 ? `${of.kind} ${shownKey === key ? key : shownKey}` : `${count} ${plural(of.kind)} ${shownKey}`;
}

/** `Pods`, `Ingresses`, `NetworkPolicies`. */
export function plural(kind: string): string {
  if (/(s|x|ch)$/.test(kind)) return `${kind}es`;
  return kind.endsWith("y") ? `${kind.slice(0, -1)}ies` : `${kind}s`;
}

/** `Deployment shop/a, Service shop/a`; for more than a few, only counts: `120 Deployments, 3 Services`. */
export function namedOrCounted(all: readonly Named[]): string {
  const objects = [...new Map(all.map((each) => [`${each.of.kind} ${each.key}`, each])).values()];
  if (objects.length <= namedObjects) return objects.map(({ of, key }) => `${of.kind} ${key}`).join(", ");
  const kinds = Map.groupBy(objects, ({ of }) => of.kind);
  return [...kinds].map(([kind, each]) => pluralize(each.length, kind, plural(kind))).join(", ");
}

interface Named {
  readonly of: { readonly kind: string };
  readonly key: string;
}

const namedObjects = 6;

/** The fewest ready pods during the rollout; empty if there were none before. */
export function readyText(change: ObjectChange, rollouts: readonly Rollout[]): string {
  const rollout = rollouts.find(({ of, key }) => of.kind === change.of.kind && key === change.key);
  const start = rollout?.steps[0]?.ready ?? 0;
  const end = rollout?.steps.at(-1)?.ready ?? 0;
  if (rollout === undefined || start === 0 || change.did === "deleted") return "";
  return `; ready pods ${start} → ${end}, never fewer than ${rollout.fewestReady}`;
}

/** Whether the user asked for it, or a rule says so. */
function isDeletion({ rule }: Cause): boolean {
  return rule === undefined || rule.startsWith("delete");
}

const namedPaths = 2;
const namedCauses = 4;
const maxValueLength = 40;

/** The reason: the decisions that led to the change, in order; those about the status only if there are no others. */
export function reasonOf(change: ObjectChange): string {
  if (change.did === "deleted" && !change.causes.some(isDeletion)) {
    // Those of a Service are deleted by the API server, along with it.
    if (change.of.kind === "Endpoints") return "deleted with its Service, by the API server";
    if (change.causes.length === 0) return "deleted by the API server";
  }
  if (change.causes.length === 0 && change.of.kind === "ServiceAccount") return "every namespace has one";
  const telling = change.causes.filter(({ statusOnly }) => !statusOnly);
  const causes = telling.length > 0 ? telling : change.causes.slice(0, 1);
  const parts = causes.slice(0, namedCauses).map((cause) => causeText(change, cause, causes.length > 1));
  const more = causes.length - parts.length;
  return [...parts, ...(more > 0 ? [`and ${pluralize(more, "more decision")}`] : [])].join("; ");
}

/** The text of one cause. If several decisions changed the size, each is described by the numbers of its own change. */
function causeText(change: ObjectChange, cause: Cause, isOneOfMany: boolean): string {
  const { rule, sentence = "", later = [], replicas, writes } = cause;
  if (rule === undefined) return appliedText(change, cause);
  if (replicas !== undefined && (isOneOfMany || writes > 1)) {
    return `${rule}: ${replicas.from} → ${replicas.to}${writes > 1 ? ` in ${writes} steps` : ""}`;
  }
  if (cause.statusOnly && writes > 1 && change.did === "changed") {
    return `${rule}: ${statusChangeText(change.before, change.after) || "as before, after intermediate states"}`;
  }
  if (cause.statusOnly || later.length === 0) return `${rule}: ${sentence}`;
  const [next = ""] = later;
  const rest = later.length === 1 ? next : `${later.length} more decisions by this rule`;
  return `${rule}: ${sentence}; then ${rest}`;
}

function replicasOf(object: StoredObject | undefined): number | undefined {
  return (object as { readonly spec?: { readonly replicas?: number } } | undefined)?.spec?.replicas;
}

/** The fields that a manifest changes, with their values if they are short. */
function appliedText({ did, before, after }: ObjectChange, { changes = [], isPruned }: Cause): string {
  if (did === "created") return "applied";
  const why = isPruned === true ? "by --prune" : "as asked";
  if (did === "deleted") return `deleted, ${why}`;
  if (before?.metadata.deletionTimestamp === undefined && after?.metadata.deletionTimestamp !== undefined)
    return `being deleted, ${why}${keptText(after)}`;
  const [from, to] = [replicasOf(before), replicasOf(after)];
  if (changes.length === 0 && from !== to) return `scaled: .spec.replicas ${from} → ${to}`;
  if (changes.length === 0) return "applied";
  const named = changes.slice(0, namedPaths).map(({ path, before: was, after: is }) => {
    if (was === is) return `${path} (masked)`;
    const values = `${valueText(was)} → ${valueText(is)}`;
    return values.length <= maxValueLength ? `${path} ${values}` : path;
  });
  const more = changes.length - named.length;
  return `applied: ${named.join(", ")}${more > 0 ? ` and ${more} more` : ""}`;
}

function keptText({ metadata: { finalizers = [] } }: StoredObject): string {
  if (finalizers.length === 0) return "";
  return `; ${finalizers.length === 1 ? "finalizer" : "finalizers"} ${finalizers.join(", ")} ${finalizers.length === 1 ? "keeps" : "keep"} it`;
}

function valueText(value: unknown): string {
  if (value === undefined) return "none";
  return typeof value === "string" ? value : JSON.stringify(value);
}
