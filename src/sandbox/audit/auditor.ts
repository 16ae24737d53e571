/** Audit events, each as one JSON text. Source: apiserver v0.36 pkg/endpoints/filters/audit.go, pkg/audit/request.go. */
import { formatMicroTime } from "../../api/time.ts";
import type { Timeline } from "../../platform/timeline.ts";
import type { Auditor, AuditedRequest, AuditedResponse, RequestAudit } from "../context/audit.ts";
import type { Decision, User } from "../context/authorizer.ts";
import { fieldsIn, isFields, type Fields, type Meta } from "../meta/object.ts";
import { auditConfigOf, type AuditPolicy, type RequestAuditConfig, type Stage } from "./policy.ts";

/** Options of an audit log. */
export interface AuditOptions {
  readonly policy: AuditPolicy;
  /** Receives an event, without a line feed. */
  readonly write: (event: string) => void;
}

/** An audit log that writes the events selected by the policy. */
export function auditorOf({ policy, write }: AuditOptions, timeline: Timeline): Auditor {
  return {
    begin(request) {
      const config = auditConfigOf(policy, request);
      if (config.level === "None") return undefined;
      return new RequestEvents({ request, config, write, timeline });
    },
  };
}

interface Parts {
  readonly request: AuditedRequest;
  readonly config: RequestAuditConfig;
  readonly write: (event: string) => void;
  readonly timeline: Timeline;
}

type Json = string;

const userJson = ({ name, uid, groups, extra }: User): Fields => ({
  ...(name === "" ? {} : { username: name }),
  ...(uid === undefined || uid === "" ? {} : { uid }),
  ...(groups.length === 0 ? {} : { groups }),
  ...(extra === undefined || Object.keys(extra).length === 0 ? {} : { extra }),
});

/** The events of one request. Values are kept as JSON until an event is written. */
class RequestEvents implements RequestAudit {
  readonly #parts: Parts;
  readonly #receivedAt: string;
  readonly #annotations = new Map<string, string>();
  #impersonatedUser: Json | undefined;
  #authenticationMetadata: Json | undefined;
  #objectRef: Fields | undefined;
  #responseStatus: Json | undefined;
  #requestObject: Json | undefined;
  #responseObject: Json | undefined;

  constructor(parts: Parts) {
    this.#parts = parts;
    this.#receivedAt = formatMicroTime(parts.timeline.now());
    this.#objectRef = objectRefOf(parts.request);
    // A request with invalid credentials is logged only when it is rejected.
    if (parts.request.user !== undefined) this.#emit("RequestReceived", this.#receivedAt);
  }

  impersonated(user: User, constraint: string): void {
    this.#impersonatedUser = JSON.stringify(userJson(user));
    if (constraint !== "") this.#authenticationMetadata = JSON.stringify({ impersonationConstraint: constraint });
  }

  decided({ allowed, reason = "" }: Decision): void {
    this.annotate("authorization.k8s.io/decision", allowed ? "allow" : "forbid");
    this.annotate("authorization.k8s.io/reason", reason);
  }

