/** What the parts of the server share. */
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

/** The parts of one API server: what every request may use. */
export interface Server {
  readonly timeline: Timeline;
  readonly random: Random;
  readonly store: Store;
  readonly registry: ResourceRegistry;
  /** True if `metadata.managedFields` are tracked. */
  readonly managesFields: boolean;
  /** The ranges that it takes addresses of Services from: one, or one of each family. */
  readonly serviceRanges: readonly string[];
  /** The admission plugins that are on. */
  readonly admission: ReadonlySet<AdmissionPlugin>;
  /** Calls webhooks; undefined: none are called. */
  readonly webhooks: WebhookClient | undefined;
  /** Whose token a request has; signs those of service accounts. */
  readonly tokens: TokenAuthenticator;
  /** Who may do what. */
  readonly authorizer: Authorizer;
  /** The same authorizer where it evaluates roles: then nobody grants more than they may do. */
  readonly ruleResolver: RuleResolver | undefined;
  /** True if it serves the metrics APIs, from annotations. */
  readonly servesMetrics: boolean;
  /** Writes the audit log; undefined: there is none. */
  readonly auditor: Auditor | undefined;
  readonly readProtobuf: ProtobufReader;
  readonly protobuf: ProtobufWriter;
  readonly yaml: YamlSlot;
  readonly watches: OpenWatches;
  /** How many audit IDs have been given out: they are counted, so that the random numbers are for objects alone. */
  readonly requests: { count: number };
  /** Users by bearer token. */
  readonly logins: Map<string, User>;
}

/** Converted objects, by the version that was wanted and the object that was sent. */
export type Conversions = ReadonlyMap<string, ApiObject>;

/** A request for a resource. Source: apiserver v0.36 endpoints/handlers/rest.go RequestScope, endpoints/request RequestInfo. */
export interface RequestScope {
  readonly server: Server;
  /** At the version at which its objects are stored. */
  readonly resource: Resource;
  /** At the version of the request: bodies are decoded and responses encoded at it. */
  readonly served: Resource;
  readonly collection: Collection;
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
  /** Until when a write that waits is answered, in ms since 1970. */
  readonly deadline: number;
  /** Strict decoding errors of the body, before it is decoded as its kind. */
  readonly strict: string[];
  /** The text of numbers in a JSON body that are not digits alone, by path; filled in when it is parsed. */
  readonly literals: Map<string, string>;
  /** The texts of the `Warning` headers. */
  readonly warnings: string[];
  /** What the audit log has of it; undefined: nothing. */
  readonly audit: RequestAudit | undefined;
  /** What webhooks have converted while its managed fields are worked out; without it none is asked. */
  readonly conversions?: Conversions;
}

/** Where the objects of a resource are stored. */
export function collectionOf(server: Server, resource: Resource): Collection {
  return server.store.collection(resource.storage, resource.namespaced);
}
