/**
 * Permitted differences, each with its reason: every other difference fails the test, and so does an entry that no run uses. Values that
 * differ between any two runs of kube-controller-manager are not here; telling.ts removes them (docs/differences.md lists them).
 */
import type { Difference } from "./compare.ts";

export interface Allowed {
  readonly id: string;
  /**
   * `request form`: other bytes, the same request for the server. `identity`: the name of the writer. `noise`: kube-controller-manager also
   * differs from itself in it, but not necessarily in every run. `sandbox`: the sandbox ends in another state than a real API server.
   */
  readonly category: "request form" | "identity" | "noise" | "sandbox";
  /** Place of the upstream behavior that we do not have: `file:function`, in kubernetes v1.36 unless stated. */
  readonly upstream: string;
  readonly why: string;
  matches(difference: Difference): boolean;
}

/** For suites whose controllers create objects in a namespace. */
export const namespaceInBody: Allowed = {
  id: "namespace in the body of a create",
  category: "request form",
  upstream: "pkg/controller/controller_utils.go:GetPodFromTemplate",
  why: "our client says the namespace in the body as well as in the path, kube-controller-manager in the path alone",
  matches: ({ what, path, theirs }) =>
    what.startsWith("create ") && path === ".body.metadata.namespace" && theirs === undefined,
};

/** For suites whose controllers delete objects without options. */
export const noBodyOfDelete: Allowed = {
  id: "no body for a DELETE without options",
  category: "request form",
  upstream: "client-go v0.36 gentype/type.go:Delete",
  why: "client-go sends DeleteOptions with every DELETE, empty ones too; our client sends a body only where it says something",
  matches: ({ what, path, ours }) =>
    what.startsWith("delete ") && (path === ".body.kind" || path === ".body.apiVersion") && ours === undefined,
};

/** For every suite. */
export const ownFieldManager: Allowed = {
  id: "a field manager of our own",
  category: "identity",
  upstream: "staging/src/k8s.io/apiserver/pkg/endpoints/handlers/create.go:managerOrUserAgent",
  why: "our writes name their controller as the field manager, so that managedFields tell who wrote; kube-controller-manager leaves it to its user agent",
  matches: ({ path, theirs, ours }) =>
    path === ".query.fieldManager" && theirs === undefined && String(ours).startsWith("kubectl-reconcile-"),
};

/** Entries, other than noise, that no run used. */
export function stale(entries: readonly Allowed[], hits: ReadonlySet<string>): string[] {
  return entries.filter(({ id, category }) => category !== "noise" && !hits.has(id)).map(({ id }) => id);
}
