/** Policies in the form in which a server stores them, and a server that publishes kinds and their schemas. */
import type { ValidatingAdmissionPolicy } from "../../../src/api/types.ts";
import type { SyncClient } from "../../../src/controller/api/sync-context.ts";
import { formatTime } from "../../../src/api/time.ts";
import { sceneStart } from "../../support/sync-context.ts";

/** The relevant parts of a policy's spec. */
export type PolicySpec = NonNullable<ValidatingAdmissionPolicy["spec"]>;

/** The match constraints of a policy. */
export type MatchConstraints = NonNullable<PolicySpec["matchConstraints"]>;

/** A rule that matches resources such as `apps/v1 deployments, statefulsets`. */
export function ruleOf(
  apiGroups: readonly string[],
  apiVersions: readonly string[],
  resources: readonly string[],
): NonNullable<MatchConstraints["resourceRules"]>[number] {
  return { apiGroups, apiVersions, resources, operations: ["*"] };
}

export const deployments: MatchConstraints = {
  resourceRules: [ruleOf(["apps"], ["v1"], ["deployments"])],
};

/** A policy of generation 1 that has not been checked yet. */
export function policyOf(spec: PolicySpec, name = "one"): ValidatingAdmissionPolicy {
  const creationTimestamp = formatTime(sceneStart);
  const metadata = { name, uid: `uid-${name}`, resourceVersion: "1", generation: 1, creationTimestamp };
  return { metadata, spec: { matchConstraints: deployments, ...spec } };
}

/** A kind that a server serves. */
export interface ServedKind {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  readonly plural: string;
  /** The schema in OpenAPI; if absent, the document does not contain the kind. */
  readonly schema?: object;
}

/** The contents of the server, which can change, and the paths that were requested. */
export interface SchemaServer {
  kinds: readonly ServedKind[];
  /** Schemas to which others refer; they are part of every document. */
  parts: Readonly<Record<string, object>>;
  readonly requestedPaths: string[];
  readonly raw: SyncClient["raw"];
}

const groupVersion = ({ group, version }: ServedKind): string => (group === "" ? version : `${group}/${version}`);
const rootOf = (kind: ServedKind): string => `${kind.group === "" ? "api" : "apis"}/${groupVersion(kind)}`;

export function schemaServer(kinds: readonly ServedKind[] = []): SchemaServer {
  const server: SchemaServer = {
    kinds,
    parts: {},
    requestedPaths: [],
    raw(path) {
      server.requestedPaths.push(path);
      return Promise.resolve(respond(server, path));
    },
  };
  return server;
}

function respond(server: SchemaServer, path: string): unknown {
  if (path === "/api") return discovery(server.kinds.filter(({ group }) => group === ""));
  if (path === "/apis") return discovery(server.kinds.filter(({ group }) => group !== ""));
  const roots = [...new Set(server.kinds.map(rootOf))];
  const hash = (root: string): string => Bun.hash(JSON.stringify(documentOf(server, root))).toString(16);
  if (path === "/openapi/v3") {
    const paths = roots.map((root) => [root, { serverRelativeURL: `/openapi/v3/${root}?hash=${hash(root)}` }]);
    // Returned as text, because servers send it without a JSON content type.
    return JSON.stringify({ paths: Object.fromEntries(paths) as unknown });
  }
  const root = roots.find((each) => path === `/openapi/v3/${each}`);
  if (root === undefined) throw new Error(`${path}?`);
  return documentOf(server, root);
}

function discovery(kinds: readonly ServedKind[]): object {
  const items = kinds.map(({ group, version, kind, plural }) => {
    const resource = { resource: plural, responseKind: { kind }, scope: "Namespaced", verbs: ["list"] };
    return { metadata: { name: group }, versions: [{ version, freshness: "Current", resources: [resource] }] };
  });
  return { kind: "APIGroupDiscoveryList", items };
}

function documentOf({ kinds, parts }: SchemaServer, root: string): object {
  const own = kinds
    .filter((each) => rootOf(each) === root && each.schema !== undefined)
    .map(({ group, version, kind, schema }) => [
      `example.${group}.${kind}`,
      { ...schema, "x-kubernetes-group-version-kind": [{ group, version, kind }] },
    ]);
  return { components: { schemas: { ...parts, ...(Object.fromEntries(own) as object) } } };
}
