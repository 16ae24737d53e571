/** Subresources other than status: each method of each, where it is served. */
import { badRequest, methodNotAllowed, noSuchPath, notFound } from "../meta/refusal.ts";
import type { RequestScope } from "../context/server.ts";
import type { Entry } from "../storage/entry.ts";
import { bind } from "./bind.ts";
import { evict } from "./evict.ts";
import { finalize } from "./finalize.ts";
import { patch } from "./patch.ts";
import { getScale, patchScale, putScale } from "./scale.ts";
import { requestToken } from "./token-request.ts";
import { update } from "./update.ts";

/** The result of a subresource: a stored object, or a value that is not stored. */
export type SubresourceResult =
  { readonly status: number; readonly entry: Entry } | { readonly status: number; readonly value: object };

type Handler = (scope: RequestScope) => SubresourceResult;

const stored = (scope: RequestScope): SubresourceResult => {
  const entry = scope.collection.get(scope.namespace, scope.name);
  if (entry === undefined) throw notFound(scope.resource.asResource, scope.name);
  return { status: 200, entry };
};

/** Of a subresource that writes a part of the object: it has an `UpdateStrategy`. */
const part: Readonly<Record<string, Handler>> = {
  GET: stored,
  PUT: (scope) => ({ status: 200, entry: update(scope).entry }),
  PATCH: (scope) => ({ status: 200, entry: patch(scope).entry }),
};

const handlers: Readonly<Record<string, Readonly<Record<string, Handler>>>> = {
  scale: { GET: getScale, PUT: putScale, PATCH: patchScale },
  "serviceaccounts/token": { POST: requestToken },
  "pods/binding": { POST: bind },
  "pods/eviction": { POST: evict },
  "namespaces/finalize": { PUT: finalize },
  "pods/resize": part,
  "pods/ephemeralcontainers": part,
};

/** Served by the real server, which passes them on to a node: nothing runs here. */
const elsewhere = new Set(["log", "exec", "attach", "portforward"]);

/** @throws StatusError */
export function serveSubresource(scope: RequestScope, method: string): SubresourceResult {
  const { resource, subresource } = scope;
  if (!resource.subresources.has(subresource)) throw noSuchPath();
  const methods = handlers[`${resource.plural}/${subresource}`] ?? handlers[subresource];
  if (methods === undefined) {
    if (elsewhere.has(subresource)) stored(scope);
    throw elsewhere.has(subresource)
      ? badRequest(`${resource.plural}/${subresource} is not served by this sandbox: nothing runs behind it`)
      : methodNotAllowed();
  }
  const handler = methods[method];
  if (handler === undefined) throw methodNotAllowed();
  return handler(scope);
}
