/** The result of the preflight as text: one line if all is well, otherwise the refusals. */
import { resourceNameOf } from "../../src/controller/api/definition.ts";
import type { CacheState } from "../../src/modes/run/live.ts";
import type { Preflight } from "../../src/modes/preflight/preflight.ts";
import { formatRight } from "../../src/modes/preflight/rights.ts";
import { UserError } from "../cli/user-error.ts";
import { pluralize, wrapWords } from "../cli/style.ts";

/** `rights  7 of 7 · owner  no other owner of replicasets found: …` */
export function preflightLine({ rights, owners }: Preflight): string {
  const held = rights.required.length - rights.missing.length;
  const found = owners
    .filter(({ owner }) => owner.is !== "none found")
    .map(({ controller, owner }) => `${resourceNameOf(controller)}: ${owner.evidence}`);
  const absent = Map.groupBy(
    owners.filter(({ owner }) => owner.is === "none found"),
    ({ owner }) => owner.evidence,
  );
  for (const [evidence, alike] of absent) {
    const subjects = new Set(alike.map(({ controller }) => resourceNameOf(controller)));
    found.push(`no other owner of ${[...subjects].join(", ")} found: ${evidence}`);
  }
  const how = rights.byEverything === true ? " (by a right to everything)" : "";
  return `rights  ${held} of ${rights.required.length}${how} · owner  ${found.join(" · ")}`;
}

/** For more kinds than this, only totals are shown. */
const namedKinds = 12;

/** `ReplicaSet 12 · Pod 148 · not served: ResourceClaim` */
export function cachesText(caches: readonly CacheState[]): string {
  const served = caches.filter(({ isServed }) => isServed);
  const others = caches.filter(({ isServed }) => !isServed).map(({ kind }) => kind);
  const objects = served.reduce((sum, cache) => sum + cache.objects, 0);
  const filled =
    served.length <= namedKinds
      ? served.map((cache) => `${cache.kind} ${cache.objects}`)
      : [`${served.length} kinds`, pluralize(objects, "object")];
  return [...filled, ...(others.length > 0 ? [`not served: ${others.join(", ")}`] : [])].join(" · ");
}

/** The context for the text of a refusal. */
export interface RefusalContext {
  readonly calledAs: string;
  /** `as user dev`; empty if unknown. */
  readonly who: string;
  /** Undefined for all namespaces. */
  readonly namespace: string | undefined;
  readonly columns: number | undefined;
  readonly force: boolean;
  /** The command that traces the same controllers without writing, ready to paste. */
  readonly traceCommand: string;
}

/** @throws UserError if a right is missing, or if another owner is active or cannot be ruled out and `force` is not set. */
export function refuseOrPass(found: Preflight, context: RefusalContext): void {
  refuseMissingRights(found, context);
  const others = found.owners.filter(({ owner }) => owner.is !== "none found");
  // Active owners come before possible ones.
  const other = others.find(({ owner }) => owner.is === "active") ?? others[0];
  if (other === undefined || context.force) return;
  const { owner, controller } = other;
  const alike = others.filter((each) => each !== other).map((each) => each.controller.name);
  throw new UserError(
    owner.is === "active"
      ? `refused: ${owner.who} is active on this cluster (${owner.evidence}).`
      : `refused: cannot tell whether ${owner.who} is active on this cluster (${owner.evidence}).`,
    [
      `If both run ${controller.name}, ${controller.ifRunTwice ?? `both act on the same ${resourceNameOf(controller)}`}.`,
      ...(alike.length === 0 ? [] : [`The same applies to ${alike.join(", ")}.`]),
      "To trace it without writing anything:",
      `  ${context.traceCommand}`,
      "Use --force to run anyway.",
    ],
  );
}

function refuseMissingRights({ rights, owners }: Preflight, context: RefusalContext): void {
  const { namespace, calledAs, columns } = context;
  const [first] = rights.missing;
  if (first === undefined) return;
  const named = rights.missing.map((right) => formatRight(right, namespace));
  const where = namespace === undefined ? "in all namespaces" : `in namespace ${namespace}`;
  const role = `controllers ${owners[0]?.controller.name ?? ""} -o rbac${namespace === undefined ? "" : ` -n ${namespace}`}`;
  const count = `${rights.missing.length} of ${rights.required.length} rights are missing`;
  throw new UserError(`not allowed to ${formatRight(first, first.namespace)} ${where}${context.who} (${count})`, [
    ...wrapWords(named, columns === undefined ? undefined : columns - 4, " · ").map((line) => `  ${line}`),
    `\`${calledAs} ${role}\` prints the ${namespace === undefined ? "ClusterRole" : "Role"} that it needs`,
  ]);
}

/** What `--force` overrides: one line for all controllers with the same finding. */
export function overridden({ owners }: Preflight): string[] {
  const alike = Map.groupBy(
    owners.filter(({ owner }) => owner.is !== "none found"),
    ({ owner: { is, who, evidence } }) => JSON.stringify([is, who, evidence]),
  );
  return [...alike.values()].flatMap((same) => {
    const [{ owner } = {}] = same;
    if (owner === undefined) return [];
    const names = same.map(({ controller }) => controller.name);
    const run = names.length === 1 ? `the ${names.join("")} controller` : names.join(", ");
    return owner.is === "active"
      ? [`--force overrides: ${owner.who} is active here (${owner.evidence}), and also runs ${run}`]
      : [`--force overrides: cannot tell whether ${owner.who} is active here (${owner.evidence})`];
  });
}
