/** State shared by the parts of the server. */
import type { Random } from "../../platform/random.ts";
import type { Timeline } from "../../platform/timeline.ts";
import type { AdmissionPlugin } from "./admission-plugins.ts";
import type { Auditor, RequestAudit } from "./audit.ts";
import type { TokenAuthenticator } from "./authenticator.ts";
import type { Authorizer, RuleResolver, User } from "./authorizer.ts";
import type { ApiObject } from "../meta/object.ts";
import type { ProtobufReader } from "../serialization/protobuf-body.ts";
import type { ProtobufWriter } from "../serialization/protobuf-response.ts";
import type { ResourceRegistry, Resource } from "../registry/resource.ts";
import type { Collection } from "../storage/collection.ts";
import type { Store } from "../storage/store.ts";
import type { OpenWatches } from "./watch.ts";
import type { WebhookClient } from "../webhook/client.ts";
import type { YamlSlot } from "../serialization/yaml/codec.ts";

/** The parts of one API server, available to every request. */
export interface Server {
  readonly timeline: Timeline;
  readonly random: Random;
  readonly store: Store;
  readonly registry: ResourceRegistry;
  /** True if `metadata.managedFields` are tracked. */
  readonly managesFields: boolean;
  /** The IP ranges of Services: one, or one per family. */
  readonly serviceRanges: readonly string[];
  /** The enabled admission plugins. */
  readonly admission: ReadonlySet<AdmissionPlugin>;
  /** Calls webhooks; undefined: none are called. */
  readonly webhooks: WebhookClient | undefined;
  /** Authenticates tokens, and signs those of ServiceAccounts. */
  readonly tokens: TokenAuthenticator;
  /** Decides who may do what. */
  readonly authorizer: Authorizer;
  /** The same authorizer if it evaluates roles: then privilege escalation is prevented. */
  readonly ruleResolver: RuleResolver | undefined;
  /** True if it serves the metrics APIs, from annotations. */
  readonly servesMetrics: boolean;
  /** Writes the audit log; undefined: there is none. */
  readonly auditor: Auditor | undefined;
  readonly readProtobuf: ProtobufReader;
  readonly protobuf: ProtobufWriter;
  readonly yaml: YamlSlot;
  readonly watches: OpenWatches;
  /** How many audit IDs have been used: they are counted instead of random, so random numbers depend only on objects. */
  readonly requests: { count: number };
  /** Users by bearer token. */
  readonly logins: Map<string, User>;
}

/** Converted objects, by requested version and original object. */
export type Conversions = ReadonlyMap<string, ApiObject>;

/** A request for a resource. Source: apiserver v0.36 endpoints/handlers/rest.go RequestScope, endpoints/request RequestInfo. */
export interface RequestScope {
  readonly server: Server;
  /** At its storage version. */
  readonly resource: Resource;
  /** At the version of the request: bodies are decoded and responses encoded with it. */
  readonly served: Resource;
  readonly collection: Collection;
  /** As authorized: `update`. */
  readonly verb: string;
  /** `""` for cluster-scoped resources and for collections over all namespaces. */
  readonly namespace: string;
  /** `""` for collections. */
  readonly name: string;
  readonly subresource: string;
  readonly query: readonly (readonly [name: string, value: string])[];
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
  readonly user: User;
  readonly dryRun: boolean;
  /** When a waiting write times out, in ms since 1970. */
  readonly deadline: number;
  /** Strict decoding errors of the body, found before it is decoded as its kind. */
  readonly strict: string[];
  /** The literals of numbers in a JSON body that are not only digits, by path; set when it is parsed. */
  readonly literals: Map<string, string>;
  /** The texts of the `Warning` headers. */
  readonly warnings: string[];
  /** Its part of the audit log; undefined: not logged. */
  readonly audit: RequestAudit | undefined;
  /** Objects that webhooks have converted, while managed fields are calculated; without it no webhook is called. */
  readonly conversions?: Conversions;
}

/** The collection that stores a resource's objects. */
export function collectionOf(server: Server, resource: Resource): Collection {
  return server.store.collection(resource.storage, resource.namespaced);
}
