/** What a request is authorized and audited by. */
import type { Route } from "../../api/route.ts";
import { attributesOf } from "../access/authorize.ts";
import type { Attributes } from "../context/authorizer.ts";
import { flagParam, param } from "../options/list-options.ts";
import type { HttpRequest } from "./responses.ts";

/** True for a watch request of any resource. */
export const isWatch = ({ query }: Pick<HttpRequest, "query">): boolean => flagParam(query, "watch");

/** @throws URIError for a path with invalid escapes. */
export function requestAttributes(route: Route, request: Pick<HttpRequest, "method" | "path" | "query">): Attributes {
  const { method, path, query } = request;
  return attributesOf(route, { method, path, isWatch: isWatch(request), fieldSelector: param(query, "fieldSelector") });
}
