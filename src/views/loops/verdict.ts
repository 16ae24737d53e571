/** Whether there is a loop, by what was watched and for how long. */
import { type Kind, resourceOf } from "../../api/kind.ts";
import { judge, type Unseen, type Verdict } from "../../verdict/verdict.ts";
import type { Gap } from "./coverage.ts";
import type { Loop } from "./loop.ts";

/** What a verdict about loops rests on. */
export interface LoopEvidence {
  readonly loops: readonly Loop[];
  readonly kinds: readonly Kind[];
  /** The kinds that the user may not list and watch. */
  readonly refused: readonly Kind[];
  /** The kinds were named one by one: each of them matters. */
  readonly named: boolean;
  readonly gaps: readonly Gap[];
  /** Group versions whose kinds the server could not list. */
  readonly undiscovered: readonly string[];
  /** The namespace, where it is not known whether it exists and nothing has happened in it. */
  readonly unknownNamespace: string | undefined;
  readonly deltas: number;
  readonly ms: number;
}

/** "No loop" rests on every kind that was requested, and on watches that stayed open. */
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
 * Kinds of Kubernetes itself that its ClusterRole `view` leaves out: who looks on is often not allowed to see them, and operators go
 * round in circles elsewhere. Source: plugin/pkg/auth/authorizer/rbac/bootstrappolicy/policy.go ClusterRoles, view.
 */
const leftOutByView: ReadonlySet<string> = new Set([
  "secrets",
  "podtemplates",
  "roles.rbac.authorization.k8s.io",
  "rolebindings.rbac.authorization.k8s.io",
  "csistoragecapacities.storage.k8s.io",
]);

/** Whether "no loop" in all kinds means this one too. */
function isDecisive(kind: Kind): boolean {
  const ofOthers = kind.group.includes(".") && !kind.group.endsWith(".k8s.io");
  return ofOthers || (kind.namespaced && !leftOutByView.has(resourceOf(kind)));
}
