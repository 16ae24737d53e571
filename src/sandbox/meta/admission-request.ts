/** What admission is asked about a request. Source: k8s.io/api v0.36 admission/v1 types.go. */
import type { Fields } from "./object.ts";

/** What is done to an object. */
export type Operation = "CREATE" | "UPDATE" | "DELETE" | "CONNECT";

/** A kind in a version of its group. */
export interface GroupVersionKind {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
}

/** A resource in a version of its group. */
export interface GroupVersionResource {
  readonly group: string;
  readonly version: string;
  readonly resource: string;
}

/** An AdmissionRequest without its identity and its objects. */
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
  readonly operation: Operation;
  readonly userInfo: Fields;
  readonly dryRun: boolean;
  readonly options: Fields | null;
}
