/** The verb and resource of a request. Source: apiserver v0.36 endpoints/request/requestinfo.go. */
import { routeOf, type Route } from "../../api/route.ts";
import type { RequestHead } from "./exchange.ts";

/** The resource of a request. */
export interface Target {
  /** `apps/v1`. */
  readonly apiVersion: string;
  readonly group: string;
  readonly plural: string;
  /** Empty for all namespaces, and for cluster-scoped resources. */
  readonly namespace: string;
  /** Empty for a collection. */
  readonly name: string;
  readonly subresource: string;
}

/** A request's verb and resource. */
export interface RequestInfo {
  /** `get`, `list`, `watch`, `create`, `update`, `patch`, `delete`, `deletecollection`; for a non-resource path, the method in lower case. */
  readonly verb: string;
  /** Undefined for non-resource paths, such as discovery and health checks. */
  readonly target: Target | undefined;
  /** Identifies the collection: path, selectors, and form (such as metadata only). Equal for a list and the watch that follows it. */
  readonly collection: string;
  /** Whether the collection has a selector. */
  readonly selected: boolean;
}

const verbs: Readonly<Record<string, string>> = { POST: "create", PUT: "update", PATCH: "patch", DELETE: "delete" };

/** The value of a query parameter; empty where it is not set. */
export function parameter(query: RequestHead["query"], name: string): string {
  return query.find(([key]) => key === name)?.[1] ?? "";
}

/** Whether a query parameter is true, parsed as in Go. */
export function flag(query: RequestHead["query"], name: string): boolean {
  return /^(1|t|true)$/i.test(parameter(query, name));
}

function routeOrOther(path: string): Route {
  try {
    return routeOf(path);
  } catch {
    return { is: "other", path };
  }
}

/** Parses a request. */
export function requestInfoOf({ method, path, query, headers }: RequestHead): RequestInfo {
  const route = routeOrOther(path);
  if (route.is !== "resource")
    return { verb: method.toLowerCase(), target: undefined, collection: "", selected: false };
  const { apiVersion, plural, namespace, name, subresource } = route;
  const [group = ""] = apiVersion.includes("/") ? apiVersion.split("/") : [""];
  const target: Target = { apiVersion, group, plural, namespace, name, subresource };
  const selectors = [parameter(query, "labelSelector"), parameter(query, "fieldSelector")];
  const selected = selectors.some((selector) => selector !== "");
  const form = /;as=(\w+)/.exec(headers["accept"] ?? "")?.[1] ?? "";
  const collection = JSON.stringify([path, ...selectors, form]);
  if (method === "GET") {
    const isWatch = flag(query, "watch");
    const verb = isWatch ? "watch" : name === "" ? "list" : "get";
    return { verb, target, collection, selected };
  }
  const verb = verbs[method] ?? method.toLowerCase();
  return { verb: verb === "delete" && name === "" ? "deletecollection" : verb, target, collection, selected };
}
