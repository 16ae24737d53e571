/** Builds the event of an observed write. */
import { readReconcile } from "../../trace/reconcile-ref.ts";
import { fieldChanges, type FieldChange } from "../../api/field-changes.ts";
import { isObject } from "../../api/json.ts";
import { objectKey } from "../../api/key.ts";
import type { StoredObject } from "../../api/object.ts";
import type { Patch } from "../../api/patch.ts";
import { patchChanges } from "../../api/patch-changes.ts";
import { compareResourceVersions } from "../../api/resource-version.ts";
import { objectsIn, resultOfWrite } from "../../api/write-result.ts";
import type { WriteEvent } from "../../trace/events.ts";
import { maskChanges } from "../../trace/mask.ts";
import { WriteDetail } from "../../trace/write-detail.ts";
import type { ExchangeEnd } from "./exchange.ts";
import { encodingOf, type BodyReader, type Json } from "./bodies.ts";
import type { Knowledge } from "./knowledge.ts";
import { flag, parameter } from "./request-info.ts";
import type { ExchangeContext } from "./response-reader.ts";
import { isStored, metadataOf } from "./stored.ts";

/** A write whose response has ended. */
export interface ObservedWrite {
  readonly exchange: ExchangeContext;
  readonly verb: WriteEvent["verb"];
  readonly bodies: BodyReader;
  readonly knowledge: Knowledge;
  /** The object of the response, if it was read. */
  readonly response: Json | undefined;
  readonly how: ExchangeEnd;
  readonly at: number;
}

/** API groups and subresources whose POST stores nothing. */
const reviews = /^(authorization|authentication)\.k8s\.io$/;
const notStored: ReadonlySet<string> = new Set(["token", "exec", "attach", "portforward", "proxy"]);

/** The write event; undefined for requests that store nothing, such as reviews and dry runs. */
export function writeEvent({
  exchange,
  verb,
  bodies,
  knowledge,
  response,
  how,
  at,
}: ObservedWrite): WriteEvent | undefined {
  const { request, meaning, agent, status } = exchange;
  const { target } = meaning;
  const reconcile = readReconcile(request.headers);
  if (target === undefined || reviews.test(target.group) || notStored.has(target.subresource)) return undefined;
  if (flag(request.query, "dryRun") || parameter(request.query, "dryRun") !== "") return undefined;
  const of = knowledge.kinds.of(target);
  const sent = sentBy(exchange, bodies);
  const result = resultOfWrite(response);
  const name = target.name === "" && verb === "create" ? (nameIn(sent.object) ?? result.name) : target.name;
  const base = baseOf(exchange.known, sent.before);
  const error =
    how.is === "failed" ? how.error : how.is === "left" ? "closed by the client" : refusalIn(status, response);
  return {
    stage: "write",
    agent,
    verb,
    fieldManager: fieldManagerOf(exchange),
    of,
    key: objectKey(target.namespace, name),
    uid: result.uid,
    before: verb === "update" || verb === "patch" ? sent.before || (base?.metadata.resourceVersion ?? "") : sent.before,
    conditional: sent.before !== "",
    resourceVersion: result.resourceVersion,
    deletes: status < 300 && result.deletes,
    status,
    sentAt: request.at,
    ms: at - request.at,
    changes: maskChanges(of, changesOf(sent, base)),
    detail: new WriteDetail(sent.object ?? sent.patch?.body, knownOf(response, base)),
    ...(target.subresource !== "" && { subresource: target.subresource }),
    ...(target.name === "" && verb === "create" && nameIn(sent.object) === undefined && { generatedName: true }),
    ...(verb === "deletecollection" && objectsIn(response)),
    ...(reconcile !== undefined && { reconcile }),
    ...(error !== undefined && { error }),
  };
}

/** The object that a write was based on: the version that it names, or else the latest that the process may have known. */
function baseOf(known: readonly StoredObject[], version: string): StoredObject | undefined {
  const named = known.find(({ metadata }) => metadata.resourceVersion === version);
  return (
    named ??
    known.toSorted((a, b) => compareResourceVersions(b.metadata.resourceVersion, a.metadata.resourceVersion) ?? 0)[0]
  );
}

