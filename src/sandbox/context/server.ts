/** What the parts of the server share. */
import type { Random } from "../../platform/random.ts";
import type { Timeline } from "../../platform/timeline.ts";
import type { AdmissionPlugin } from "./admission-plugins.ts";
import type { ProtobufReader } from "../serialization/protobuf-body.ts";
import type { ResourceRegistry, Resource } from "../registry/resource.ts";
import type { Collection } from "../storage/collection.ts";
import type { Store } from "../storage/store.ts";
import type { OpenWatches } from "./watch.ts";
import type { YamlSlot } from "../serialization/yaml/codec.ts";

/** The authenticated user of a request. */
export interface User {
  readonly name: string;
  readonly uid?: string;
  readonly groups: readonly string[];
  readonly extra?: Readonly<Record<string, readonly string[]>>;
}

/** The parts of one API server: what every request may use. */
export interface Server {
  readonly timeline: Timeline;
  readonly random: Random;
  readonly store: Store;
  readonly registry: ResourceRegistry;
  /** Whether new objects get `metadata.managedFields`. */
  readonly managesFields: boolean;
  /** Whether CustomResourceDefinitions are kept, though their kinds are not served. */
  readonly storesDefinitions: boolean;
  /** The admission plugins that are on. */
  readonly admission: ReadonlySet<AdmissionPlugin>;
  readonly readProtobuf: ProtobufReader;
  readonly yaml: YamlSlot;
  readonly watches: OpenWatches;
  /** How many requests have been answered: their identities are counted, since chance is for objects. */
  readonly requests: { count: number };
  /** Who comes with which bearer token. */
  readonly logins: Map<string, User>;
}

/** A request for a resource, on its way through the server. */
export interface RequestScope {
  readonly server: Server;
  /** At the version at which its objects are stored. */
  readonly resource: Resource;
  /** At the version of the request: how bodies are read and answers are written. */
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
  /** What strict decoding has against the body before it is read as its kind. */
  readonly strict: string[];
  /** How numbers of a body in JSON are written, where not in digits alone; filled in as it is read. */
  readonly literals: Map<string, string>;
  /** What a client is told beside the answer. */
  readonly warnings: string[];
}

/** Where the objects of a resource are stored. */
export function collectionOf(server: Server, resource: Resource): Collection {
  return server.store.collection(resource.storage, resource.namespaced);
}
