/** What a kind provides to the generic verbs. Source: apiserver v0.36 pkg/registry/rest/create.go, update.go, delete.go. */
import type { StatusError } from "../../../api/status-error.ts";
import type { Random } from "../../../platform/random.ts";
import type { User } from "../../meta/access.ts";
import type { FieldError } from "../../meta/field-errors.ts";
import type { IpFamily } from "../../meta/go-addresses.ts";
import type { ApiObject, Fields } from "../../meta/object.ts";
import type { NameRule } from "../../validation/names.ts";

/** What is authorized in addition to the request: something else that is done to its resource. */
export interface FurtherRight {
  readonly verb: string;
  /** May exist for authorization only. */
  readonly subresource: string;
  /** `""`: in all namespaces. */
  readonly namespace: string;
  /** `""`: all. */
  readonly name: string;
}

/** The source of addresses for Services. */
export interface ServiceAddresses {
  /** The server's IP families: one or both. The first is the default for Services that name none. */
  readonly families: readonly IpFamily[];
  /** The ranges of all ServiceCIDRs, without duplicates; the server's own if there are none. */
  readonly ranges: () => readonly { readonly cidr: string; readonly isReady: boolean }[];
  /** True if a Service has the address, in canonical form, or an IPAddress exists for it. */
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
  readonly user: User;
  /** The verb of the request: `update`. */
  readonly verb: string;
  /** The refusal of a right that the user does not have. */
  readonly denialOf: (right: FurtherRight) => StatusError | undefined;
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
  /** The strategy of the written path: the kind's own, or that of a subresource. */
  readonly update: UpdateStrategy;
}

/** An object for which addresses or ports were allocated. */
export interface AllocatedObject {
  readonly object: ApiObject;
  /** Undefined for a create. */
  readonly old: ApiObject | undefined;
  readonly context: StrategyContext;
}

/** One step of the validation of a create: returns errors, changes nothing. `validation-steps.ts` has the common steps. */
export type CreateStep = (write: NewObject) => readonly FieldError[];

/** One step of the validation of an update. */
export type UpdateStep = (write: ChangedObject) => readonly FieldError[];

/** How one path of a kind is updated: the object, or a subresource. Methods may change `object`, never `old`. */
export interface UpdateStrategy {
  /** For subresources that write one part of the spec: the spec of `old` with that part as sent. */
  updatedSpec?(sent: ApiObject, old: ApiObject): Fields;
  /** For a subresource other than `status`: the sent status is not dropped before `prepareForUpdate`. */
  readonly writesStatus?: true;
  /**
   * The paths that `prepareForUpdate` resets; nobody becomes a manager of them through this path. Default: the status for objects, the spec
   * for the status subresource. apiserver's `GetResetFields`.
   */
  readonly resetFields?: readonly (readonly string[])[];
  /** Resets what a client may not change. */
  prepareForUpdate?(object: ApiObject, old: ApiObject, context: StrategyContext): void;
  /**
   * The first check of an update and, for objects, of a create (`old` is undefined); may still fill in fields. If it returns errors, no
   * others are reported.
   * Source: generic/registry/store.go BeginCreate, BeginUpdate.
   */
  begin?(object: ApiObject, old: ApiObject | undefined, context: StrategyContext): FieldError[];
  /** The kind's own checks of a change, besides those of `validate`; changes nothing. */
  validateUpdate?(object: ApiObject, old: ApiObject, version: string): FieldError[];
  /** The validation of an update, in the real server's order: all of its errors are reported. */
  readonly updateSteps: readonly UpdateStep[];
  warningsOnUpdate?(object: ApiObject, old: ApiObject): string[];
  /** Allocates cluster IPs and node ports, after the validation of a create or an update. */
  allocate?(object: ApiObject, context: StrategyContext): void;
  /** True if another object has taken what was allocated, while the write waited for a webhook. */
  isOutrun?(allocated: AllocatedObject): boolean;
}

/** What happens to the dependents of a deleted object if the client does not say. Source: GarbageCollectionDeleteStrategy. */
export type GarbageCollectionPolicy = "delete dependents" | "orphan dependents" | "unsupported";

/** What increments metadata.generation. `fixed`: it stays 1; `all`: changes of everything except the metadata. */
export type GenerationRule = "none" | "spec" | "spec and annotations" | "spec and labels" | "all" | "fixed";

/**
 * A kind; the methods are named as in k8s.io/apiserver. Optional methods that are missing do nothing. Created by `restStrategy`. differs:
 * kube-apiserver's `Validate` and `ValidateUpdate` call the checks of metadata themselves; here these are steps of `createSteps` and
 * `updateSteps`, which makes the order explicit.
 */
export interface RESTStrategy extends UpdateStrategy {
  /** How names are validated. */
  readonly nameRule: NameRule;
  /** A finalizer may have any name; otherwise names outside Kubernetes' own need a path. */
  readonly takesAnyFinalizer?: boolean;
  /**
   * For kinds that validate `generateName` differently. Source: apimachinery v0.36 api/validation/objectmeta.go ValidateObjectMetaWithOpts.
   */
  readonly generateNameRule?: NameRule;
  readonly generation: GenerationRule;
  /** Sets defaults that the schema cannot express; runs before every create and update. */
  setDefaults?(object: ApiObject): void;
  /** Generates a name with the prefix `base` (`metadata.generateName`). */
  generateName(base: string, random: Random): string;

  /** Why objects of this kind cannot be created here; undefined if they can. */
  readonly refusesCreate?: string;
  /** False: the status of a new object is dropped before `prepareForCreate`. */
  readonly keepsStatusOnCreate: boolean;
  /**
   * True if defaulting on read adds fields that were not stored; the next no-op update is then persisted. Called before `prepareForCreate`.
   */
  isDefaultedOnRead?(object: ApiObject): boolean;
  /** Drops what a client may not set, sets what it may omit. */
  prepareForCreate?(object: ApiObject, context: StrategyContext): void;
  /** The kind's own checks of every version of an object; changes nothing. */
  validate?(object: ApiObject, version: string): FieldError[];
  /** The kind's own checks for new objects only; changes nothing. */
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
  /** Changes an object at its first deletion, which has no other effect: the object stays until its finalizers are gone. */
  beginDelete?(object: ApiObject, now: number): void;
  /** DELETE responds with the object instead of a Status. */
  readonly returnsDeletedObject: boolean;
  /** The grace period of a deletion in seconds; without this method, objects are deleted immediately. */
  checkGracefulDelete?(object: ApiObject, requested: number | undefined): number;
}