/** The object after the write. If the write removed the owner references, the previous ones are kept, because the write was made for that owner. */
function knownOf(response: Json | undefined, base: StoredObject | undefined): StoredObject | undefined {
  if (!isStored(response)) return base;
  const { ownerReferences = [] } = response.metadata;
  const had = base?.metadata.ownerReferences;
  return ownerReferences.length > 0 || had === undefined
    ? response
    : { ...response, metadata: { ...response.metadata, ownerReferences: had } };
}

interface Sent {
  readonly verb: string;
  readonly object: Json | undefined;
  readonly patch: Patch | undefined;
  /** The resourceVersion precondition; empty if there is none. */
  readonly before: string;
}

const patchTypes: Readonly<Record<string, "merge" | "strategic" | "apply">> = {
  "application/merge-patch+json": "merge",
  "application/strategic-merge-patch+json": "strategic",
  "application/apply-patch+yaml": "apply",
};

function sentBy({ request, meaning }: ExchangeContext, bodies: BodyReader): Sent {
  const { verb } = meaning;
  const type = (request.headers["content-type"] ?? "").split(";")[0]?.trim() ?? "";
  if (request.body.length === 0) return { verb, object: undefined, patch: undefined, before: "" };
  if (verb === "patch") {
    const body = jsonOrNothing(bodies, request.body);
    const object = isObject(body) ? body : undefined;
    return { verb, object, patch: patchOf(type, body), before: versionIn(object) };
  }
  const object = bodies.object(request.body, encodingOf(type));
  const preconditions = object?.["preconditions"];
  const before = isObject(preconditions) ? textIn(preconditions["resourceVersion"]) : versionIn(object);
  return { verb, object, patch: undefined, before: verb === "create" ? "" : before };
}

function patchOf(type: string, body: unknown): Patch | undefined {
  if (type === "application/json-patch+json") return Array.isArray(body) ? { type: "json", body } : undefined;
  const of = patchTypes[type];
  return of === undefined || !isObject(body) ? undefined : { type: of, body };
}

/** Undefined for YAML, which an apply may use and which is not decoded. */
function jsonOrNothing(bodies: BodyReader, body: Uint8Array): unknown {
  try {
    return bodies.json(body);
  } catch {
    return undefined;
  }
}

function changesOf({ verb, object, patch }: Sent, base: StoredObject | undefined): readonly FieldChange[] {
  if (base === undefined) return [];
  if (patch !== undefined) return patchChanges(base, patch);
  return verb === "update" && object !== undefined ? fieldChanges(base, filledIn(object, base)) : [];
}

/** Metadata that the server keeps whatever is sent. Source: apiserver v0.36 registry/rest/update.go BeforeUpdate. */
const keptMetadata = [
  "namespace",
  "uid",
  "creationTimestamp",
  "resourceVersion",
  "generation",
  "selfLink",
  "managedFields",
];

/** The sent object, completed with the metadata that the server keeps. */
function filledIn(object: Json, { metadata }: StoredObject): Json {
  const server = Object.fromEntries(Object.entries(metadata).filter(([name]) => keptMetadata.includes(name)));
  return { ...object, metadata: { ...server, ...metadataOf(object) } };
}

/**
 * The `fieldManager` parameter, or else the User-Agent up to the first slash. Source: apiserver v0.36 endpoints/handlers/create.go managerOrUserAgent.
 */
function fieldManagerOf({ request, agent }: ExchangeContext): string {
  return parameter(request.query, "fieldManager") || (agent.split("/")[0] ?? "").slice(0, 128);
}

function refusalIn(status: number, response: Json | undefined): string | undefined {
  if (status < 300) return undefined;
  return textIn(response?.["message"]) || `the server responded with ${status}`;
}

function versionIn(object: Json | undefined): string {
  return textIn(metadataOf(object).resourceVersion);
}

function nameIn(object: Json | undefined): string | undefined {
  return textIn(metadataOf(object).name) || undefined;
}

function textIn(value: unknown): string {
  return typeof value === "string" ? value : "";
}
