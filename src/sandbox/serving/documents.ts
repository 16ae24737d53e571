/** Answers to paths that are about the server itself: discovery, OpenAPI, versions, health. */
import { formatExpires } from "../../api/time.ts";
import { aggregatedAt, aggregatedForm } from "./aggregated-discovery.ts";
import { discoveryAt, documentForPeople } from "./discovery.ts";
import { bytesOf } from "../serialization/encoding.ts";
import { param } from "../options/list-options.ts";
import { acceptedAs, aggregatedMedia, checkMedia } from "../serialization/negotiation.ts";
import { openApiAt, openApiIndex } from "./openapi.ts";
import {
  jsonAnswer,
  jsonHeaders,
  movedAnswer,
  noBody,
  nobodyThere,
  plainText,
  textAnswer,
  uncached,
} from "./outgoing.ts";
import type { Incoming, Outgoing } from "./outgoing.ts";
import { methodNotAllowed } from "../meta/refusal.ts";
import type { Server } from "../context/server.ts";

/** @throws StatusError 404, 405, 406. */
export function discoveryAnswer(server: Server, incoming: Incoming, parts: readonly string[]): Outgoing {
  const { method, headers, path } = incoming;
  const [root] = parts;
  // The list of groups is answered whatever the method.
  if (method !== "GET" && (parts.length > 1 || root === "api")) throw methodNotAllowed();
  const accept = headers["accept"] ?? "";
  const media = parts.length === 1 && path !== "/apis/" ? aggregatedMedia(accept) : undefined;
  if (media !== undefined) return aggregatedAnswer(server, incoming, { root: root === "api" ? "api" : "apis", media });
  const isVersion = parts.length === (root === "api" ? 2 : 3);
  if (isVersion) acceptedAs(accept);
  else checkMedia(accept);
  const document = discoveryAt(server.catalogue, parts);
  return document === undefined ? nobodyThere() : jsonAnswer(200, document);
}

interface AskedDocument {
  readonly root: "api" | "apis";
  readonly media: "application/json" | "application/yaml";
}

/** Source: apiserver v0.36 endpoints/discovery/aggregated/etag.go ServeHTTPWithETag. */
function aggregatedAnswer(
  { catalogue, yaml }: Server,
  { headers }: Incoming,
  { root, media }: AskedDocument,
): Outgoing {
  const { json, etag } = aggregatedAt(catalogue, root);
  const common = { "cache-control": "public", etag, vary: "Accept" };
  // One ETag alone is looked at, and as it is.
  if (headers["if-none-match"] === etag) return { status: 304, headers: common, body: noBody };
  const isYaml = media === "application/yaml" && yaml.codec !== undefined;
  const text = isYaml ? yaml.codec?.write(JSON.parse(json)) : `${json}\n`;
  const type = `${isYaml ? media : "application/json"};${aggregatedForm}`;
  return { status: 200, headers: { ...common, "content-type": type }, body: bytesOf(text ?? "") };
}

const healthy = /^\/(readyz|livez|healthz)(\/ping|\/log|\/etcd)?$/;

/** @throws StatusError 405. */
export function otherAnswer(server: Server, incoming: Incoming): Outgoing {
  const { catalogue } = server;
  const { path, method } = incoming;
  const forPeople = method === "GET" ? documentForPeople(catalogue, path) : undefined;
  if (forPeople !== undefined) {
    return { status: 200, headers: jsonHeaders, body: bytesOf(JSON.stringify(forPeople, null, 2)) };
  }
  if (path === "/openapi/v3" || path.startsWith("/openapi/v3/")) return openApiAnswer(server, incoming);
  if (path === "/version" && method !== "GET") throw methodNotAllowed();
  return healthy.test(path) ? textAnswer(200, "ok") : nobodyThere();
}

const yearMs = 365 * 24 * 3_600_000;

/** Source: k8s.io/kube-openapi pkg/handler3/handler.go; Go net/http fs.go ServeContent. */
function openApiAnswer({ catalogue, timeline }: Server, { path, query, headers }: Incoming): Outgoing {
  if (path === "/openapi/v3") {
    const type = { ...uncached, "content-type": plainText };
    return { status: 200, headers: type, body: bytesOf(openApiIndex(catalogue)) };
  }
  const document = openApiAt(catalogue, path);
  if (document === undefined) return { status: 404, headers: uncached, body: noBody };
  const { text, hash } = document;
  const common = { etag: `"${hash}"`, vary: "Accept" };
  const asked = param(query, "hash") ?? "";
  if (asked !== "" && asked !== hash) return movedAnswer(`${path}?hash=${hash}`, [], { ...jsonHeaders, ...common });
  const expires = formatExpires(timeline.now() + yearMs);
  const kept = asked === "" ? uncached : { "cache-control": "public, immutable", expires };
  if (namesTag(headers["if-none-match"], common.etag))
    return { status: 304, headers: { ...kept, ...common }, body: noBody };
  return { status: 200, headers: { ...kept, ...common, "content-type": "application/json" }, body: bytesOf(text) };
}

/** Whether a client has what an ETag stands for: any of a list, weak ones too. */
function namesTag(header: string | undefined, etag: string): boolean {
  if (header === undefined) return false;
  const tags = header.split(",").map((tag) => tag.trim());
  return tags.some((tag) => tag === "*" || tag.replace(/^W\//, "") === etag);
}
