/**
 * As much of `/openapi/v3` as kubectl asks for before it writes: that each kind's PATCH knows `fieldValidation`. The schemas
 * are not told; kubectl has those of the built-in kinds.
 */
import type { Catalogue } from "./registry/resource.ts";

const rootOf = (groupVersion: string): string =>
  groupVersion.includes("/") ? `apis/${groupVersion}` : `api/${groupVersion}`;

const queryParameters = ["fieldValidation", "fieldManager", "dryRun"].map((name) => ({
  name,
  in: "query",
  schema: { type: "string" },
}));

/** The document at a path below `/openapi/v3`; undefined where there is none. */
export function openApiAt(catalogue: Catalogue, path: string): object | undefined {
  const groupVersions = Object.keys(catalogue.data.resources);
  if (path === "/openapi/v3") {
    const paths = groupVersions.map((groupVersion) => {
      const root = rootOf(groupVersion);
      return [root, { serverRelativeURL: `/openapi/v3/${root}?hash=sandbox` }] as const;
    });
    return { paths: Object.fromEntries(paths) };
  }
  const found = groupVersions.find((groupVersion) => path === `/openapi/v3/${rootOf(groupVersion)}`);
  if (found === undefined) return undefined;
  const paths: Record<string, object> = {};
  for (const { group, version, kind, plural, namespaced, verbs } of catalogue.resources) {
    if ((group === "" ? version : `${group}/${version}`) !== found || !verbs.has("patch")) continue;
    const scope = namespaced ? "/namespaces/{namespace}" : "";
    paths[`/${rootOf(found)}${scope}/${plural}/{name}`] = {
      patch: {
        parameters: queryParameters,
        responses: {},
        "x-kubernetes-group-version-kind": { group, version, kind },
      },
    };
  }
  return { openapi: "3.0.0", info: { title: "Kubernetes", version: "v1.36.3" }, paths, components: { schemas: {} } };
}
