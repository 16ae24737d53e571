/** The typed verbs: their options, and the contract of `Client`. */
import type { NamespacedName } from "../../api/key.ts";
import type { Kind } from "../../api/kind.ts";
import type { StoredObject, CreateInput, UpdateInput } from "../../api/object.ts";
import type { Patch } from "../../api/patch.ts";
import type { DecisionId } from "../../api/transport.ts";
import type { ListerWatcher, ListOptions, ListPage, Selectors } from "./lister-watcher.ts";

/** Options of every request. */
export interface ReadOptions {
  readonly signal?: AbortSignal;
  /** The request is for the Lease that all writes depend on: it passes the write fence, and waits for no limit of requests. */
  readonly renewsLease?: true;
}

/** Options of every write. */
export interface WriteOptions extends ReadOptions {
  /** The decision that this write carries out; part of the write event. */
  readonly because?: DecisionId;
  readonly dryRun?: boolean;
  /** Overrides the client's field manager. */
  readonly fieldManager?: string;
  readonly fieldValidation?: "Ignore" | "Warn" | "Strict";
  /**
   * The known state of the object: the write event then contains the changed fields and the version they are based on.
   */
  readonly basedOn?: StoredObject;
}

/**
 * The caller uses only the metadata of the response: the server may omit the rest, which saves writing and parsing it.
 */
export interface MetadataOnly {
  readonly metadataSuffices: true;
}

/** Options of a deletion. */
export interface DeleteOptions extends WriteOptions, Partial<MetadataOnly> {
  readonly preconditions?: { readonly uid?: string; readonly resourceVersion?: string };
  readonly propagationPolicy?: "Background" | "Foreground" | "Orphan";
  readonly gracePeriodSeconds?: number;
}

/** Which objects of a kind are listed and watched. */
export interface WatchScope extends Selectors {
  /** Unset: all namespaces. */
  readonly namespace?: string;
}

/** `autoscaling/v1 Scale`, the object of `/scale`. */
export interface Scale extends StoredObject {
  readonly spec: { readonly replicas?: number };
  readonly status?: { readonly replicas: number; readonly selector?: string };
}

/** The verbs that change nothing. They read from the API server, not from a cache. */
export interface Reader {
  /** GET of one object. */
  get<T extends StoredObject>(kind: Kind<T>, at: NamespacedName, options?: ReadOptions): Promise<T>;
  /** Metadata only (PartialObjectMetadata): identity, owners, finalizers, deletion. */
  getMetadata(kind: Kind, at: NamespacedName, options?: ReadOptions): Promise<StoredObject>;
  /** One page. `namespace` empty: all namespaces. */
  list<T extends StoredObject>(
    kind: Kind<T>,
    options?: ListOptions & ReadOptions & { readonly namespace?: string },
  ): Promise<ListPage<T>>;
  /** Like `list`, for metadata only (PartialObjectMetadataList). */
  listMetadata(
    kind: Kind,
    options?: ListOptions & ReadOptions & { readonly namespace?: string },
  ): Promise<ListPage<StoredObject>>;
  /** GET of the subresource `scale`, for any kind that has it. */
  getScale<T extends StoredObject>(kind: Kind<T>, at: NamespacedName, options?: ReadOptions): Promise<Scale>;
  /** POSTs an object to a collection that stores nothing and returns a review (SelfSubjectAccessReview, …). */
  review<T>(kind: Kind, question: T, options?: ReadOptions): Promise<T>;
  /** GET of a path that is not an object: `/version`, `/readyz`, `/apis`. JSON is parsed, anything else is text. */
  raw(path: string, options?: ReadOptions & { readonly accept?: string }): Promise<unknown>;
}

/**
 * Typed access to an API server. Every refusal is a StatusError, every missing response a TransportError; objects are
 * plain JSON with unknown fields preserved. Each write emits one `write` event on the bus, whether it succeeds or
 * fails.
 */
export interface Client extends Reader {
  /** POST; returns the object as stored, or its metadata where `metadataSuffices`. */
  create<T extends StoredObject>(
    kind: Kind<T>,
    object: CreateInput<T>,
    options: WriteOptions & MetadataOnly,
  ): Promise<StoredObject>;
  create<T extends StoredObject>(kind: Kind<T>, object: CreateInput<T>, options?: WriteOptions): Promise<T>;
  /** Replaces the object, or one of its subresources; if its resourceVersion is set, it must be the stored one. */
  update<T extends StoredObject>(
    kind: Kind<T>,
    object: T | UpdateInput<T>,
    options?: WriteOptions & { readonly subresource?: string },
  ): Promise<T>;
  /** PUT of `status` alone; its resourceVersion must still be the stored one. */
  updateStatus<T extends StoredObject>(kind: Kind<T>, object: T, options?: WriteOptions): Promise<T>;
  /** PATCH with a JSON, merge, strategic merge or apply patch. */
  patch<T extends StoredObject>(
    kind: Kind<T>,
    at: NamespacedName,
    patch: Patch,
    options: WriteOptions & MetadataOnly & { readonly subresource?: string },
  ): Promise<StoredObject>;
  patch<T extends StoredObject>(
    kind: Kind<T>,
    at: NamespacedName,
    patch: Patch,
    options?: WriteOptions & { readonly subresource?: string },
  ): Promise<T>;
  /** Resolves with the server's response: the object before or during deletion, or a Status. */
  delete<T extends StoredObject>(kind: Kind<T>, at: NamespacedName, options?: DeleteOptions): Promise<unknown>;
  /** DELETE of all objects in a namespace, or of those that the selectors match. */
  deleteCollection<T extends StoredObject>(
    kind: Kind<T>,
    options?: Omit<DeleteOptions, "metadataSuffices"> & Selectors & { readonly namespace?: string },
  ): Promise<unknown>;
  /** PUT of the `scale` subresource. */
  updateScale<T extends StoredObject>(
    kind: Kind<T>,
    at: NamespacedName,
    scale: Scale,
    options?: WriteOptions,
  ): Promise<Scale>;
  /** POST to `pods/NAME/eviction`. */
  evict(at: NamespacedName, options?: DeleteOptions): Promise<unknown>;
  /** POST to `pods/NAME/binding`. */
  bind(at: NamespacedName, nodeName: string, options?: WriteOptions): Promise<unknown>;
  /** The list and watch of a kind, as a Reflector needs them. */
  listerWatcher<T extends StoredObject>(kind: Kind<T>, scope?: WatchScope): ListerWatcher<T>;
  /** Like `listerWatcher`, for metadata only. */
  metadataListerWatcher(kind: Kind, scope?: WatchScope): ListerWatcher<StoredObject>;
}
