/**
 * `/openapi/v3`: a document for each group and version, with its schemas and operations. Source: apiserver v0.36 pkg/server/routes/openapi.go,
 * k8s.io/kube-openapi pkg/handler3/handler.go, pkg/builder3/openapi.go.
 */
import { contentHash } from "../../../platform/content-hash.ts";
import type { ResourceData } from "../../../api/wire/format.ts";
import type { Resource, ResourceRegistry } from "../../registry/resource.ts";
import type { OpenApiData, OpenApiSchema } from "./data.ts";
import type { Listed } from "./operations.ts";
import { groupWord, type PathItem, pathsOf } from "./paths.ts";
import { referencesIn, referenceTo, schemasFor } from "./schemas.ts";

/** An OpenAPI document. */
export interface OpenApiDocument {
  readonly text: string;
  /** Of the text: clients keep the document by it. */
  readonly hash: string;
}

/** A document before it is written. */
export interface Parts {
  readonly paths: Readonly<Record<string, PathItem>>;
  readonly schemas: Readonly<Record<string, OpenApiSchema>>;
  /** The names of custom resources' schemas; none in a document about built-in kinds. */
  readonly ownNames: ReadonlySet<string>;
}

/** The title of all built-in kinds' documents. */
export const builtInInfo = { title: "Kubernetes", version: "1.36" } as const;
const customInfo = { title: "Kubernetes CRD Swagger", version: "v0.1.0" } as const;
/** How clients log in. */
export const securitySchemes = {
  BearerToken: {
    type: "apiKey",
    description: "Bearer Token authentication",
    name: "authorization",
    in: "header",
  },
} as const;

/** By the resources that a document is about: those of a group's version change as one list. */
const made = new WeakMap<
  readonly ResourceData[],
  { readonly resources: readonly Resource[]; readonly document: OpenApiDocument }
>();

/** The documents of a server. */
export class OpenApiDocuments {
  readonly #registry: ResourceRegistry;
  readonly #data: OpenApiData;

  constructor(registry: ResourceRegistry, data: OpenApiData) {
    this.#registry = registry;
    this.#data = data;
  }

