/**
 * `/healthz`, `/livez`, `/readyz` and the checks below them. The sandbox is either up or not, so every check passes; they have the names
 * that probes and scripts expect. Source: apiserver v0.36 pkg/server/healthz/healthz.go.
 */
import { param } from "../options/list-options.ts";
import type { HttpRequest, Result } from "./responses.ts";
import { notFoundPage, textResponse } from "./responses.ts";

const hook = (name: string): string => `poststarthook/${name}`;

/** Post-start hooks, all of which have run. */
const startChecks: readonly string[] = [
  hook("start-apiserver-admission-initializer"),
  hook("generic-apiserver-start-informers"),
  hook("max-in-flight-filter"),
  hook("storage-object-count-tracker-hook"),
  hook("start-apiextensions-informers"),
  hook("start-apiextensions-controllers"),
  hook("crd-informer-synced"),
  hook("start-system-namespaces-controller"),
  hook("peer-endpoint-reconciler-controller"),
  hook("start-cluster-authentication-info-controller"),
  hook("start-kube-apiserver-identity-lease-controller"),
  hook("start-kube-apiserver-identity-lease-garbage-collector"),
  hook("storage-readiness"),
  hook("start-legacy-token-tracking-controller"),
  hook("start-service-ip-repair-controllers"),
  hook("rbac/bootstrap-roles"),
  hook("scheduling/bootstrap-system-priority-classes"),
  hook("priority-and-fairness-config-producer"),
  hook("bootstrap-controller"),
  hook("start-kubernetes-service-cidr-controller"),
  hook("start-kube-aggregator-informers"),
  hook("apiservice-status-local-available-controller"),
  hook("apiservice-status-remote-available-controller"),
  hook("apiservice-registration-controller"),
  hook("apiservice-discovery-controller"),
  hook("kube-apiserver-autoregistration"),
  "autoregister-completion",
  hook("apiservice-openapi-controller"),
  hook("apiservice-openapiv3-controller"),
];

const liveChecks: readonly string[] = ["ping", "log", "loopback-serving-certificate", "etcd", ...startChecks];
const readyChecks: readonly string[] = [
  "ping",
  "log",
  "etcd",
  "etcd-readiness",
  "informer-sync",
  ...startChecks,
  "shutdown",
];

/** By path, each in listing order. */
const checksOf: ReadonlyMap<string, readonly string[]> = new Map([
  ["/healthz", liveChecks],
  ["/livez", liveChecks],
  ["/readyz", readyChecks],
]);

/** Every path that `healthResponse` serves, unsorted. */
export function healthPaths(): readonly string[] {
  return [...checksOf].flatMap(([root, checks]) => [root, ...checks.map((name) => `${root}/${name}`)]);
}

/** The response for a health check path; undefined for any other path. With `?verbose` it lists the checks. */
export function healthResponse({ path, query }: HttpRequest): Result | undefined {
  const root = /^\/\w+/.exec(path)?.[0] ?? "";
  const checks = checksOf.get(root);
  if (checks === undefined) return undefined;
  if (path !== root) return checks.includes(path.slice(root.length + 1)) ? textResponse(200, "ok") : notFoundPage();
  if (param(query, "verbose") === undefined) return textResponse(200, "ok");
  const excluded = query.filter(([key]) => key === "exclude").map(([, name]) => name);
  return textResponse(200, `${listed(checks, new Set(excluded))}${root.slice(1)} check passed\n`);
}

/** One line per check; then the names in `?exclude=` that match none. */
function listed(checks: readonly string[], excluded: ReadonlySet<string>): string {
  const lines = checks.map((name) => `[+]${name} ${excluded.has(name) ? "excluded: " : ""}ok\n`);
  const unknown = [...excluded].filter((name) => !checks.includes(name)).sort();
  const names = unknown.map((name) => JSON.stringify(name)).join(",");
  if (unknown.length > 0) lines.push(`warn: some health checks cannot be excluded: no matches for ${names}\n`);
  return lines.join("");
}
