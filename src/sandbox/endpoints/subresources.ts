/** Subresources other than status: each method of each, where it is served. */
import type { Steps } from "../meta/steps.ts";
import { badRequest, methodNotAllowed, noSuchPath, notFound } from "../meta/refusal.ts";
import { servedEntry } from "../context/conversion.ts";
import type { RequestScope } from "../context/server.ts";
import type { Entry } from "../storage/entry.ts";
import { bind } from "./bind.ts";
import { evict } from "./evict.ts";
import { finalize } from "./finalize.ts";
import { patch } from "./patch.ts";
import { retried } from "./retry.ts";
import { getScale, patchScale, putScale } from "./scale.ts";
import { requestToken } from "./token-request.ts";
import { update } from "./update.ts";

/** The result of a subresource: a stored object, or a value that is not stored. */
export type SubresourceResult =
  { readonly status: number; readonly entry: Entry } | { readonly status: number; readonly value: object };

type Handler = (scope: RequestScope) => Steps<SubresourceResult>;

interface Handlers {
  readonly GET?: Handler;
  readonly POST?: Handler;
  readonly PUT?: Handler;
  readonly PATCH?: Handler;
}

function* stored(scope: RequestScope): Steps<SubresourceResult> {
  const entry = yield* servedEntry(scope, scope.collection.get(scope.namespace, scope.name));
  if (entry === undefined) throw notFound(scope.resource.asResource, scope.name);
  return { status: 200, entry };
}

/** Of a subresource that writes a part of the object: it has an `UpdateStrategy`. */
const part: Handlers = {
  GET: stored,
  *PUT(scope) {
    return { status: 200, entry: (yield* update(scope)).entry };
  },
  *PATCH(scope) {
    return { status: 200, entry: (yield* patch(scope)).entry };
  },
};

const handlers: Readonly<Record<string, Handlers>> = {
  scale: { GET: getScale, PUT: putScale, PATCH: patchScale },
  "serviceaccounts/token": { POST: requestToken },
  "pods/binding": { POST: bind },
  "pods/eviction": { POST: evict },
  "namespaces/finalize": { PUT: finalize },
  "certificatesigningrequests/approval": part,
  "pods/resize": part,
  "pods/ephemeralcontainers": part,
};

/** Served by the real server, which passes them on to a node: nothing runs here. */
const elsewhere = new Set(["log", "exec", "attach", "portforward"]);

/** @throws StatusError */
export function* serveSubresource(scope: RequestScope, method: string): Steps<SubresourceResult> {
  const { resource, subresource } = scope;
  if (!resource.subresources.has(subresource)) throw noSuchPath();
  const methods = handlers[`${resource.plural}/${subresource}`] ?? handlers[subresource];
  if (methods === undefined) {
    if (elsewhere.has(subresource)) yield* stored(scope);
    throw elsewhere.has(subresource)
      ? badRequest(`${resource.plural}/${subresource} is not served by this sandbox: nothing runs behind it`)
      : methodNotAllowed();
  }
  const isKnown = method === "GET" || method === "POST" || method === "PUT" || method === "PATCH";
  const handler = isKnown ? methods[method] : undefined;
  if (handler === undefined) throw methodNotAllowed();
  return yield* retried(scope, () => handler(scope));
}
