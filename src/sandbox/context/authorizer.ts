/** Who may do what: the question, the decision, and who decides. Source: apiserver v0.36 pkg/authorization/authorizer/interfaces.go. */
import type { Attributes, User } from "../meta/access.ts";

export type { Attributes, User };

/** A rule of a role: verbs on resources, or on paths that are no resources. `*` covers all; an absent list covers nothing. */
export interface PolicyRule {
  readonly verbs: readonly string[];
  readonly apiGroups?: readonly string[];
  readonly resources?: readonly string[];
  /** Absent or empty: objects of every name. */
  readonly resourceNames?: readonly string[];
  readonly nonResourceURLs?: readonly string[];
}

/** True if a user may do something, and why. */
export interface Decision {
  readonly allowed: boolean;
  /** In the real server's words: the binding that allows it, or what is wrong with those that might. */
  readonly reason?: string;
  /** What was not looked at. */
  readonly evaluationError?: string;
}

/** All rules that apply to a user. */
export interface RuleSet {
  readonly rules: readonly PolicyRule[];
  /** True if rules may be missing, for the reason that `evaluationError` gives. */
  readonly incomplete: boolean;
  readonly evaluationError?: string;
}

/** Decides who may do what. Synchronous, and without effects. */
export interface Authorizer {
  /** Guarantees: members of `system:masters` may do everything. */
  decide(user: User, asked: Attributes): Decision;
  /** The rules that apply to a user in a namespace, those of the whole cluster included. */
  rulesFor(user: User, namespace: string): RuleSet;
}

/** The role that a binding refers to. */
export interface RoleReference {
  /** `Role` or `ClusterRole`. */
  readonly kind: string;
  readonly name: string;
  /** Of the binding; `""` for ClusterRoleBindings. */
  readonly namespace: string;
}

/** An authorizer by roles. */
export interface RuleResolver extends Authorizer {
  /** The rules of a role; undefined for a role that does not exist. */
  rulesOf(reference: RoleReference): readonly PolicyRule[] | undefined;
}

/** The group whose members may do everything, before any authorizer is asked. Source: apiserver v0.36 authentication/user/user.go. */
export const privilegedGroup = "system:masters";
