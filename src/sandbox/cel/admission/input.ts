/** The variables of admission expressions. Source: apiserver v0.36 pkg/admission/plugin/cel/activation.go, condition.go. */
import type { User } from "../../meta/access.ts";
import type { AdmissionRequest } from "../../meta/admission-request.ts";
import type { Decider } from "../library/authorizer.ts";

/** An object as JSON. */
export type Json = Readonly<Record<string, unknown>>;

/** The variables of an evaluation. Objects are as a client sees them at the matched version. */
export interface ExpressionInput {
  /** Null for deletions. */
  readonly object: Json | null;
  /** Null for creates. */
  readonly oldObject: Json | null;
  /** Without its objects, and without a uid. */
  readonly request: AdmissionRequest;
  /** The parameter of a binding; null if it refers to none. */
  readonly params?: Json | null;
  /** The namespace of the object; null for cluster-scoped objects, and for conditions. */
  readonly namespaceObject?: Json | null;
  /** If omitted, expressions have no `authorizer`. */
  readonly authorizer?: { readonly user: User; readonly decider: Decider } | undefined;
}
