/**
 * The allowed differences, with their reasons: any other difference fails the test, and so does an entry here that no run hits. Values that
 * differ between any two runs of kube-controller-manager are not listed here; normalize.ts removes them (see docs/differences.md).
 */
import type { Difference } from "./compare.ts";

export interface Allowed {
  readonly id: string;
  /**
   * `request form`: different bytes that are the same request to the server. `identity`: the name under which the write is made. `noise`:
   * kube-controller-manager also differs from itself in this, though not necessarily in every run. `sandbox`: the sandbox leaves objects in
   * a different state than a real API server.
   */
  readonly category: "request form" | "identity" | "noise" | "sandbox";
  /** Where upstream differs from our code: `file:function`, in kubernetes v1.36 unless stated otherwise. */
  readonly upstream: string;
  readonly why: string;
  matches(difference: Difference): boolean;
}

/** For every suite whose controllers create objects in a namespace. */
export const namespaceInBody: Allowed = {
  id: "the namespace in the body of a create",
  category: "request form",
  upstream: "pkg/controller/controller_utils.go:GetPodFromTemplate",
  why: "our client sends the namespace in the body as well as in the path, kube-controller-manager only in the path",
  matches: ({ what, path, theirs }) =>
    what.startsWith("create ") && path === ".body.metadata.namespace" && theirs === undefined,
};

/** For every suite whose controllers delete objects without DeleteOptions. */
export const noBodyOfDelete: Allowed = {
  id: "no body for a DELETE without options",
  category: "request form",
  upstream: "client-go v0.36 gentype/type.go:Delete",
  why: "client-go sends DeleteOptions with every DELETE, even empty ones; our client sends a body only if there are options",
  matches: ({ what, path, ours }) =>
    what.startsWith("delete ") && (path === ".body.kind" || path === ".body.apiVersion") && ours === undefined,
};

/** For every suite. */
export const ownFieldManager: Allowed = {
  id: "a field manager of our own",
  category: "identity",
  upstream: "staging/src/k8s.io/apiserver/pkg/endpoints/handlers/create.go:managerOrUserAgent",
  why: "our writes give their controller as the field manager, so that managedFields show the writer; kube-controller-manager's is derived from its user agent",
  matches: ({ path, theirs, ours }) =>
    path === ".query.fieldManager" && theirs === undefined && String(ours).startsWith("kubectl-reconcile-"),
};

/** IDs of the entries that no run hit, except those of category `noise`. */
export function stale(entries: readonly Allowed[], hits: ReadonlySet<string>): string[] {
  return entries.filter(({ id, category }) => category !== "noise" && !hits.has(id)).map(({ id }) => id);
}
