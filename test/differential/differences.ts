/**
 * What may differ, with its reason: all else fails the test, and so does an entry here that no run hits. What no two runs of
 * kube-controller-manager have in common is not here; telling.ts leaves it out (docs/differences.md says what that is).
 */
import type { Difference } from "./compare.ts";

export interface Allowed {
  readonly id: string;
  /**
   * `request form`: other bytes, the same request to the server. `identity`: under which name it is written. `noise`:
   * kube-controller-manager differs from itself in it too, which need not come up in every run. `sandbox`: the sandbox leaves
   * things otherwise than a real API server does.
   */
  readonly category: "request form" | "identity" | "noise" | "sandbox";
  /** Where upstream does what we do not: `file:function`, in kubernetes v1.36 unless said otherwise. */
  readonly upstream: string;
  readonly why: string;
  matches(difference: Difference): boolean;
}

/** Of every suite whose controllers create objects in a namespace. */
export const namespaceInBody: Allowed = {
  id: "namespace in the body of a create",
  category: "request form",
  upstream: "pkg/controller/controller_utils.go:GetPodFromTemplate",
  why: "our client says the namespace in the body as well as in the path, kube-controller-manager in the path alone",
  matches: ({ what, path, theirs }) =>
    what.startsWith("create ") && path === ".body.metadata.namespace" && theirs === undefined,
};

/** Of every suite whose controllers delete objects without saying how. */
export const noBodyOfDelete: Allowed = {
  id: "no body for a DELETE without options",
  category: "request form",
  upstream: "client-go v0.36 gentype/type.go:Delete",
  why: "client-go sends DeleteOptions with every DELETE, empty ones too; our client sends a body only where it says something",
  matches: ({ what, path, ours }) =>
    what.startsWith("delete ") && (path === ".body.kind" || path === ".body.apiVersion") && ours === undefined,
};

/** Of every suite. */
export const ownFieldManager: Allowed = {
  id: "a field manager of our own",
  category: "identity",
  upstream: "staging/src/k8s.io/apiserver/pkg/endpoints/handlers/create.go:managerOrUserAgent",
  why: "our writes name their controller as the field manager, so that managedFields tell who wrote; kube-controller-manager leaves it to its user agent",
  matches: ({ path, theirs, ours }) =>
    path === ".query.fieldManager" && theirs === undefined && String(ours).startsWith("kubectl-reconcile-"),
};

/** The entries that are no noise and that no run hit. */
export function stale(entries: readonly Allowed[], hits: ReadonlySet<string>): string[] {
  return entries.filter(({ id, category }) => category !== "noise" && !hits.has(id)).map(({ id }) => id);
}
