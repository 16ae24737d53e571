/** Builds requests from options: queries, headers and bodies. */
import { sortedGoJson } from "../../api/go-json.ts";
import { isObject } from "../../api/json.ts";
import type { ApiRequest, Transport } from "../../api/transport.ts";
import type { TraceBus } from "../../trace/bus.ts";
import type { Timeline } from "../../platform/timeline.ts";
import type { ListOptions, WatchOptions } from "./lister-watcher.ts";
import type { Patch } from "../../api/patch.ts";
import type { DeleteOptions, MetadataOnly, ReadOptions, WriteOptions } from "./verbs.ts";

/** What all requests of one client share. */
export interface RequestContext {
  readonly transport: Transport;
  readonly bus: TraceBus;
  readonly timeline: Timeline;
  readonly fieldManager: string;
  /** Its writes are not sent. */
  readonly wouldBe?: true;
}

/** The query of a URL, in order. */
export type Query = (readonly [name: string, value: string])[];

/** The signal of callers without one; it never aborts. */
const never: AbortSignal = new AbortController().signal;
const encoder = new TextEncoder();

/**
 * Encodes a JSON body. ControllerRevisions are encoded exactly as in Go, because the server stores their data byte for byte and controllers
 * compare the bytes.
 */
export function encode(value: unknown): Uint8Array {
  return encoder.encode(isControllerRevision(value) ? sortedGoJson(value) : JSON.stringify(value));
}

function isControllerRevision(value: unknown): boolean {
  return isObject(value) && value["kind"] === "ControllerRevision" && value["apiVersion"] === "apps/v1";
}

/** A GET for JSON. */
export function getRequest(path: string, query: Query, options: ReadOptions | undefined): ApiRequest {
  return {
    method: "GET",
    path,
    query,
    headers: accept,
    signal: options?.signal ?? never,
    ...(options?.renewsLease === true && { renewsLease: true }),
  };
}

/** Headers that request JSON. */
export const accept: Readonly<Record<string, string>> = { accept: "application/json" };

/** A request with a body. */
export function bodyRequest(
  request: Pick<ApiRequest, "method" | "path" | "query"> & { readonly type?: string; readonly body: unknown },
  options: (WriteOptions & Partial<MetadataOnly>) | undefined,
): ApiRequest {
  return {
    method: request.method,
    path: request.path,
    ...(request.query !== undefined && { query: request.query }),
    headers: { ...accept, "content-type": request.type ?? "application/json" },
    ...(request.body !== undefined && { body: encode(request.body) }),
    signal: options?.signal ?? never,
    ...(options?.because !== undefined && { decision: options.because }),
    ...(options?.metadataSuffices === true && { metadataSuffices: true }),
    ...(options?.renewsLease === true && { renewsLease: true }),
  };
}

function put(query: Query, name: string, value: string | number | undefined): void {
  if (value !== undefined && value !== "") query.push([name, String(value)]);
}

/** The query of a list. */
export function listQuery(options: ListOptions): Query {
  const query: Query = [];
  put(query, "labelSelector", options.labelSelector);
  put(query, "fieldSelector", options.fieldSelector);
  put(query, "limit", options.limit);
  put(query, "continue", options.continueToken);
  put(query, "resourceVersion", options.resourceVersion);
  put(query, "resourceVersionMatch", options.resourceVersionMatch);
  return query;
}

/** The query of a watch, always with bookmarks. */
export function watchQuery(options: WatchOptions): Query {
  const query: Query = [
    ["watch", "true"],
    ["allowWatchBookmarks", "true"],
  ];
  put(query, "labelSelector", options.labelSelector);
  put(query, "fieldSelector", options.fieldSelector);
  put(query, "resourceVersion", options.resourceVersion);
  put(query, "timeoutSeconds", options.timeoutSeconds);
  if (options.sendInitialEvents === true) {
    query.push(["sendInitialEvents", "true"], ["resourceVersionMatch", "NotOlderThan"]);
  }
  return query;
}

/** The query of a create, an update or a patch. */
export function writeQuery(context: RequestContext, options: WriteOptions | undefined): Query {
  const query: Query = [];
  put(query, "fieldManager", options?.fieldManager ?? context.fieldManager);
  put(query, "fieldValidation", options?.fieldValidation);
  if (options?.dryRun === true) query.push(["dryRun", "All"]);
  return query;
}

/** The request's `DeleteOptions`; undefined if there are none. */
export function deleteBody(options: DeleteOptions | undefined): Record<string, unknown> | undefined {
  const { preconditions, propagationPolicy, gracePeriodSeconds, dryRun } = options ?? {};
  const body = {
    ...(preconditions !== undefined && { preconditions }),
    ...(propagationPolicy !== undefined && { propagationPolicy }),
    ...(gracePeriodSeconds !== undefined && { gracePeriodSeconds }),
    ...(dryRun === true && { dryRun: ["All"] }),
  };
  return Object.keys(body).length === 0 ? undefined : { kind: "DeleteOptions", apiVersion: "v1", ...body };
}

/** The media type of a patch. Server-side apply is sent as JSON, which is YAML too. */
export function patchType(type: Patch["type"]): string {
  switch (type) {
    case "json":
      return "application/json-patch+json";
    case "merge":
      return "application/merge-patch+json";
    case "strategic":
      return "application/strategic-merge-patch+json";
    case "apply":
      return "application/apply-patch+yaml";
  }
}
