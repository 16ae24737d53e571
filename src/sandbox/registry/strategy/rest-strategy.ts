/** What the generic verbs ask of a kind. Source: apiserver v0.36 pkg/registry/rest/create.go, update.go, delete.go. */
import type { Random } from "../../../platform/random.ts";
import type { FieldError } from "../../meta/field-errors.ts";
import type { IpFamily } from "../../meta/go-addresses.ts";
import type { ApiObject, Fields } from "../../meta/object.ts";
import type { NameRule } from "../../validation/names.ts";

/** The authenticated user of a request. */
export interface UserInfo {
  readonly name: string;
  readonly uid?: string;
  readonly groups: readonly string[];
  readonly extra?: Readonly<Record<string, readonly string[]>>;
}

/** Where addresses of Services come from. */
export interface ServiceAddresses {
  /** The families that the server has addresses of: one or both. The first is that of Services that name none. */
  readonly families: readonly IpFamily[];
  /** The ranges of ServiceCIDRs, each once; those of the server where there is no such object. */
  readonly ranges: () => readonly { readonly cidr: string; readonly isReady: boolean }[];
  /** True for an address, in its canonical form, that a Service has or that an IPAddress is for. */
  readonly isTaken: (address: string) => boolean;
}

/** What a strategy may use of the request and the server. */
export interface StrategyContext {
  /** Adds a `Warning` header to the response. */
  readonly warn: (text: string) => void;
  /** Milliseconds since 1970. */
  readonly now: number;
  readonly random: Random;
  /** True if nothing of the request is stored. */
  readonly dryRun: boolean;
  readonly user: UserInfo;
  readonly addresses: ServiceAddresses;
  /** The node ports of all Services. */
  readonly takenNodePorts: () => Set<unknown>;
  /** The labels of the request's namespace. */
  readonly namespaceLabels: () => Readonly<Record<string, string>>;
}

/** A new object under validation. */
export interface NewObject {
  readonly object: ApiObject;
  /** The apiVersion of the request. */
  readonly version: string;
  readonly namespaced: boolean;
  readonly strategy: RESTStrategy;
  readonly context: StrategyContext;
}

/** An update under validation. */
export interface ChangedObject extends NewObject {
  readonly old: ApiObject;
  /** The strategy of the path that is written: the kind's own, or that of one of its subresources. */
  readonly update: UpdateStrategy;
}

/** An object that something was allocated for. */
export interface AllocatedObject {
  readonly object: ApiObject;
  /** Undefined for a create. */
  readonly old: ApiObject | undefined;
  readonly context: StrategyContext;
}

/** One step of the validation of a create: returns what is wrong, changes nothing. `validation-steps.ts` has the common ones. */
export type CreateStep = (write: NewObject) => readonly FieldError[];

/** One step of the validation of an update. */
export type UpdateStep = (write: ChangedObject) => readonly FieldError[];

/** How one path of a kind is updated: its objects, or a subresource. Methods may change `object`, never `old`. */
export interface UpdateStrategy {
  /** For subresources that write one part of the spec: the spec of `old` with that part as it was sent. */
  updatedSpec?(sent: ApiObject, old: ApiObject): Fields;
  /** Of a subresource other than `status`: the status that is sent is not dropped before `prepareForUpdate`. */
  readonly writesStatus?: true;
  /**
   * The paths of what `prepareForUpdate` resets, which nobody comes to manage this way. Left out, it is the status of an object,
   * and by the status subresource the spec. apiserver's `GetResetFields`.
   */
  readonly resetFields?: readonly (readonly string[])[];
  /** Resets what a client may not change. */
  prepareForUpdate?(object: ApiObject, old: ApiObject, context: StrategyContext): void;
  /**
   * The first check of an update and, for objects, of a create (`old` is undefined); may still fill in fields. Its errors are reported alone.
   * Source: generic/registry/store.go BeginCreate, BeginUpdate.
   */
  begin?(object: ApiObject, old: ApiObject | undefined, context: StrategyContext): FieldError[];
  /** The kind's own checks of a change, apart from those of `validate`; changes nothing. */
  validateUpdate?(object: ApiObject, old: ApiObject, version: string): FieldError[];
  /** The validation of an update, in the real server's order: all of its errors are reported. */
  readonly updateSteps: readonly UpdateStep[];
  warningsOnUpdate?(object: ApiObject, old: ApiObject): string[];
  /** Allocates cluster IPs and node ports; after validation, of a create and of an update. */
  allocate?(object: ApiObject, context: StrategyContext): void;
  /** True if another object has come by what was allocated, while the write waited for a webhook. */
  isOutrun?(allocated: AllocatedObject): boolean;
}

