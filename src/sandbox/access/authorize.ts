/** Authorization of requests. Source: apiserver v0.36 endpoints/filters/authorization.go. */
import { type Attributes, type Authorizer, type Decision, denialFor, type User } from "../context/authorizer.ts";
import type { Route } from "../../api/route.ts";

/** A request before its resource is looked up. */
export interface AuthorizedRequest {
  readonly method: string;
  readonly path: string;
  readonly isWatch: boolean;
  /** The text of the query parameter `fieldSelector`; undefined without one. */
  readonly fieldSelector: string | undefined;
}

/** The attributes that a request is authorized by. @throws URIError for a path with invalid escapes. */
export function attributesOf(route: Route, request: AuthorizedRequest): Attributes {
  if (route.is !== "resource")
    return { is: "path", verb: request.method.toLowerCase(), path: decodeURIComponent(request.path) };
  const { apiVersion, plural, name, subresource, namespace } = route;
  const group = apiVersion.includes("/") ? (apiVersion.split("/")[0] ?? "") : "";
  const verb = verbOf(request, name);
  const selected = verb === "list" || verb === "watch" ? selectedName(request.fieldSelector) : name;
  return { is: "resource", verb, group, resource: plural, subresource, namespace, name: selected };
}

/** A list of the one object with this name is authorized as a request for it. Source: apiserver v0.36 endpoints/request/requestinfo.go. */
function selectedName(fieldSelector = ""): string {
  const [, name = ""] = /(?:^|,)metadata\.name==?([^,=!\\]*)(?:,|$)/.exec(fieldSelector) ?? [];
  return name === "." || name === ".." || /[/%]/.test(name) ? "" : name;
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

/** A user, and the attributes of the request. */
export interface AccessRequest {
  readonly user: User;
  readonly attributes: Attributes;
  /** Receives the decision before a denial is thrown. */
  readonly decided?: ((decision: Decision) => void) | undefined;
}

/** Authorizes a user's request. @throws StatusError 403, with the authorizer's evaluation error if there is one. */
export function authorize(authorizer: Authorizer, { user, attributes, decided }: AccessRequest): void {
  const decision = authorizer.decide(user, attributes);
  decided?.(decision);
  const denied = denialFor({ user, attributes }, decision);
  if (denied !== undefined) throw denied;
}
