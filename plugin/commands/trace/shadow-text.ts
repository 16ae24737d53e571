/** The text for shadow mode and its agreement with the owner. */
import { builtInControllers } from "../../../src/controllers/index.ts";
import { formatDuration } from "../../../src/api/duration.ts";
import { splitKey } from "../../../src/api/key.ts";
import type { ShadowPreflight } from "../../../src/modes/shadow/owners.ts";
import type { AgreementEvent } from "../../../src/trace/events.ts";
import type { AgreementSummary } from "../../../src/views/agreement.ts";
import { formatRight } from "../../../src/modes/preflight/rights.ts";
import { UserError } from "../../cli/user-error.ts";
import { pluralize, withoutSuffix } from "../../cli/style.ts";

/** The Kubernetes whose rules the built-in controllers follow. */
const rulesOf = "1.36.3";

/**
 * The introduction: `shadow: our replicaset (rules of 1.36.3) beside kube-controller-manager; queue figures are ours`. The user's own
 * controllers follow no rules of Kubernetes: `shadow: your max-pods …`.
 */
export function shadowLines({ owners }: ShadowPreflight): string[] {
  const beside = new Map<string, string[]>();
  for (const { controller, owner } of owners) {
    const who = owner.is === "active" ? owner.who : owner.is === "unknown" ? `${owner.who}, if it runs` : "nobody";
    beside.set(who, [...(beside.get(who) ?? []), controller.name]);
  }
  return [...beside].map(([who, names]) =>
    who === "nobody"
      ? `shadow: ${whoseText(names)}, no active controller found; showing only what would be done here next`
      : `shadow: ${whoseText(names)} beside ${who}; queue figures are ours`,
  );
}

function whoseText(names: readonly string[]): string {
  const isOurs = (name: string): boolean => builtInControllers.some((each) => each.name === name);
  const [ours, yours] = [names.filter(isOurs), names.filter((name) => !isOurs(name))];
  return [
    ...(ours.length === 0 ? [] : [`our ${ours.join(", ")} (rules of ${rulesOf})`]),
    ...(yours.length === 0 ? [] : [`your ${yours.join(", ")}`]),
  ].join(" and ");
}

/** @throws UserError if rights are missing. */
export function refuseWithoutRights({ rights }: ShadowPreflight, namespace: string | undefined, who: string): void {
  const [first] = rights.missing;
  if (first === undefined) return;
  const where = namespace === undefined ? "in all namespaces" : `in namespace ${namespace}`;
  throw new UserError(
    `not allowed to ${formatRight(first, first.namespace)} ${where}${who} (${rights.missing.length} of ${rights.required.length} rights are missing)`,
    [
      `  ${rights.missing.map((right) => formatRight(right, namespace)).join(" · ")}`,
      namespace === undefined
        ? "ask for these rights, or trace one namespace with -n"
        : "ask for these rights: they only read",
    ],
  );
}

/** `41 intentions: 38 same, 2 owner was faster, 1 differs (sync 31)`; undefined if there was nothing to compare. */
export function agreementLine({ intentions, counts, standing, differences }: AgreementSummary): string | undefined {
  const compared = Object.values(counts).reduce((sum, count) => sum + count, 0);
  if (intentions === 0 && compared === 0) return undefined;
  if (compared === 0) return `${pluralize(intentions, "intention")}: none compared, no owner has written since`;
  const syncs = [...new Set(differences.flatMap(({ sync }) => (sync === undefined ? [] : [sync])))].slice(-5);
  const parts = [
    `${counts.same} same`,
    ...(counts["owner was faster"] > 0 ? [`${counts["owner was faster"]} owner was faster`] : []),
    ...(counts["owner was refused"] > 0 ? [`${counts["owner was refused"]} owner was refused`] : []),
    ...(counts["not comparable"] > 0 ? [`${counts["not comparable"]} not comparable`] : []),
    ...(standing > 0 ? [`${standing} still open`] : []),
    `${counts.differs} ${counts.differs === 1 ? "differs" : "differ"}${syncs.length > 0 ? ` (sync ${syncs.join(", ")})` : ""}`,
  ];
  return `${pluralize(intentions, "intention")}: ${parts.join(", ")}`;
}

const verbs = {
  create: "create",
  update: "update",
  patch: "patch",
  delete: "delete",
  deletecollection: "delete",
} as const;

/** Whether the owner may still do what was intended. */
export function isOpen({ is }: Pick<AgreementEvent, "is">): boolean {
  return is === "differs" || is === "owner was refused";
}

/**
 * The line for outcomes that are alike: those of intentions of one sync, or a difference without an intention:
 * `differs replicaset shop/web · sync 31 would delete Pod web-a · owner has not done it`,
 * `settled replicaset shop/web · sync 31 would create Pod web-… (90 times) · owner did, at most 4.1 s later · same`.
 */
export function outcomeText(alike: readonly AgreementEvent[]): string {
  const [outcome] = alike;
  if (outcome === undefined) return "";
  const { controller, key, sync, verb, of, subresource, target, generatedName } = outcome;
  const { name } = splitKey(target);
  const shown = generatedName === true ? withoutSuffix(name) : name;
  const what = `${of.kind} ${shown}${subresource === undefined ? "" : `/${subresource}`}`;
  const often = alike.length === 1 ? "" : ` (${alike.length} times)`;
  const ours = sync === undefined ? "nothing was intended here" : `sync ${sync} would ${verbs[verb]} ${what}${often}`;
  return `${labelOf(outcome)} ${controller} ${key} · ${ours} · ${reasonsOf(outcome, alike)}`;
}

function labelOf(outcome: AgreementEvent): string {
  if (!isOpen(outcome)) return "settled";
  return outcome.is === "differs" ? "differs" : "refused";
}

/** Why, after which time, and unless the label states it, what the outcome is. Of alike ones only the reason and the time vary. */
function reasonsOf(outcome: AgreementEvent, alike: readonly AgreementEvent[]): string {
  const { why, is } = outcome;
  const isOne = alike.every((each) => each.why === why);
  const lateMs = Math.max(...alike.map(({ afterMs = 0 }) => afterMs));
  const late = lateMs === 0 ? "" : `, ${alike.length === 1 ? "" : "at most "}${formatDuration(lateMs)} later`;
  // The names of created objects differ.
  const reason = `${isOne ? why : "owner did"}${late}`;
  return isOpen(outcome) ? reason : `${reason} · ${is}`;
}
