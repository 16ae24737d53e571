/** What expressions of admission see of a request. Source: apiserver v0.36 pkg/admission/plugin/cel/activation.go, condition.go. */
import type { CheckedUser, Decider } from "../library/authorizer.ts";

/** An object as JSON. */
export type Json = Readonly<Record<string, unknown>>;

interface GroupVersionKind {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
}

interface GroupVersionResource {
  readonly group: string;
  readonly version: string;
  readonly resource: string;
}

/** The variable `request`: an AdmissionRequest without its objects, and without a uid. */
export interface AdmissionRequest {
  /** As it matched, where that is at another version than that of the request. */
  readonly kind: GroupVersionKind;
  readonly resource: GroupVersionResource;
  readonly subResource?: string;
  /** As it was sent. */
  readonly requestKind: GroupVersionKind;
  readonly requestResource: GroupVersionResource;
  readonly requestSubResource?: string;
  readonly name?: string;
  readonly namespace?: string;
  readonly operation: string;
  readonly userInfo: Json;
  readonly dryRun: boolean;
  readonly options: unknown;
}

/** The variables of an evaluation. Objects are as a client sees them at the version that matched. */
export interface ExpressionInput {
  /** Null when an object is deleted. */
  readonly object: Json | null;
  /** Null when an object is created. */
  readonly oldObject: Json | null;
  readonly request: AdmissionRequest;
  /** What a binding refers to; null where it refers to nothing. */
  readonly params?: Json | null;
  /** The namespace of the object; null for objects of the cluster, and for conditions. */
  readonly namespaceObject?: Json | null;
  /** Left out, expressions have no `authorizer`. */
  readonly authorizer?: { readonly user: CheckedUser; readonly decider: Decider } | undefined;
}
