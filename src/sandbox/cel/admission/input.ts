/** What expressions of admission see of a request. Source: apiserver v0.36 pkg/admission/plugin/cel/activation.go, condition.go. */
import type { User } from "../../meta/access.ts";
import type { AdmissionRequest } from "../../meta/admission-request.ts";
import type { Decider } from "../library/authorizer.ts";

/** An object as JSON. */
export type Json = Readonly<Record<string, unknown>>;

/** The variables of an evaluation. Objects are as a client sees them at the version that matched. */
export interface ExpressionInput {
  /** Null when an object is deleted. */
  readonly object: Json | null;
  /** Null when an object is created. */
  readonly oldObject: Json | null;
  /** Without its objects, and without a uid. */
  readonly request: AdmissionRequest;
  /** What a binding refers to; null where it refers to nothing. */
  readonly params?: Json | null;
  /** The namespace of the object; null for objects of the cluster, and for conditions. */
  readonly namespaceObject?: Json | null;
  /** Left out, expressions have no `authorizer`. */
  readonly authorizer?: { readonly user: User; readonly decider: Decider } | undefined;
}