/** What happens to the dependents of a deleted object whose client did not say. Source: GarbageCollectionDeleteStrategy. */
export type GarbageCollectionPolicy = "delete dependents" | "orphan dependents" | "unsupported";

/** What metadata.generation counts. `fixed`: it stays 1; `all`: changes of everything but the metadata. */
export type GenerationRule = "none" | "spec" | "spec and annotations" | "spec and labels" | "all" | "fixed";

/**
 * A kind: the method names are those of k8s.io/apiserver. What it leaves out, nothing is done for. Made by `restStrategy`.
 * differs: kube-apiserver's `Validate` and `ValidateUpdate` call the checks of metadata themselves; here these are steps of
 * `createSteps` and `updateSteps`, so that the order can be read off.
 */
export interface RESTStrategy extends UpdateStrategy {
  /** How names are checked. */
  readonly nameRule: NameRule;
  /** A finalizer may have any name; else one that is not Kubernetes' own needs a path. */
  readonly takesAnyFinalizer?: boolean;
  /** Of kinds that check the name that comes of it alone. Source: apimachinery v0.36 api/validation/objectmeta.go ValidateObjectMetaWithOpts. */
  readonly generateNameRule?: NameRule;
  readonly generation: GenerationRule;
  /** Sets defaults that the schema cannot express; before every create and update. */
  setDefaults?(object: ApiObject): void;
  /** A name that begins with `base` (`metadata.generateName`). */
  generateName(base: string, random: Random): string;

  /** Why objects of this kind cannot be created here; undefined for those that can. */
  readonly refusesCreate?: string;
  /** False: the status of a new object is dropped before `prepareForCreate`. */
  readonly keepsStatusOnCreate: boolean;
  /**
   * True if defaulting on read adds fields that were not stored; the next no-op update is then persisted. Asked before
   * `prepareForCreate`.
   */
  isDefaultedOnRead?(object: ApiObject): boolean;
  /** Drops what a client may not set, sets what it need not. */
  prepareForCreate?(object: ApiObject, context: StrategyContext): void;
  /** The kind's own checks, of every version of an object; changes nothing. */
  validate?(object: ApiObject, version: string): FieldError[];
  /** The kind's own checks that only new objects have to pass; changes nothing. */
  validateCreate?(object: ApiObject, version: string, context: StrategyContext): FieldError[];
  /** The validation of a create, in the real server's order: all of its errors are reported. */
  readonly createSteps: readonly CreateStep[];
  warningsOnCreate?(object: ApiObject): string[];

  /** A PUT of an object that does not exist creates it. */
  readonly allowCreateOnUpdate: boolean;
  /** A PUT without a resourceVersion is accepted. */
  readonly allowUnconditionalUpdate: boolean;
  /** `status`, and the subresources that write one part of an object. */
  readonly subresources: Readonly<Record<string, UpdateStrategy>>;

  readonly defaultGarbageCollectionPolicy: GarbageCollectionPolicy;
  /** Marks an object at its first deletion, which does no more than that: it stays until its finalizers are gone. */
  beginDelete?(object: ApiObject, now: number): void;
  /** DELETE responds with the object instead of a Status. */
  readonly returnsDeletedObject: boolean;
  /** The grace period of a deletion in seconds; kinds without this method are deleted at once. */
  checkGracefulDelete?(object: ApiObject, requested: number | undefined): number;
}
