/**
 * Authorization without RBAC: members of `system:masters` may do everything, others what the default roles of every cluster allow
 * everybody. Stored roles are not evaluated. Source: kubernetes v1.36 plugin/pkg/auth/authorizer/rbac/bootstrappolicy/policy.go.
 */
import { fieldsIn, type Fields } from "../meta/object.ts";
import type { Store } from "../storage/store.ts";
import {
  privilegedGroup,
  type Attributes,
  type Authorizer,
  type Decision,
  type PolicyRule,
  type RuleSet,
  type User,
} from "../context/authorizer.ts";
import { ruleAllows } from "./policy-rule.ts";

interface DefaultRole {
  readonly name: string;
  readonly groups: readonly string[];
  readonly rules: readonly PolicyRule[];
}

const publicPaths = ["/healthz", "/livez", "/readyz", "/version", "/version/"];
const openIdPaths = ["/.well-known/openid-configuration", "/openid/v1/jwks"];
const discoveryPaths = ["/api", "/api/*", "/apis", "/apis/*", "/healthz", "/livez", "/openapi", "/openapi/*"];

/** The default roles with bindings in every cluster, except those for single components. */
const roles: readonly DefaultRole[] = [
  {
    name: "cluster-admin",
    groups: [privilegedGroup],
    rules: [
      { verbs: ["*"], apiGroups: ["*"], resources: ["*"] },
      { verbs: ["*"], nonResourceURLs: ["*"] },
    ],
  },
  {
    name: "system:basic-user",
    groups: ["system:authenticated"],
    rules: [
      {
        verbs: ["create"],
        apiGroups: ["authorization.k8s.io"],
        resources: ["selfsubjectaccessreviews", "selfsubjectrulesreviews"],
      },
      { verbs: ["create"], apiGroups: ["authentication.k8s.io"], resources: ["selfsubjectreviews"] },
    ],
  },
  {
    name: "system:discovery",
    groups: ["system:authenticated"],
    rules: [{ verbs: ["get"], nonResourceURLs: [...discoveryPaths, "/readyz", "/version", "/version/"] }],
  },
  {
    name: "system:public-info-viewer",
    groups: ["system:authenticated", "system:unauthenticated"],
    rules: [{ verbs: ["get"], nonResourceURLs: publicPaths }],
  },
  {
    name: "system:service-account-issuer-discovery",
    groups: ["system:serviceaccounts"],
    rules: [{ verbs: ["get"], nonResourceURLs: openIdPaths.flatMap((path) => [path, `${path}/`]) }],
  },
];

const groupIn = (user: User, role: DefaultRole): string | undefined =>
  role.groups.find((group) => user.groups.includes(group));

/** The note for a user with role bindings, which are not evaluated. */
const notEvaluated = "roles are bound to it, but this sandbox evaluates none: add --rbac to `sandbox`";

/** Ignores stored roles. If a user with role bindings is denied, the decision has an `evaluationError`. */
export class DefaultAuthorizer implements Authorizer {
  readonly #store: Store;

  constructor(store: Store) {
    this.#store = store;
  }

  decide(user: User, attributes: Attributes): Decision {
    if (user.groups.includes(privilegedGroup)) return { allowed: true };
    const role = roles.find(
      (own) => groupIn(user, own) !== undefined && own.rules.some((rule) => ruleAllows(rule, attributes)),
    );
    if (role === undefined)
      return { allowed: false, ...(this.#hasRole(user) ? { evaluationError: notEvaluated } : {}) };
    const by = `ClusterRoleBinding ${JSON.stringify(role.name)} of ClusterRole ${JSON.stringify(role.name)}`;
    return { allowed: true, reason: `RBAC: allowed by ${by} to Group ${JSON.stringify(groupIn(user, role))}` };
  }

  rulesFor(user: User): RuleSet {
    const rules = roles.flatMap((role) => (groupIn(user, role) === undefined ? [] : role.rules));
    return this.#hasRole(user)
      ? { rules, incomplete: true, evaluationError: notEvaluated }
      : { rules, incomplete: false };
  }

  /** True if a stored role is bound to a user. */
  #hasRole(user: User): boolean {
    return ["rolebindings", "clusterrolebindings"].some((plural) => {
      const bindings = this.#store.collection(`${plural}.rbac.authorization.k8s.io`, plural === "rolebindings");
      return [...bindings.range({})].some(({ object }) =>
        fieldsIn(object["subjects"]).some((subject) => names(subject, user)),
      );
    });
  }
}

function names({ kind, name, namespace }: Fields, user: User): boolean {
  if (kind === "ServiceAccount") return user.name === `system:serviceaccount:${String(namespace)}:${String(name)}`;
  return kind === "Group" ? user.groups.includes(String(name)) : name === user.name;
}
