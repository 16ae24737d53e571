/** Authorization: rules, decisions, and authorizers. Source: apiserver v0.36 pkg/authorization/authorizer/interfaces.go. */
import type { StatusError } from "../../api/status-error.ts";
import type { Attributes, User } from "../meta/access.ts";
import { denial, type Denied } from "../meta/denial.ts";

export type { Attributes, User };

/** A rule of a role: verbs on resources or on non-resource paths. `*` matches everything; an absent list matches nothing. */
export interface PolicyRule {
  readonly verbs: readonly string[];
  readonly apiGroups?: readonly string[];
  readonly resources?: readonly string[];
  /** Absent or empty: any name. */
  readonly resourceNames?: readonly string[];
  readonly nonResourceURLs?: readonly string[];
}

/** True if a user may do something, with the reason. */
export interface Decision {
  readonly allowed: boolean;
  /** In the real server's words: the binding that allows it, or what is wrong with bindings that might. */
  readonly reason?: string;
  /** What was not evaluated. */
  readonly evaluationError?: string;
}

/** The error for a decision, with the authorizer's evaluation error if it gives no reason; undefined if it allows the request. */
export function denialFor(denied: Denied, { allowed, reason, evaluationError }: Decision): StatusError | undefined {
  return allowed ? undefined : denial(denied, reason ?? evaluationError);
}

/** All rules that apply to a user. */
export interface RuleSet {
  readonly rules: readonly PolicyRule[];
  /** True if rules may be missing, for the reason in `evaluationError`. */
  readonly incomplete: boolean;
  readonly evaluationError?: string;
}

/** Decides who may do what. Synchronous, without side effects. */
export interface Authorizer {
  /** Guarantees: members of `system:masters` may do everything. */
  decide(user: User, attributes: Attributes): Decision;
  /** The rules that apply to a user in a namespace, including cluster-wide ones. */
  rulesFor(user: User, namespace: string): RuleSet;
}

/** The role that a binding refers to. */
export interface RoleReference {
  /** `Role` or `ClusterRole`. */
  readonly kind: string;
  readonly name: string;
  /** The namespace of the binding; `""` for ClusterRoleBindings. */
  readonly namespace: string;
}

/** An authorizer based on roles. */
export interface RuleResolver extends Authorizer {
  /** The rules of a role; undefined if the role does not exist. */
  rulesOf(reference: RoleReference): readonly PolicyRule[] | undefined;
}

/** The group whose members may do everything, before any authorizer is called. Source: apiserver v0.36 authentication/user/user.go. */
export const privilegedGroup = "system:masters";
