import type { RequestScope } from "./server.ts";
import type { GroupVersionKind, GroupVersionResource, Operation } from "../meta/admission-request.ts";
import type { ApiObject, Fields } from "../meta/object.ts";

/** A write under admission, as the plugins of the server see it. Source: apiserver v0.36 admission/interfaces.go Attributes. */
export interface Attributes {
  readonly scope: RequestScope;
  readonly object: ApiObject;
  /** The stored object, of an update. */
  readonly old?: ApiObject | undefined;
  /** What webhooks and policies see of the objects, where mutating ones have seen it already: a Scale instead of what is scaled. */
  readonly shownAs?: ((object: ApiObject) => ApiObject) | undefined;
}

/** An update under admission. */
export interface UpdateAttributes extends Attributes {
  readonly old: ApiObject;
}

/** A deletion under admission. */
export interface DeleteAttributes {
  readonly scope: RequestScope;
  /** What is deleted. */
  readonly old: ApiObject;
  /** That of the request: `""` where a collection is deleted. */
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
  /** At the version at which it is stored; mutating admission changes it in place. Undefined for a deletion. */
  readonly object: ApiObject | undefined;
  /** Undefined for a creation. */
  readonly old: ApiObject | undefined;
  /** Of the objects, at the version of the request. */
  readonly kind: GroupVersionKind;
  /** As the request's path has it. */
  readonly resource: GroupVersionResource;
  readonly subresource: string;
  readonly name: string;
  /** Of a Namespace: its own name. */
  readonly namespace: string;
  /** CreateOptions, UpdateOptions or DeleteOptions; undefined for CONNECT. */
  readonly options: Fields | undefined;
  readonly dryRun: boolean;
}

/** Whether mutating admission runs a second time, and whether it has to. Source: apiserver v0.36 admission/reinvocation.go. */
export interface Reinvocation {
  readonly isReinvoke: boolean;
  /** Set by a policy or a webhook that changed the object. */
  shouldReinvoke: boolean;
}
