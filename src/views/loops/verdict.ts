/** The verdict on loops, based on what was watched and for how long. */
import { type Kind, resourceOf } from "../../api/kind.ts";
import { judge, type Unseen, type Verdict } from "../../verdict/verdict.ts";
import type { Gap } from "./coverage.ts";
import type { Loop } from "./loop.ts";

/** The evidence for a verdict on loops. */
export interface LoopEvidence {
  readonly loops: readonly Loop[];
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
  readonly ms: number;
}

/** "No loop" requires that every requested kind was watched without gaps. */
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
  const seen = kinds.length === 0 ? [] : [`${kinds.length} kinds for ${ms} ms`, `${deltas} changes`];
  return judge({ findings: loops, seen, unseen });
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
