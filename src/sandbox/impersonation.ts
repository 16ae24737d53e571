/** Who asks, where somebody asks as another, and what they may do. Source: apiserver v0.36 endpoints/filters/impersonation. */
import { badRequest, qualified, refusal } from "./refusal.ts";
import type { Route } from "./route.ts";
import { collectionOf, type Server, type User } from "./server.ts";
import { fieldsIn, type Fields } from "./object.ts";

type Headers = Readonly<Record<string, string>>;

const [asUser, asGroup, asUid, asExtra] = [
  "impersonate-user",
  "impersonate-group",
  "impersonate-uid",
  "impersonate-extra-",
];

/** A list as Go prints it with %#v. */
const goTexts = (texts: readonly string[]): string =>
  texts.length === 0 ? "[]string(nil)" : `[]string{${texts.map((text) => JSON.stringify(text)).join(", ")}}`;

/** The user that a request is to be taken for. @throws StatusError 400 for parts of one without a name. */
export function userOf(headers: Headers, user: User): User {
  const [name = "", uid = ""] = [headers[asUser], headers[asUid]];
  const groups = (headers[asGroup] ?? "").split(",").flatMap((group) => (group.trim() === "" ? [] : [group.trim()]));
  const extra = Object.keys(headers)
    .filter((header) => header.startsWith(asExtra))
    .map((header) => [decodeURIComponent(header.slice(asExtra.length)), (headers[header] ?? "").split(", ")] as const);
  if (name !== "") {
    const own = groups.includes("system:unauthenticated") || name === "system:anonymous";
    return {
      name,
      ...(uid === "" ? {} : { uid }),
      groups: own || groups.includes("system:authenticated") ? groups : [...groups, "system:authenticated"],
      ...(extra.length === 0 ? {} : { extra: Object.fromEntries(extra) }),
    };
  }
  if (uid === "" && groups.length === 0 && extra.length === 0) return user;
  const pairs = extra.map(([key, values]) => `${JSON.stringify(key)}:${goTexts(values)}`).join(", ");
  const more = extra.length === 0 ? "map[string][]string(nil)" : `map[string][]string{${pairs}}`;
  throw badRequest(
    `requested &user.DefaultInfo{Name:"", UID:${JSON.stringify(uid)}, Groups:${goTexts(groups)}, Extra:${more}} without impersonating a user name`,
  );
}

/** What everybody may ask who is somebody. Source: kubernetes v1.36 plugin/pkg/auth/authorizer/rbac/bootstrappolicy. */
const forEverybody = /^\/(api|apis|openapi|version)(\/|$)|^\/(healthz|livez|readyz)$/;
const selfReviews = new Set(["selfsubjectaccessreviews", "selfsubjectrulesreviews", "selfsubjectreviews"]);

interface Asked {
  readonly method: string;
  readonly path: string;
  readonly isWatch: boolean;
}

/**
 * That a user may do what a request asks. Roles are not looked at here: members of `system:masters` may do everything, others what
 * everybody may. @throws StatusError 403 in the real server's words; where a role is bound to the user, it says that it is not asked.
 */
export function authorize(server: Server, user: User, route: Route, asked: Asked): void {
  if (user.groups.includes("system:masters")) return;
  const who = `User ${JSON.stringify(user.name)}`;
  if (route.is !== "resource") {
    if (asked.method === "GET" && forEverybody.test(asked.path)) return;
    throw refusal(
      403,
      "Forbidden",
      `forbidden: ${who} cannot ${asked.method.toLowerCase()} path ${JSON.stringify(asked.path)}`,
      {},
    );
  }
  const { apiVersion, plural, name, subresource, namespace } = route;
  const verb = verbOf(asked, name);
  if (selfReviews.has(plural) && verb === "create") return;
  const group = apiVersion.includes("/") ? (apiVersion.split("/")[0] ?? "") : "";
  const resource = subresource === "" ? plural : `${plural}/${subresource}`;
  const scope = namespace === "" ? "at the cluster scope" : `in the namespace ${JSON.stringify(namespace)}`;
  const what = `${qualified({ group, name: plural })}${name === "" ? "" : ` ${JSON.stringify(name)}`}`;
  const bound = hasRole(server, user) ? "; roles are bound to it, but this sandbox evaluates none" : "";
  throw refusal(
    403,
    "Forbidden",
    `${what} is forbidden: ${who} cannot ${verb} resource ${JSON.stringify(resource)} in API group ${JSON.stringify(group)} ${scope}${bound}`,
    { ...(name === "" ? {} : { name }), ...(group === "" ? {} : { group }), kind: plural },
  );
}

function verbOf({ method, isWatch }: Asked, name: string): string {
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
      return isWatch ? "watch" : name === "" ? "list" : "get";
  }
}

function hasRole(server: Server, user: User): boolean {
  return ["rolebindings", "clusterrolebindings"].some((plural) => {
    const resource = server.catalogue.find("rbac.authorization.k8s.io/v1", plural);
    if (resource === undefined) return false;
    const bindings = [...collectionOf(server, resource).range({ namespace: undefined })];
    return bindings.some(({ object }) => fieldsIn(object["subjects"]).some((subject) => names(subject, user)));
  });
}

function names({ kind, name, namespace }: Fields, user: User): boolean {
  if (kind === "ServiceAccount") return user.name === `system:serviceaccount:${String(namespace)}:${String(name)}`;
  return kind === "Group" ? user.groups.includes(String(name)) && name !== "system:authenticated" : name === user.name;
}
