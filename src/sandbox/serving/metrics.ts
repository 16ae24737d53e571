/** Serves the metrics APIs of a server that has them. */
import type { Route } from "../../api/route.ts";
import type { Server } from "../context/server.ts";
import { customMetrics, externalMetrics, type MetricsRequest, resourceMetrics } from "../endpoints/metrics.ts";
import { methodNotAllowed, noSuchPath } from "../meta/refusal.ts";
import { type HttpRequest, jsonResponse, type Result } from "./responses.ts";

type Handler = (request: MetricsRequest) => object;

const handlers: ReadonlyMap<string, Handler> = new Map([
  ["metrics.k8s.io/v1beta1", resourceMetrics],
  ["custom.metrics.k8s.io/v1beta1", customMetrics],
  ["custom.metrics.k8s.io/v1beta2", customMetrics],
  ["external.metrics.k8s.io/v1beta1", externalMetrics],
]);

/** A request and its route. */
interface MetricsExchange {
  readonly request: Pick<HttpRequest, "method" | "query">;
  readonly route: Route & { readonly is: "resource" };
}

/** The response to a metrics API request; undefined for other requests. @throws StatusError 400, 404, 405. */
export function metricsResponse(server: Server, { request, route }: MetricsExchange): Result | undefined {
  const { apiVersion, namespace, plural, name, subresource } = route;
  const handler = handlers.get(apiVersion);
  if (handler === undefined) return undefined;
  const { method, query } = request;
  if (method !== "GET") throw methodNotAllowed();
  if (handler === resourceMetrics && plural !== "pods" && plural !== "nodes") throw noSuchPath();
  return jsonResponse(200, handler({ server, apiVersion, namespace, plural, name, subresource, query }));
}
