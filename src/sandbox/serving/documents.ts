/** Responses about the server itself: discovery, OpenAPI, versions, health. */
import { formatExpires } from "../../api/time.ts";
import { aggregatedAt, aggregatedForm } from "./aggregated-discovery.ts";
import { discoveryAt, indentedDocument } from "./discovery.ts";
import { healthResponse } from "./health.ts";
import { bytesOf } from "../serialization/encoding.ts";
import { param } from "../options/list-options.ts";
import { acceptedAmong, acceptedForm, aggregatedMedia, checkMedia } from "../serialization/negotiation.ts";
import { openApiOf } from "./openapi/loading.ts";
import { openIdResponse } from "./openid.ts";
import { jsonResponse, jsonHeaders, redirect, noBody, notFoundPage, plainText, uncached } from "./responses.ts";
import type { HttpRequest, Result } from "./responses.ts";
import { methodNotAllowed } from "../meta/refusal.ts";
import type { Steps } from "../meta/steps.ts";
import type { Server } from "../context/server.ts";

/** `/api`, `/apis` and the paths below, down to a version. @throws StatusError 404, 405, 406. */
export function discoveryResponse(server: Server, incoming: HttpRequest, parts: readonly string[]): Result {
  const { method, headers, path } = incoming;
  const [root] = parts;
  // The list of groups is served for every method.
  if (method !== "GET" && (parts.length > 1 || root === "api")) throw methodNotAllowed();
  const accept = headers["accept"] ?? "";
  const media = parts.length === 1 && path !== "/apis/" ? aggregatedMedia(accept) : undefined;
  if (media !== undefined)
    return aggregatedResponse(server, incoming, { root: root === "api" ? "api" : "apis", media });
  const isVersion = parts.length === (root === "api" ? 2 : 3);
  if (isVersion) acceptedForm(accept);
  else checkMedia(accept);
  const document = discoveryAt(server.registry, parts);
  return document === undefined ? notFoundPage() : jsonResponse(200, document);
}

interface DocumentRequest {
  readonly root: "api" | "apis";
  readonly media: "application/json" | "application/yaml";
}

/** Source: apiserver v0.36 endpoints/discovery/aggregated/etag.go ServeHTTPWithETag. */
function aggregatedResponse(
  { registry, yaml }: Server,
  { headers }: HttpRequest,
  { root, media }: DocumentRequest,
): Result {
  const { json, content, etag } = aggregatedAt(registry, root);
  const common = { "cache-control": "public", etag, vary: "Accept" };
  // Only a single ETag is supported, compared literally.
  if (headers["if-none-match"] === etag) return { status: 304, headers: common, body: noBody };
  const isYaml = media === "application/yaml" && yaml.codec !== undefined;
  const text = isYaml ? yaml.codec?.write(content) : `${json}\n`;
  const type = `${isYaml ? media : "application/json"};${aggregatedForm}`;
  return { status: 200, headers: { ...common, "content-type": type }, body: bytesOf(text ?? "") };
}

/** Non-resource paths. @throws StatusError 405. */
export function* nonResourceResponse(server: Server, incoming: HttpRequest): Steps<Result> {
  const { registry } = server;
  const { path, method } = incoming;
  const document = method === "GET" ? indentedDocument(registry, path) : undefined;
  if (document !== undefined) {
    const json = JSON.stringify(document, null, 2);
    return {
      status: 200,
      headers: jsonHeaders,
      body: path === "/version" ? bytesOf(json) : { json: () => json, value: () => document },
    };
  }
  if (path === "/openapi/v2") return yield* swaggerResponse(server, incoming);
  if (path === "/openapi/v3" || path.startsWith("/openapi/v3/")) return yield* openApiResponse(server, incoming);
  const openId = openIdResponse(server, incoming);
  if (openId !== undefined) return openId;
  if (path === "/version" && method !== "GET") throw methodNotAllowed();
  return healthResponse(incoming) ?? notFoundPage();
}

const swaggerJson = "application/json";
const swaggerProtobufType = "application/com.github.proto-openapi.spec.v2.v1.0+protobuf";

/** The response form for each accepted media type; the first is the default. */
const swaggerForms: ReadonlyMap<string, string> = new Map([
  ["*/*", swaggerJson],
  ["application/*", swaggerJson],
  [swaggerJson, swaggerJson],
  ["application/com.github.proto-openapi.spec.v2@v1.0+protobuf", swaggerProtobufType],
  [swaggerProtobufType, swaggerProtobufType],
]);

/** Source: k8s.io/kube-openapi pkg/handler/handler.go. */
function* swaggerResponse({ registry }: Server, { headers }: HttpRequest): Steps<Result> {
  const type = acceptedAmong(headers["accept"] ?? "", swaggerForms);
  const vary = { vary: "Accept" };
  if (type === undefined) return { status: 406, headers: { ...uncached, ...vary }, body: noBody };
  const documents = yield* openApiOf(registry);
  const { text, hash } = documents.swagger;
  // Both forms have the ETag of the JSON one.
  const common = { ...uncached, ...vary, etag: `"${hash}"` };
  if (namesTag(headers["if-none-match"], common.etag)) return { status: 304, headers: common, body: noBody };
  const body = type === swaggerJson ? bytesOf(text) : documents.swaggerProtobuf;
  return { status: 200, headers: { ...common, "content-type": type }, body };
}

const yearMs = 365 * 24 * 3_600_000;

/** Source: k8s.io/kube-openapi pkg/handler3/handler.go; Go net/http fs.go ServeContent. */
function* openApiResponse({ registry, timeline }: Server, { path, query, headers }: HttpRequest): Steps<Result> {
  const documents = yield* openApiOf(registry);
  if (path === "/openapi/v3") {
    const type = { ...uncached, "content-type": plainText };
    return { status: 200, headers: type, body: bytesOf(documents.index) };
  }
  const document = documents.at(path);
  if (document === undefined) return { status: 404, headers: uncached, body: noBody };
  const { text, hash } = document;
  const common = { etag: `"${hash}"`, vary: "Accept" };
  const requestedHash = param(query, "hash") ?? "";
  if (requestedHash !== "" && requestedHash !== hash)
    return redirect(`${path}?hash=${hash}`, [], { ...jsonHeaders, ...common });
  const expires = formatExpires(timeline.now() + yearMs);
  const kept = requestedHash === "" ? uncached : { "cache-control": "public, immutable", expires };
  if (namesTag(headers["if-none-match"], common.etag))
    return { status: 304, headers: { ...kept, ...common }, body: noBody };
  return { status: 200, headers: { ...kept, ...common, "content-type": "application/json" }, body: bytesOf(text) };
}

/** True if `If-None-Match` lists the ETag, weak or strong. */
function namesTag(header: string | undefined, etag: string): boolean {
  if (header === undefined) return false;
  const tags = header.split(",").map((tag) => tag.trim());
  return tags.some((tag) => tag === "*" || tag.replace(/^W\//, "") === etag);
}
