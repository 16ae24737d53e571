/** Authorization of requests. Source: apiserver v0.36 endpoints/filters/authorization.go, handlers/responsewriters/errors.go. */
import type { StatusError } from "../../api/status-error.ts";
import { qualified, refusal } from "../meta/refusal.ts";
import type { Attributes, Authorizer, Decision, User } from "../context/authorizer.ts";
import type { Route } from "../../api/route.ts";

/** A request before its resource is looked up. */
export interface AuthorizedRequest {
  readonly method: string;
  readonly path: string;
  readonly isWatch: boolean;
}

/** The attributes that a request is authorized by. @throws URIError for a path with invalid escapes. */
export function attributesOf(route: Route, asked: AuthorizedRequest): Attributes {
  if (route.is !== "resource")
    return { is: "path", verb: asked.method.toLowerCase(), path: decodeURIComponent(asked.path) };
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

/** What a user requests. */
export interface Question {
  readonly user: User;
  readonly asked: Attributes;
  /** Receives the decision before a denial is thrown. */
  readonly decided?: ((decision: Decision) => void) | undefined;
}

/** Authorizes a user's request. @throws StatusError 403, with the authorizer's evaluation error if there is one. */
export function authorize(authorizer: Authorizer, { user, asked, decided }: Question): void {
  const decision = authorizer.decide(user, asked);
  decided?.(decision);
  const { allowed, reason, evaluationError } = decision;
  if (!allowed) throw forbidden({ user, asked }, reason ?? evaluationError);
}

const htmlEscapes: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;" };

/** 403 for a user's request, in the real server's words. */
export function forbidden(question: Question, reason: string | undefined): StatusError {
  const { asked } = question;
  const because = reason === undefined || reason === "" ? "" : `: ${reason}`;
  const message = what(question).replaceAll(/[&<>]/g, (character) => htmlEscapes[character] ?? character);
  if (asked.is === "path") return refusal(403, "Forbidden", `forbidden: ${message}${because}`, {});
  const { group, resource, name } = asked;
  const object = `${qualified({ group, name: resource })}${name === "" ? "" : ` ${JSON.stringify(name)}`}`;
  return refusal(403, "Forbidden", `${object} is forbidden: ${message}${because}`, {
    ...(name === "" ? {} : { name }),
    ...(group === "" ? {} : { group }),
    kind: resource,
  });
}

function what({ user, asked }: Question): string {
  const who = `User ${JSON.stringify(user.name)}`;
  if (asked.is === "path") return `${who} cannot ${asked.verb} path ${JSON.stringify(asked.path)}`;
  const { verb, group, resource, subresource, namespace } = asked;
  const full = subresource === "" ? resource : `${resource}/${subresource}`;
  const scope = namespace === "" ? "at the cluster scope" : `in the namespace ${JSON.stringify(namespace)}`;
  return `${who} cannot ${verb} resource ${JSON.stringify(full)} in API group ${JSON.stringify(group)} ${scope}`;
}
