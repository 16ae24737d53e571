/** What requests report to the audit log. Source: apiserver v0.36 pkg/audit/{context,request}.go. */
import type { Content } from "../serialization/content.ts";
import type { Meta } from "../meta/object.ts";
import type { Attributes, Decision, User } from "./authorizer.ts";

/** A received request. */
export interface AuditedRequest {
  /** Path and query, as sent. */
  readonly uri: string;
  /** Header names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  /** The client's address; undefined in process. */
  readonly remoteAddress: string | undefined;
  /** Undefined if its token or certificate is not accepted. */
  readonly user: User | undefined;
  readonly attributes: Attributes;
  /** From the path; `""` for non-resource paths. */
  readonly apiVersion: string;
  readonly auditId: string;
}

/** The audit events of one request. Each of these is called at most once, in this order. */
export interface RequestAudit {
  /** The impersonated user; `constraint` is the verb of the constrained mode, `""` if there is none. */
  impersonated(user: User, constraint: string): void;
  /** The authorization decision. */
  decided(decision: Decision): void;
  /** The object in the body; `json` returns its text, which only some levels need. */
  sent(metadata: Meta, json: () => string): void;
  /** A body that is not an object of the kind: a patch, the options of a deletion. */
  sentBody(json: () => string): void;
  /** Any other fact; the first value of a key is kept. */
  annotate(key: string, value: string): void;
  /** The same, but only at levels that log request bodies: from Request on. */
  annotateRequest(key: string, value: string): void;
  /** The head of the response, and its content if it is an object. `isStream`: it continues, like a watch. */
  responded(response: AuditedResponse): void;
  /** The end of a streamed response. */
  ended(): void;
}

/** A response. */
export interface AuditedResponse {
  readonly code: number;
  readonly content: Content | undefined;
  readonly isStream: boolean;
}

/** Writes the audit log of a server. */
export interface Auditor {
  /** Undefined if the policy does not log the request. */
  begin(request: AuditedRequest): RequestAudit | undefined;
}
