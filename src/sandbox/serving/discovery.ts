/** Discovery: `/api`, `/apis`, groups, resources; `/version`. */
import { healthPaths } from "./health.ts";
import { noSuchPath } from "../meta/refusal.ts";
import type { ResourceRegistry } from "../registry/resource.ts";

/** The version of Kubernetes that the server implements. */
export const version: Readonly<Record<string, string>> = {
  major: "1",
  minor: "36",
  emulationMajor: "1",
  emulationMinor: "36",
  minCompatibilityMajor: "1",
  minCompatibilityMinor: "35",
  gitVersion: "v1.36.3",
  gitCommit: "v1.36.3",
  gitTreeState: "",
  buildDate: "2026-01-01T00:00:00Z",
  goVersion: "go1.26.8",
  compiler: "gc",
  platform: "linux/amd64",
};

/** The server address in discovery: clients know a better one, as they are connected. */
export const serverAddress = "127.0.0.1:6443";

interface Group {
  readonly name: string;
  readonly versions: readonly string[];
}

function groupOf({ name, versions }: Group): object {
  const all = versions.map((v) => ({ groupVersion: `${name}/${v}`, version: v }));
  return { name, versions: all, preferredVersion: all[0] };
}

function resourcesOf(registry: ResourceRegistry, groupVersion: string): object | undefined {
  const resources = registry.data.resources[groupVersion];
  if (resources === undefined) {
    const group = groupVersion.slice(0, groupVersion.indexOf("/"));
    // Unknown versions of a served group are API errors; other paths are not found.
    if (!groupVersion.includes("/") || registry.builtInGroups.has(group)) throw noSuchPath();
    return undefined;
  }
  return {
    kind: "APIResourceList",
    ...(groupVersion.includes("/") ? { apiVersion: "v1" } : {}),
    groupVersion,
    resources: resources.map(({ columns: _columns, ...resource }) => resource),
  };
}

/** The discovery document at a path; undefined for paths that are not served. @throws StatusError 404. */
export function discoveryAt(registry: ResourceRegistry, parts: readonly string[]): object | undefined {
  const [root, first, second] = parts;
  const { groups } = registry.data;
  if (root === "api") {
    if (first !== undefined) return resourcesOf(registry, first);
    return {
      kind: "APIVersions",
      versions: ["v1"],
      serverAddressByClientCIDRs: [{ clientCIDR: "0.0.0.0/0", serverAddress }],
    };
  }
  if (first === undefined) return { kind: "APIGroupList", apiVersion: "v1", groups: groups.map(groupOf) };
  if (second !== undefined) return resourcesOf(registry, `${first}/${second}`);
  const group = groups.find(({ name }) => name === first);
  if (group === undefined) return undefined;
  return { kind: "APIGroup", apiVersion: "v1", ...groupOf(group) };
}

/** What the index of paths lists besides groups and health checks: all that both the sandbox and the real server serve. */
const otherPaths: readonly string[] = [
  "/.well-known/openid-configuration",
  "/api",
  "/api/v1",
  "/apis",
  "/apis/",
  "/openapi/v2",
  "/openapi/v3",
  "/openapi/v3/",
  "/openid/v1/jwks",
  "/version",
];

/** Documents that the real server indents: its version, and the index of paths. */
export function indentedDocument({ data }: ResourceRegistry, path: string): object | undefined {
  if (path === "/version" || path === "/version/") return version;
  if (path !== "/") return undefined;
  const groups = data.groups.flatMap(({ name, versions }) => [
    `/apis/${name}`,
    ...versions.map((own) => `/apis/${name}/${own}`),
  ]);
  return { paths: [...otherPaths, ...groups, ...healthPaths()].sort() };
}
