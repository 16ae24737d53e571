/**
 * Evaluates stored roles and bindings. Source: kubernetes v1.36 plugin/pkg/auth/authorizer/rbac/rbac.go,
 * pkg/registry/rbac/validation/rule.go.
 */
import { fieldsIn, isFields, textOf, type ApiObject, type Fields } from "../meta/object.ts";
import type { Store } from "../storage/store.ts";
import {
  privilegedGroup,
  type Attributes,
  type Decision,
  type PolicyRule,
  type RoleReference,
  type RuleResolver,
  type RuleSet,
  type User,
} from "../context/authorizer.ts";
import { ruleAllows } from "./policy-rule.ts";

const group = "rbac.authorization.k8s.io";

/** The rules that one binding grants a user, or why it grants none. */
interface Grant {
  /** `ClusterRoleBinding "x" of ClusterRole "y" to User "z"`. */
  readonly source: string;
  readonly rules: readonly PolicyRule[];
  /** Set if the role could not be found. */
  readonly error?: string;
}

/** A possible subject of a binding, and the binding's namespace: `""` for ClusterRoleBindings. */
interface Grantee {
  readonly user: User;
  readonly namespace: string;
}

/** Evaluates the roles and bindings in a store. */
export class RbacAuthorizer implements RuleResolver {
  readonly #store: Store;

  constructor(store: Store) {
    this.#store = store;
  }

  decide(user: User, attributes: Attributes): Decision {
    if (user.groups.includes(privilegedGroup)) return { allowed: true };
    const errors: string[] = [];
    for (const { source, rules, error } of this.#grants(
      user,
      attributes.is === "resource" ? attributes.namespace : "",
    )) {
      if (error !== undefined) errors.push(error);
      else if (rules.some((rule) => ruleAllows(rule, attributes)))
        return { allowed: true, reason: `RBAC: allowed by ${source}` };
    }
    return { allowed: false, ...(errors.length === 0 ? {} : { reason: `RBAC: ${aggregate(errors)}` }) };
  }

  rulesFor(user: User, namespace: string): RuleSet {
    const grants = [...this.#grants(user, namespace)];
    const errors = grants.flatMap(({ error }) => (error === undefined ? [] : [error]));
    return {
      rules: grants.flatMap(({ rules }) => rules),
      incomplete: false,
      ...(errors.length === 0 ? {} : { evaluationError: aggregate(errors) }),
    };
  }

  rulesOf({ kind, name, namespace }: RoleReference): readonly PolicyRule[] | undefined {
    const isCluster = kind === "ClusterRole";
    const plural = isCluster ? "clusterroles" : "roles";
    const role = this.#store.collection(`${plural}.${group}`, !isCluster).get(isCluster ? "" : namespace, name);
    return role === undefined ? undefined : policyRules(role.object);
  }

  *#grants(user: User, namespace: string): Generator<Grant> {
    for (const { object } of this.#store.collection(`clusterrolebindings.${group}`, false).range({})) {
      const grant = this.#grantOf(object, { user, namespace: "" });
      if (grant !== undefined) yield grant;
    }
    if (namespace === "") return;
    for (const { object } of this.#store.collection(`rolebindings.${group}`, true).range({ namespace })) {
      const grant = this.#grantOf(object, { user, namespace });
      if (grant !== undefined) yield grant;
    }
  }

  #grantOf(binding: ApiObject, { user, namespace }: Grantee): Grant | undefined {
    const subject = fieldsIn(binding["subjects"]).find((one) => isSubject(one, { user, namespace }));
    if (subject === undefined) return undefined;
    const reference = isFields(binding["roleRef"]) ? binding["roleRef"] : {};
    const [kind, name] = [textOf(reference["kind"]), textOf(reference["name"])];
    const own = textOf(binding.metadata.name);
    const shown = namespace === "" ? own : `${own}/${namespace}`;
    const source = `${binding.kind} ${JSON.stringify(shown)} of ${kind} ${JSON.stringify(name)} to ${described(subject, namespace)}`;
    const rules = this.rulesOf({ kind, name, namespace });
    if (rules !== undefined) return { source, rules };
    return { source, rules: [], error: `${kind.toLowerCase()}.${group} ${JSON.stringify(name)} not found` };
  }
}

/** Several errors as Go prints an aggregate. Source: apimachinery v0.36 util/errors/errors.go. */
function aggregate(errors: readonly string[]): string {
  const distinct = [...new Set(errors)];
  return distinct.length === 1 ? (distinct[0] ?? "") : `[${distinct.join(", ")}]`;
}

function policyRules(role: ApiObject): readonly PolicyRule[] {
  // Validated when stored.
  return fieldsIn(role["rules"]) as unknown as readonly PolicyRule[];
}

/** True if a binding's subject is the user, or one of their groups. */
function isSubject({ kind, name, namespace }: Fields, { user, namespace: bindingNamespace }: Grantee): boolean {
  switch (kind) {
    case "User":
      return user.name === name;
    case "Group":
      return user.groups.includes(textOf(name));
    case "ServiceAccount": {
      const own = textOf(namespace) === "" ? bindingNamespace : textOf(namespace);
      return own !== "" && user.name === `system:serviceaccount:${own}:${textOf(name)}`;
    }
    default:
      return false;
  }
}

/** The account's name comes before its namespace. */
function described({ kind, name, namespace }: Fields, bindingNamespace: string): string {
  const own = textOf(namespace) === "" ? bindingNamespace : textOf(namespace);
  return `${textOf(kind)} ${JSON.stringify(kind === "ServiceAccount" ? `${textOf(name)}/${own}` : name)}`;
}
