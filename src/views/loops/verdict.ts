/** The verdict on loops, based on what was watched and for how long. */
import { formatDuration } from "../../api/duration.ts";
import { type Kind, resourceOf } from "../../api/kind.ts";
import { pluralize } from "../../api/pluralize.ts";
import { judge, type Unseen, type Verdict } from "../../verdict/verdict.ts";
import type { Gap } from "../coverage.ts";
import { defaultMinMs, type Loop, shortestLoop } from "./loop.ts";

/** The evidence for a verdict on loops. */
export interface LoopEvidence {
  readonly loops: readonly Loop[];
  /** What would be a loop if it had lasted. */
  readonly tooShort: readonly Loop[];
  readonly kinds: readonly Kind[];
  /** The kinds that the user may not list and watch. */
  readonly refused: readonly Kind[];
  /** The user named the kinds, so each of them matters. */
  readonly named: boolean;
  readonly gaps: readonly Gap[];
  /** Group versions whose kinds the server could not list. */
  readonly undiscovered: readonly string[];
  /** The namespace, if it is unknown whether it exists and nothing happened in it. */
  readonly unknownNamespace: string | undefined;
  readonly deltas: number;
  /** How long was watched, or how long the program ran that was watched; and when that ended, in ms since 1970. */
  readonly ms: number;
  readonly endedAt: number;
}

/** The number of objects that a verdict names. */
const namedAtMost = 5;

/** How long was watched, and what began only shortly before the end. */
export type ShortEvidence = Pick<LoopEvidence, "tooShort" | "ms" | "endedAt">;

/** "No loop" requires that every requested kind was watched without gaps, and for as long as a loop takes to show. */
export function loopsVerdict(evidence: LoopEvidence): Verdict<Loop> {
  const { loops, kinds, refused, named, gaps, undiscovered, unknownNamespace, deltas, ms } = evidence;
  const unseen: readonly Unseen[] = [
    ...refused.map((kind) => ({
      what: resourceOf(kind),
      why: "no right to list and watch",
      isDecisive: named || isDecisive(kind),
    })),
    ...undiscovered.map((what) => ({ what, why: "the server could not list its kinds", isDecisive: !named })),
    ...(unknownNamespace === undefined
      ? []
      : [{ what: `namespace ${unknownNamespace}`, why: "no right to read whether it exists", isDecisive: true }]),
    ...gaps.map(({ of, why }) => ({ what: of.kind, why, isDecisive: true })),
  ];
  const seen =
    kinds.length === 0
      ? []
      : [`${pluralize(kinds.length, "kind")} for ${Math.round(ms)} ms`, pluralize(deltas, "change")];
  return judge({ findings: loops, seen, unseen, tooLittle: tooLittle(evidence) });
}

/** Whether "no loop" cannot be said after this time, in ms: to a tenth of a second, as it is printed. */
export function isTooShort(ms: number): boolean {
  return Math.round(ms / 100) * 100 < defaultMinMs;
}

/** Whether it may go on: the last write is less than the shortest duration of a loop ago. */
export function isUnderWay({ lastAt }: Loop, endedAt: number): boolean {
  return endedAt - lastAt < defaultMinMs;
}

/** `ConfigMap shop/settings: rewritten 40 times in 4 s, too short to call it a loop`. */
export function tooShortText(loop: Loop): string {
  const name =
    "of" in loop
      ? `${loop.of.kind} ${loop.key}`
      : "reads" in loop
        ? `GET ${loop.key}`
        : `${loop.controller} ${loop.key}`;
  return `${name}: ${timesText(loop)} in ${formatDuration(loop.ms)}, too short to call it a loop`;
}

function timesText(loop: Loop): string {
  switch (loop.is) {
    case "rewritten":
      return `rewritten ${pluralize(loop.writes, "time")}`;
    case "recreated":
      return `deleted and created again ${pluralize(loop.times, "time")}`;
    case "own writes":
    case "requeued":
      return `${pluralize(loop.syncs, "sync")}, each because of the one before,`;
    case "without effect":
      return `written ${pluralize(loop.writes, "time")} without effect`;
    case "refused":
      return `${pluralize(loop.writes, "write")} refused`;
    case "read again":
      return `read ${pluralize(loop.reads, "time")} with the same response`;
  }
}

/** Why too little was seen to rule out a loop: it was not watched for long enough, or something began only shortly before the end. */
export function tooLittle({ tooShort, ms, endedAt }: ShortEvidence): readonly string[] {
  const underWay = tooShort.filter((loop) => isUnderWay(loop, endedAt)).map(tooShortText);
  const more = underWay.length - namedAtMost;
  return [
    ...(isTooShort(ms) ? [`watched for ${formatDuration(ms)}, a loop shows after ${shortestLoop}`] : []),
    ...underWay.slice(0, namedAtMost),
    ...(more > 0 ? [`${more} more`] : []),
  ];
}

/**
 * Built-in kinds that the ClusterRole `view` leaves out: many users may not read them, and operators rarely loop on them.
 * Source: plugin/pkg/auth/authorizer/rbac/bootstrappolicy/policy.go ClusterRoles, view.
 */
const leftOutByView: ReadonlySet<string> = new Set([
  "secrets",
  "podtemplates",
  "roles.rbac.authorization.k8s.io",
  "rolebindings.rbac.authorization.k8s.io",
  "csistoragecapacities.storage.k8s.io",
]);

/** Whether a verdict of "no loop" in all kinds depends on this one. */
function isDecisive(kind: Kind): boolean {
  const ofOthers = kind.group.includes(".") && !kind.group.endsWith(".k8s.io");
  return ofOthers || (kind.namespaced && !leftOutByView.has(resourceOf(kind)));
}
