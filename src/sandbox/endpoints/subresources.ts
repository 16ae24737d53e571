/** Subresources other than status: which methods are served, and how. */
import type { Steps } from "../meta/steps.ts";
import { badRequest, methodNotAllowed, noSuchPath, notFound } from "../meta/refusal.ts";
import { servedEntry } from "../context/conversion.ts";
import type { RequestScope } from "../context/server.ts";
import type { StatusError } from "../../api/status-error.ts";
import { textOf } from "../meta/object.ts";
import { param } from "../options/list-options.ts";
import { admitConnection } from "./connect.ts";
import { containerOf } from "./container.ts";
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

/** A subresource that writes a part of the object: it has an `UpdateStrategy`. */
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

/** Connections that the real server proxies to a node, with their purposes. */
const connections: Readonly<Record<string, string>> = {
  exec: "in which a command could run",
  attach: "to attach to",
  portforward: "that listens on a port",
};

/** A request for a subresource. */
interface SubresourceRequest {
  readonly method: string;
  readonly path: string;
}

/** @throws StatusError */
export function* serveSubresource(scope: RequestScope, { method, path }: SubresourceRequest): Steps<SubresourceResult> {
  const { resource, subresource } = scope;
  if (!resource.subresources.has(subresource)) throw noSuchPath();
  const methods = handlers[`${resource.plural}/${subresource}`] ?? handlers[subresource];
  const lacks = connections[subresource];
  if (methods === undefined) {
    if (lacks === undefined || (method !== "GET" && method !== "POST")) throw methodNotAllowed();
    yield* admitConnection(scope, path);
    throw unconnected(scope, lacks);
  }
  const isKnown = method === "GET" || method === "POST" || method === "PUT" || method === "PATCH";
  const handler = isKnown ? methods[method] : undefined;
  if (handler === undefined) throw methodNotAllowed();
  return yield* retried(scope, () => handler(scope));
}

/**
 * Why a connection fails. Errors that the real server finds before it connects have its messages.
 * Source: kubernetes v1.36 pkg/registry/core/pod/strategy.go streamLocation, PortForwardLocation.
 */
function unconnected(scope: RequestScope, lacks: string): StatusError {
  const { collection, namespace, name, subresource, resource, query } = scope;
  const pod = collection.get(namespace, name)?.object;
  if (pod === undefined) return notFound(resource.asResource, name);
  if (subresource !== "portforward") containerOf(pod, param(query, "container") ?? "");
  if (textOf(pod.spec?.["nodeName"]) === "") return badRequest(`pod ${name} does not have a host assigned`);
  const instead = "annotations of the pod set what its containers do and print (docs/sandbox-annotations.md)";
  return badRequest(`the sandbox has no process ${lacks}: ${instead}`);
}