  annotate(key: string, value: string): void {
    if (!this.#annotations.has(key)) this.#annotations.set(key, value);
  }

  annotateRequest(key: string, value: string): void {
    if (this.#logsRequest()) this.annotate(key, value);
  }

  sent({ name, namespace, uid, resourceVersion }: Meta, json: () => string): void {
    const ref = (this.#objectRef ??= {});
    const found = { name, namespace, uid, resourceVersion };
    for (const [key, value] of Object.entries(found)) if ((value ?? "") !== "") ref[key] ??= value;
    this.sentBody(json);
  }

  sentBody(json: () => string): void {
    if (this.#logsRequest()) this.#requestObject = this.#withoutManagedFields(json().trimEnd());
  }

  responded({ code, content, isStream }: AuditedResponse): void {
    const value =
      content !== undefined && (code >= 400 || this.#parts.request.attributes.verb.startsWith("delete"))
        ? content.value()
        : {};
    const status = isFields(value) && value["kind"] === "Status" ? value : {};
    const { status: outcome, message, reason, details } = status;
    const known = { metadata: {}, status: outcome, message, reason, details, code };
    this.#responseStatus = JSON.stringify(known);
    if (content !== undefined && this.#parts.config.level === "RequestResponse")
      this.#responseObject = this.#withoutManagedFields(content.json().trimEnd());
    if (isStream) this.#emit("ResponseStarted");
    else this.ended();
  }

  ended(): void {
    this.#emit("ResponseComplete");
  }

  #logsRequest(): boolean {
    const { level } = this.#parts.config;
    return level === "Request" || level === "RequestResponse";
  }

  #withoutManagedFields(text: Json): Json {
    if (!this.#parts.config.omitManagedFields || !text.includes('"managedFields"')) return text;
    const value: unknown = JSON.parse(text);
    if (!isFields(value)) return text;
    const whole = [value, ...fieldsIn(value["items"])];
    const rows = fieldsIn(value["rows"]).map((row) => row["object"]);
    for (const object of [...whole, ...rows])
      if (isFields(object) && isFields(object["metadata"])) delete object["metadata"]["managedFields"];
    return JSON.stringify(value);
  }

  #emit(stage: Stage, at?: string): void {
    const { config, write, timeline } = this.#parts;
    if (config.omitStages.has(stage)) return;
    write(`{${this.#fields(stage, at ?? formatMicroTime(timeline.now())).join(",")}}`);
  }

  #fields(stage: Stage, at: string): readonly Json[] {
    const { request, config } = this.#parts;
    const { uri, headers, user, attributes, auditId } = request;
    const agent = headers["user-agent"] ?? "";
    const annotations = Object.fromEntries(this.#annotations);
    const fields: readonly (readonly [string, Json | undefined])[] = [
      ["kind", '"Event"'],
      ["apiVersion", '"audit.k8s.io/v1"'],
      ["level", JSON.stringify(config.level)],
      ["auditID", JSON.stringify(auditId)],
      ["stage", JSON.stringify(stage)],
      ["requestURI", JSON.stringify(uri)],
      ["verb", JSON.stringify(attributes.verb)],
      ["user", JSON.stringify(user === undefined ? {} : userJson(user))],
      ["impersonatedUser", this.#impersonatedUser],
      ["authenticationMetadata", this.#authenticationMetadata],
      ["sourceIPs", JSON.stringify(sourceIps(request))],
      ["userAgent", agent === "" ? undefined : JSON.stringify(shortAgent(agent))],
      ["objectRef", this.#objectRef === undefined ? undefined : JSON.stringify(orderedRef(this.#objectRef))],
      ["responseStatus", this.#responseStatus],
      ["requestObject", this.#requestObject],
      ["responseObject", this.#responseObject],
      ["requestReceivedTimestamp", JSON.stringify(this.#receivedAt)],
      ["stageTimestamp", JSON.stringify(at)],
      ["annotations", this.#annotations.size === 0 ? undefined : JSON.stringify(annotations)],
    ];
    return fields.flatMap(([name, json]) => (json === undefined ? [] : [`"${name}":${json}`]));
  }
}

/** The object of a request, as far as the path identifies it. */
function objectRefOf({ attributes, apiVersion }: AuditedRequest): Fields | undefined {
  if (attributes.is !== "resource") return undefined;
  const { resource, namespace, name, group, subresource } = attributes;
  const version = apiVersion.slice(apiVersion.indexOf("/") + 1);
  const ref = { resource, namespace, name, apiGroup: group, apiVersion: version, subresource };
  return Object.fromEntries(Object.entries(ref).filter(([, value]) => value !== ""));
}

const refKeys = ["resource", "namespace", "name", "uid", "apiGroup", "apiVersion", "resourceVersion", "subresource"];

const orderedRef = (ref: Fields): Fields =>
  Object.fromEntries(refKeys.flatMap((key) => (ref[key] === undefined ? [] : [[key, ref[key]]])));

/** Source: apimachinery v0.36 pkg/util/net/http.go SourceIPs. */
function sourceIps({ headers, remoteAddress }: AuditedRequest): readonly string[] {
  const forwarded = (headers["x-forwarded-for"] ?? "").split(",").map((address) => address.trim());
  const real = headers["x-real-ip"] ?? "";
  const named = [...forwarded, ...(forwarded.includes(real) ? [] : [real])].filter((address) => address !== "");
  const own = remoteAddress?.replace(/^::ffff:/, "") ?? "127.0.0.1";
  return named.at(-1) === own ? named : [...named, own];
}

const longestAgent = 1024;

/** Source: apiserver v0.36 pkg/audit/request.go maybeTruncateUserAgent. */
const shortAgent = (agent: string): string =>
  agent.length > longestAgent ? `${agent.slice(0, longestAgent)}...TRUNCATED` : agent;
