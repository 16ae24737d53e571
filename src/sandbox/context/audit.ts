/** What requests tell the audit log. Source: apiserver v0.36 pkg/audit/{context,request}.go. */
import type { Content } from "../serialization/content.ts";
import type { Meta } from "../meta/object.ts";
import type { Attributes, Decision, User } from "./authorizer.ts";

/** A request that has come in. */
export interface AuditedRequest {
  /** Path and query, as they were sent. */
  readonly uri: string;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  /** The client's address; undefined in process. */
  readonly remoteAddress: string | undefined;
  /** Undefined if its token or certificate is not accepted. */
  readonly user: User | undefined;
  readonly asked: Attributes;
  /** Of the path; `""` for paths that are no resources. */
  readonly apiVersion: string;
  readonly auditId: string;
}

/** One request's part of the log. Each of these is called at most once, in this order. */
export interface RequestAudit {
  /** The user that the request acts as instead; `constraint` is the verb of the constrained mode, `""` for none. */
  impersonated(user: User, constraint: string): void;
  /** Whether it may. */
  decided(decision: Decision): void;
  /** The object in the body; `json` makes its text, which only some levels need. */
  sent(metadata: Meta, json: () => string): void;
  /** A body that is no object of the kind: a patch, the options of a deletion. */
  sentBody(json: () => string): void;
  /** Any other fact; the first value of a key stays. */
  annotate(key: string, value: string): void;
  /** The same, in the log where request bodies are: from the level Request on. */
  annotateRequest(key: string, value: string): void;
  /** The head of the response, and its content where it is an object. `isStream`: it goes on, as a watch does. */
  responded(response: AuditedResponse): void;
  /** The end of a response that goes on. */
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
  /** Undefined for a request that the policy leaves out. */
  begin(request: AuditedRequest): RequestAudit | undefined;
}