  /** `/openapi/v3`: where each document is. */
  index(): string {
    const paths = this.#roots().map((root): [string, object] => {
      const hash = this.#atRoot(root)?.hash ?? "";
      return [root, { serverRelativeURL: `/openapi/v3/${root}?hash=${hash}` }];
    });
    return JSON.stringify({ paths: Object.fromEntries(paths) });
  }

  /** The document at a path below `/openapi/v3`; undefined where there is none. */
  at(path: string): OpenApiDocument | undefined {
    return this.#atRoot(path.slice("/openapi/v3/".length));
  }

  /** The parts of every document, for version 2. */
  parts(): readonly Parts[] {
    return this.#roots().flatMap((root) => this.#partsAt(root) ?? []);
  }

  #roots(): readonly string[] {
    const versions = Object.keys(this.#registry.data.resources);
    const isBuiltIn = ({ apiVersion, form }: Resource): boolean => apiVersion.includes("/") && form === undefined;
    const groups = new Set(this.#registry.resources.filter(isBuiltIn).map(({ group }) => `apis/${group}`));
    return ["api", "apis", "version", ...groups, ...versions.map(rootOf)].sort();
  }

  #atRoot(root: string): OpenApiDocument | undefined {
    const listed = this.#registry.data.resources[groupVersionOf(root)];
    if (listed === undefined) return documentOf(this.#partsAt(root));
    const resources = this.#resourcesOf(groupVersionOf(root));
    const known = made.get(listed);
    // A kind that is served anew has the same place in discovery, and maybe another schema.
    if (known !== undefined && known.resources.every((resource, index) => resource === resources[index]))
      return known.document;
    const document = documentOf(this.#partsAt(root));
    if (document !== undefined) made.set(listed, { resources, document });
    return document;
  }

  #resourcesOf(groupVersion: string): readonly Resource[] {
    return this.#registry.resources.filter(({ apiVersion }) => apiVersion === groupVersion);
  }

  #partsAt(root: string): Parts | undefined {
    const groupVersion = groupVersionOf(root);
    const entries = this.#registry.data.resources[groupVersion];
    if (entries === undefined) return this.#generalPartsAt(root);
    const resources = this.#resourcesOf(groupVersion);
    const [group, version] = groupVersion.includes("/") ? groupVersion.split("/") : ["", groupVersion];
    const subject = { group: group ?? "", version: version ?? "", data: this.#data };
    const own = new Map(resources.flatMap(({ form }) => [...(form?.openApi() ?? [])]));
    const isCustom = own.size > 0;
    const listed = entries.flatMap((data): readonly Listed[] => {
      const resource = resources.find(({ plural }) => plural === data.name.split("/")[0]);
      const of = resource?.kind ?? data.kind;
      const listKind = resource?.form?.listKind ?? `${of}List`;
      // A Namespace is returned while it is finalized; its documents do not say so.
      const returnsDeletedObject = resource?.strategy.returnsDeletedObject === true && of !== "Namespace";
      return [{ ...subject, data, of, listKind, isCustom, returnsDeletedObject }];
    });
    const paths = {
      ...(isCustom ? {} : { [`/${root}/`]: this.#general(root, `${groupWord(subject.group)}_${subject.version}`) }),
      ...pathsOf(listed, { ...subject, isCustom }),
    };
    const schemas = schemasFor(referencesIn(paths), { ...subject, own });
    return { paths, schemas, ownNames: new Set(own.keys()) };
  }

  /** What is about no version: `api`, `apis/apps`, `version`. */
  #generalPartsAt(root: string): Parts | undefined {
    if (!this.#roots().includes(root)) return undefined;
    const group = root.startsWith("apis/") ? root.slice("apis/".length) : undefined;
    const tag = group === undefined ? (root === "api" ? "core" : root) : groupWord(group);
    const paths = { [`/${root}/`]: this.#general(root, tag) };
    const schemas = schemasFor(referencesIn(paths), { data: this.#data, own: new Map(), group: "", version: "" });
    return { paths, schemas, ownNames: new Set() };
  }

  #general(root: string, tag: string): PathItem {
    const [description, operationId, schema, isJson] = generalOperation(root, tag);
    const types = ["application/json", ...(isJson ? [] : ["application/vnd.kubernetes.protobuf", "application/yaml"])];
    const content = Object.fromEntries(types.map((type) => [type, { schema: { ...referenceTo(schema) } }]));
    const responses = { "200": { description: "OK", content }, "401": { description: "Unauthorized" } };
    return { get: { tags: [tag], description, operationId, responses } };
  }
}

const meta = "io.k8s.apimachinery.pkg.apis.meta.v1";

function generalOperation(root: string, tag: string): readonly [string, string, string, boolean?] {
  const word = tag.charAt(0).toUpperCase() + tag.slice(1).replace(/_(.)/, (_, first: string) => first.toUpperCase());
  if (root === "version")
    return [
      "get the version information for this server",
      "getCodeVersion",
      "io.k8s.apimachinery.pkg.version.Info",
      true,
    ];
  if (root === "api") return ["get available API versions", "getCoreAPIVersions", `${meta}.APIVersions`];
  if (root === "apis") return ["get available API versions", "getAPIVersions", `${meta}.APIGroupList`];
  return groupVersionOf(root).includes("/") || root.startsWith("api/")
    ? ["get available resources", `get${word}APIResources`, `${meta}.APIResourceList`]
    : ["get information of a group", `get${word}APIGroup`, `${meta}.APIGroup`];
}

function rootOf(groupVersion: string): string {
  return groupVersion.includes("/") ? `apis/${groupVersion}` : `api/${groupVersion}`;
}

function groupVersionOf(root: string): string {
  const [, groupVersion = ""] = /^apis?\/(.+)$/.exec(root) ?? [];
  return groupVersion;
}

function documentOf(parts: Parts | undefined): OpenApiDocument | undefined {
  if (parts === undefined) return undefined;
  const { paths, schemas, ownNames } = parts;
  const isCustom = ownNames.size > 0;
  const info = isCustom ? customInfo : builtInInfo;
  const components = isCustom ? { schemas } : { schemas, securitySchemes };
  const text = JSON.stringify({ openapi: "3.0.0", info, paths, components });
  return { text, hash: contentHash(text) };
}
