/**
 * What a user may do. Roles are not looked at here: members of `system:masters` may do everything, others what the real server's own
 * roles let everybody do. Source: kubernetes v1.36 plugin/pkg/auth/authorizer/rbac, bootstrappolicy/policy.go.
 */
import { fieldsIn, type Fields } from "../meta/object.ts";
import { qualified, refusal } from "../meta/refusal.ts";
import type { Route } from "../context/route.ts";
import { collectionOf, type Server, type User } from "../context/server.ts";

/** What is to be authorized: a verb on a resource or on a path. Source: apiserver v0.36 authorization/authorizer Attributes. */
export type Attributes =
  | {
      readonly is: "resource";
      readonly verb: string;
      readonly group: string;
      readonly resource: string;
      readonly subresource: string;
      readonly namespace: string;
      readonly name: string;
    }
  | { readonly is: "path"; readonly verb: string; readonly path: string };

/** A rule of a role about resources; `*` covers all. */
export interface ResourceRule {
  readonly verbs: readonly string[];
  readonly apiGroups: readonly string[];
  readonly resources: readonly string[];
}

/** A rule of a role about paths that are no resources; `*` at the end covers what follows. */
export interface PathRule {
  readonly verbs: readonly string[];
  readonly nonResourceURLs: readonly string[];
}

interface Role {
  readonly name: string;
  readonly groups: readonly string[];
  readonly resourceRules: readonly ResourceRule[];
  readonly nonResourceRules: readonly PathRule[];
}

const publicPaths = ["/healthz", "/livez", "/readyz", "/version", "/version/"];
const discoveryPaths = ["/api", "/api/*", "/apis", "/apis/*", "/healthz", "/livez", "/openapi", "/openapi/*"];

/** The roles that are bound in each cluster, as far as they are not for single components. */
const roles: readonly Role[] = [
  {
    name: "cluster-admin",
    groups: ["system:masters"],
    resourceRules: [{ verbs: ["*"], apiGroups: ["*"], resources: ["*"] }],
    nonResourceRules: [{ verbs: ["*"], nonResourceURLs: ["*"] }],
  },
  {
    name: "system:basic-user",
    groups: ["system:authenticated"],
    resourceRules: [
      {
        verbs: ["create"],
        apiGroups: ["authorization.k8s.io"],
        resources: ["selfsubjectaccessreviews", "selfsubjectrulesreviews"],
      },
      { verbs: ["create"], apiGroups: ["authentication.k8s.io"], resources: ["selfsubjectreviews"] },
    ],
    nonResourceRules: [],
  },
  {
    name: "system:discovery",
    groups: ["system:authenticated"],
    resourceRules: [],
    nonResourceRules: [{ verbs: ["get"], nonResourceURLs: [...discoveryPaths, "/readyz", "/version", "/version/"] }],
  },
  {
    name: "system:public-info-viewer",
    groups: ["system:authenticated", "system:unauthenticated"],
    resourceRules: [],
    nonResourceRules: [{ verbs: ["get"], nonResourceURLs: publicPaths }],
  },
];

const groupIn = (user: Pick<User, "groups">, role: Role): string | undefined =>
  role.groups.find((group) => user.groups.includes(group));

/** All that a user may do by the roles of each cluster. */
export function rulesOf(user: Pick<User, "groups">): Pick<Role, "resourceRules" | "nonResourceRules"> {
  const own = roles.filter((role) => groupIn(user, role) !== undefined);
  return {
    resourceRules: own.flatMap(({ resourceRules }) => resourceRules),
    nonResourceRules: own.flatMap(({ nonResourceRules }) => nonResourceRules),
  };
}

const covers = (patterns: readonly string[], value: string): boolean =>
  patterns.includes("*") || patterns.includes(value);

const coversPath = (patterns: readonly string[], path: string): boolean =>
  patterns.some((pattern) => (pattern.endsWith("*") ? path.startsWith(pattern.slice(0, -1)) : path === pattern));

function allows({ resourceRules, nonResourceRules }: Role, asked: Attributes): boolean {
  if (asked.is === "path") {
    return nonResourceRules.some(
      ({ verbs, nonResourceURLs }) => covers(verbs, asked.verb) && coversPath(nonResourceURLs, asked.path),
    );
  }
  const resource = asked.subresource === "" ? asked.resource : `${asked.resource}/${asked.subresource}`;
  return resourceRules.some(
    ({ verbs, apiGroups, resources }) =>
      covers(verbs, asked.verb) && covers(apiGroups, asked.group) && covers(resources, resource),
  );
}

