/** The content of an AdmissionRequest. Source: k8s.io/api v0.36 admission/v1 types.go. */
import type { Fields } from "./object.ts";

/** The operation on an object. */
export type Operation = "CREATE" | "UPDATE" | "DELETE" | "CONNECT";

/** A kind at a version of its group. */
export interface GroupVersionKind {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
}

/** A resource at a version of its group. */
export interface GroupVersionResource {
  readonly group: string;
  readonly version: string;
  readonly resource: string;
}

/** An AdmissionRequest without its uid and objects. */
export interface AdmissionRequest {
  /** As matched, if that is another version than the request's. */
  readonly kind: GroupVersionKind;
  readonly resource: GroupVersionResource;
  readonly subResource?: string;
  /** As sent. */
  readonly requestKind: GroupVersionKind;
  readonly requestResource: GroupVersionResource;
  readonly requestSubResource?: string;
  readonly name?: string;
  readonly namespace?: string;
  readonly operation: Operation;
  readonly userInfo: Fields;
  readonly dryRun: boolean;
  readonly options: Fields | null;
}
