import type { RequestScope } from "./server.ts";
import type { GroupVersionKind, GroupVersionResource, Operation } from "../meta/admission-request.ts";
import type { ApiObject, Fields } from "../meta/object.ts";

/** A write under admission, as the built-in plugins see it. Source: apiserver v0.36 admission/interfaces.go Attributes. */
export interface Attributes {
  readonly scope: RequestScope;
  readonly object: ApiObject;
  /** The stored object, for an update. */
  readonly old?: ApiObject | undefined;
  /**
   * What webhooks and policies see of the objects, if mutating ones have already seen another form: a Scale instead of the scaled object.
   */
  readonly shownAs?: ((object: ApiObject) => ApiObject) | undefined;
}

/** An update under admission. */
export interface UpdateAttributes extends Attributes {
  readonly old: ApiObject;
}

/** A deletion under admission. */
export interface DeleteAttributes {
  readonly scope: RequestScope;
  /** The deleted object. */
  readonly old: ApiObject;
  /** The name in the request: `""` if a collection is deleted. */
  readonly name: string;
  /** DeleteOptions. */
  readonly options: Fields;
  readonly dryRun: boolean;
}

export type { GroupVersionKind, GroupVersionResource, Operation };

/** An operation as webhooks and policies see it. Source: apiserver v0.36 admission/interfaces.go Attributes. */
export interface AdmissionAttributes {
  readonly scope: RequestScope;
  readonly operation: Operation;
  /** At its storage version; mutating admission changes it in place. Undefined for a deletion. */
  readonly object: ApiObject | undefined;
  /** Undefined for a create. */
  readonly old: ApiObject | undefined;
  /** The kind of the objects, at the version of the request. */
  readonly kind: GroupVersionKind;
  /** As in the request's path. */
  readonly resource: GroupVersionResource;
  readonly subresource: string;
  readonly name: string;
  /** For a Namespace: its own name. */
  readonly namespace: string;
  /** CreateOptions, UpdateOptions or DeleteOptions; undefined for CONNECT. */
  readonly options: Fields | undefined;
  readonly dryRun: boolean;
}

/** Whether mutating admission runs a second time, and whether it must. Source: apiserver v0.36 admission/reinvocation.go. */
export interface Reinvocation {
  readonly isReinvoke: boolean;
  /** Set by a policy or a webhook that changed the object. */
  shouldReinvoke: boolean;
}
