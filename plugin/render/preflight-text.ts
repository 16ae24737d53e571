/** What the preflight found, in words: the line when all is well, the refusals when not. */
import { subjectOf } from "../../src/controller/definition.ts";
import type { CacheState } from "../../src/modes/live.ts";
import type { Preflight } from "../../src/modes/preflight.ts";
import { formatRight } from "../../src/modes/rights.ts";
import { UserError } from "../user-error.ts";
import { counted, wrapWords } from "./style.ts";

/** `rights  7 of 7 · owner  nobody else …` */
export function preflightLine({ rights, owners }: Preflight): string {
  const held = rights.asked.length - rights.missing.length;
  const alone = owners.filter(({ owner }) => owner.is === "none found").map(({ controller }) => subjectOf(controller));
  const found = owners
    .filter(({ owner }) => owner.is !== "none found")
    .map(({ controller, owner }) => `${subjectOf(controller)}: ${owner.evidence}`);
  if (alone.length > 0) found.push(`no other owner of ${[...new Set(alone)].join(", ")} found`);
  return `rights  ${held} of ${rights.asked.length} · owner  ${found.join(" · ")}`;
}

/** So many kinds are named with their objects; of more, the sums. */
const namedKinds = 12;

/** `ReplicaSet 12 · Pod 148` */
export function cachesText(caches: readonly CacheState[]): string {
  if (caches.length <= namedKinds) return caches.map(({ kind, objects }) => `${kind} ${objects}`).join(" · ");
  const objects = caches.reduce((sum, cache) => sum + cache.objects, 0);
  return `${caches.length} kinds · ${counted(objects, "object")}`;
}

export interface RefusalContext {
  readonly calledAs: string;
  /** `as user dev`, or empty where it is not known. */
  readonly who: string;
  /** Undefined: all of them. */
  readonly namespace: string | undefined;
  readonly columns: number | undefined;
}

/** @throws UserError when a right is missing, or another owner is active or cannot be ruled out and `force` is not set. */
export function refuseOrPass(found: Preflight, force: boolean, context: RefusalContext): void {
  const { rights, owners } = found;
  const { namespace } = context;
  if (rights.missing.length > 0) {
    const [first] = rights.missing;
    const named = rights.missing.map((right) => formatRight(right, namespace));
    const where = namespace === undefined ? "in all namespaces" : `in namespace ${namespace}`;
    const role = `controllers ${owners[0]?.controller.name ?? ""} -o rbac${namespace === undefined ? "" : ` -n ${namespace}`}`;
    const count = `${rights.missing.length} of ${rights.asked.length} rights are missing`;
    throw new UserError(
      `not allowed to ${first === undefined ? "" : formatRight(first, first.namespace)} ${where}${context.who} (${count})`,
      [
        ...wrapWords(named, context.columns === undefined ? undefined : context.columns - 4, " · ").map(
          (line) => `  ${line}`,
        ),
        `\`${context.calledAs} ${role}\` prints the ${namespace === undefined ? "ClusterRole" : "Role"} that it needs`,
      ],
    );
  }
  const other = owners.find(({ owner }) => owner.is !== "none found");
  if (other === undefined || force) return;
  const { owner, controller } = other;
  const toForce = "To go ahead all the same, add --force.";
  if (owner.is === "active") {
    throw new UserError(`refused: ${owner.who} is active on this cluster (${owner.evidence}).`, [
      `Two controllers on one object do everything twice: ${subjectOf(controller)} would get too many of what they own.`,
      toForce,
    ]);
  }
  throw new UserError(`refused: whether ${owner.who} is active on this cluster is unknown (${owner.evidence}).`, [
    `Get the right to read that Lease, or make sure that nothing else reconciles ${subjectOf(controller)} here.`,
    toForce,
  ]);
}

/** What `--force` overrides, a line each. */
export function overridden({ owners }: Preflight): string[] {
  return owners
    .filter(({ owner }) => owner.is !== "none found")
    .map(({ controller, owner: { is, who, evidence } }) =>
      is === "active"
        ? `--force overrides: ${who} is active here (${evidence}), and so does the same as our ${controller.name}`
        : `--force overrides: whether ${who} is active here is unknown (${evidence})`,
    );
}
