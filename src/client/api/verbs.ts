/** The typed verbs: their options and the contract of `Client`. */
import type { NamespacedName } from "../../api/key.ts";
import type { Kind } from "../../api/kind.ts";
import type { StoredObject, CreateInput } from "../../api/object.ts";
import type { DecisionId } from "../../api/transport.ts";
import type { ListerWatcher, ListOptions, ListPage, Selectors } from "./lister-watcher.ts";

export interface ReadOptions {
  readonly signal?: AbortSignal;
}

export interface WriteOptions extends ReadOptions {
  /** The decision that this write carries out; it goes into the write event. */
  readonly because?: DecisionId;
  readonly dryRun?: boolean;
  /** It renews what allows all other writes: see WriteFence. */
  readonly renewsLease?: true;
  /** Instead of the client's own. */
  readonly fieldManager?: string;
  readonly fieldValidation?: "Ignore" | "Warn" | "Strict";
  /** The object as it was known: the write event then says which fields are changed, and from which version. */
  readonly basedOn?: StoredObject;
}

/** Of the answer nothing but the metadata is used: the rest may be missing, which saves the server writing it and us reading it. */
export interface MetadataAnswer {
  readonly metadataSuffices: true;
}

export interface DeleteOptions extends WriteOptions, Partial<MetadataAnswer> {
  readonly preconditions?: { readonly uid?: string; readonly resourceVersion?: string };
  readonly propagationPolicy?: "Background" | "Foreground" | "Orphan";
  readonly gracePeriodSeconds?: number;
}

/** The four patches: JSON patch, merge patch, strategic merge patch, server-side apply. */
export type Patch =
  | { readonly type: "json"; readonly body: readonly JsonPatchOperation[] }
  | { readonly type: "merge"; readonly body: unknown }
  | { readonly type: "strategic"; readonly body: unknown }
  | { readonly type: "apply"; readonly body: unknown; readonly force?: boolean };

export interface JsonPatchOperation {
  readonly op: "add" | "remove" | "replace" | "move" | "copy" | "test";
  readonly path: string;
  readonly from?: string;
  readonly value?: unknown;
}

/** What of a kind is listed and watched. */
export interface WatchScope extends Selectors {
  /** Unset: all namespaces. */
  readonly namespace?: string;
}

/** `autoscaling/v1 Scale`, what `/scale` speaks. */
export interface Scale extends StoredObject {
  readonly spec: { readonly replicas?: number };
  readonly status?: { readonly replicas: number; readonly selector?: string };
}

/**
 * Typed access to an API server. Every refusal is a StatusError, every missing answer a TransportError; answers are plain
 * JSON, unknown fields kept. Each write is told to the bus as a `write` event, once, whether it succeeded or not.
 */
export interface Client {
  /** GET of one object. */
  get<T extends StoredObject>(kind: Kind<T>, at: NamespacedName, options?: ReadOptions): Promise<T>;
  /** The metadata alone (PartialObjectMetadata): enough to know an object, its owners and whether it is being deleted. */
  getMetadata(kind: Kind, at: NamespacedName, options?: ReadOptions): Promise<StoredObject>;
  /** One page. `namespace` empty: all namespaces. */
  list<T extends StoredObject>(
    kind: Kind<T>,
    options?: ListOptions & ReadOptions & { readonly namespace?: string },
  ): Promise<ListPage<T>>;
  /** The same with the metadata of the objects alone (PartialObjectMetadataList). */
  listMetadata(
    kind: Kind,
    options?: ListOptions & ReadOptions & { readonly namespace?: string },
  ): Promise<ListPage<StoredObject>>;
  /** POST; returns the object as stored, or its metadata where `metadataSuffices`. */
  create<T extends StoredObject>(
    kind: Kind<T>,
    object: CreateInput<T>,
    options: WriteOptions & MetadataAnswer,
  ): Promise<StoredObject>;
  create<T extends StoredObject>(kind: Kind<T>, object: CreateInput<T>, options?: WriteOptions): Promise<T>;
  /** Replaces the object, or one of its subresources; its resourceVersion, where set, must still be the stored one. */
  update<T extends StoredObject>(
    kind: Kind<T>,
    object: T,
    options?: WriteOptions & { readonly subresource?: string },
  ): Promise<T>;
  /** PUT of `status` alone; its resourceVersion must still be the stored one. */
  updateStatus<T extends StoredObject>(kind: Kind<T>, object: T, options?: WriteOptions): Promise<T>;
  /** PATCH with a JSON, merge, strategic merge or apply patch. */
  patch<T extends StoredObject>(
    kind: Kind<T>,
    at: NamespacedName,
    patch: Patch,
    options: WriteOptions & MetadataAnswer & { readonly subresource?: string },
  ): Promise<StoredObject>;
  patch<T extends StoredObject>(
    kind: Kind<T>,
    at: NamespacedName,
    patch: Patch,
    options?: WriteOptions & { readonly subresource?: string },
  ): Promise<T>;
  /** Resolves with what the server answered: the object as it was or is, or a Status. */
  delete<T extends StoredObject>(kind: Kind<T>, at: NamespacedName, options?: DeleteOptions): Promise<unknown>;
  /** DELETE of all objects in a namespace, or of those that the selectors match. */
  deleteCollection<T extends StoredObject>(
    kind: Kind<T>,
    options?: Omit<DeleteOptions, "metadataSuffices"> & Selectors & { readonly namespace?: string },
  ): Promise<unknown>;
  /** GET of the `scale` subresource. */
  getScale<T extends StoredObject>(kind: Kind<T>, at: NamespacedName, options?: ReadOptions): Promise<Scale>;
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
  /** POST of an object to a collection that stores nothing and answers a review (SelfSubjectAccessReview, …). */
  review<T>(kind: Kind, body: T, options?: ReadOptions): Promise<T>;
  /** GET of a path that is no object: `/version`, `/readyz`, `/apis`. JSON is parsed, anything else is text. */
  raw(path: string, options?: ReadOptions & { readonly accept?: string }): Promise<unknown>;
  /** The list and watch of a kind, as a Reflector needs them. */
  listerWatcher<T extends StoredObject>(kind: Kind<T>, scope?: WatchScope): ListerWatcher<T>;
  /** The same for whom the metadata is enough: nothing else is read. */
  metadataListerWatcher(kind: Kind, scope?: WatchScope): ListerWatcher<StoredObject>;
}