/** True if a user may do something, and why. */
export interface Decision {
  readonly allowed: boolean;
  /** The role that allows it, in the real server's words; none for system:masters. */
  readonly reason?: string;
  /** What was not looked at. */
  readonly evaluationError?: string;
}

/** The note for a user with bindings of roles, which are not evaluated. */
export const notEvaluated = "roles are bound to it, but this sandbox evaluates none";

/** Authorizes a user. Guarantees: a denial of a user with roles of their own has an `evaluationError`. */
export function decide(server: Server, user: User, asked: Attributes): Decision {
  if (user.groups.includes("system:masters")) return { allowed: true };
  const role = roles.find((own) => groupIn(user, own) !== undefined && allows(own, asked));
  if (role === undefined)
    return { allowed: false, ...(hasRole(server, user) ? { evaluationError: notEvaluated } : {}) };
  const by = `ClusterRoleBinding ${JSON.stringify(role.name)} of ClusterRole ${JSON.stringify(role.name)}`;
  return { allowed: true, reason: `RBAC: allowed by ${by} to Group ${JSON.stringify(groupIn(user, role))}` };
}

interface AuthorizedRequest {
  readonly method: string;
  readonly path: string;
  readonly isWatch: boolean;
}

/**
 * That a user may do what a request asks. @throws StatusError 403 in the real server's words; where a role is bound to the user, it
 * says that it is not asked.
 */
export function authorize(server: Server, user: User, route: Route, asked: AuthorizedRequest): void {
  const attributes = attributesOf(route, asked);
  const { allowed, evaluationError } = decide(server, user, attributes);
  if (allowed) return;
  const who = `User ${JSON.stringify(user.name)}`;
  if (attributes.is === "path") {
    const message = `forbidden: ${who} cannot ${attributes.verb} path ${JSON.stringify(attributes.path)}`;
    throw refusal(403, "Forbidden", message, {});
  }
  const { verb, group, resource, subresource, namespace, name } = attributes;
  const full = subresource === "" ? resource : `${resource}/${subresource}`;
  const scope = namespace === "" ? "at the cluster scope" : `in the namespace ${JSON.stringify(namespace)}`;
  const what = `${qualified({ group, name: resource })}${name === "" ? "" : ` ${JSON.stringify(name)}`}`;
  const bound = evaluationError === undefined ? "" : `; ${evaluationError}`;
  throw refusal(
    403,
    "Forbidden",
    `${what} is forbidden: ${who} cannot ${verb} resource ${JSON.stringify(full)} in API group ${JSON.stringify(group)} ${scope}${bound}`,
    { ...(name === "" ? {} : { name }), ...(group === "" ? {} : { group }), kind: resource },
  );
}

function attributesOf(route: Route, asked: AuthorizedRequest): Attributes {
  if (route.is !== "resource") return { is: "path", verb: asked.method.toLowerCase(), path: asked.path };
  const { apiVersion, plural, name, subresource, namespace } = route;
  const group = apiVersion.includes("/") ? (apiVersion.split("/")[0] ?? "") : "";
  return { is: "resource", verb: verbOf(asked, name), group, resource: plural, subresource, namespace, name };
}

function verbOf({ method, isWatch }: AuthorizedRequest, name: string): string {
  switch (method) {
    case "POST":
      return "create";
    case "PUT":
      return "update";
    case "PATCH":
      return "patch";
    case "DELETE":
      return name === "" ? "deletecollection" : "delete";
    default:
      return isWatch && name === "" ? "watch" : name === "" ? "list" : "get";
  }
}

/** True if a role is bound to a user, one that is not in each cluster. */
export function hasRole(server: Server, user: User): boolean {
  return ["rolebindings", "clusterrolebindings"].some((plural) => {
    const resource = server.registry.find("rbac.authorization.k8s.io/v1", plural);
    if (resource === undefined) return false;
    const bindings = [...collectionOf(server, resource).range({ namespace: undefined })];
    return bindings.some(({ object }) => fieldsIn(object["subjects"]).some((subject) => names(subject, user)));
  });
}

function names({ kind, name, namespace }: Fields, user: User): boolean {
  if (kind === "ServiceAccount") return user.name === `system:serviceaccount:${String(namespace)}:${String(name)}`;
  return kind === "Group" ? user.groups.includes(String(name)) : name === user.name;
}
