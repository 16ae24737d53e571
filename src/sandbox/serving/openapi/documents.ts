/**
 * `/openapi/v3`: one document per group and version, with its schemas and operations. Source: apiserver v0.36 pkg/server/routes/openapi.go,
 * k8s.io/kube-openapi pkg/handler3/handler.go, pkg/builder3/openapi.go.
 */
import type { ResourceData } from "../../../api/wire/format.ts";
import type { Resource, ResourceRegistry } from "../../registry/resource.ts";
import type { OpenApiData } from "./data.ts";
import { documentOf, type OpenApiDocument, type Parts } from "./document.ts";
import { generalPath, groupVersionOf, openIdPaths } from "./general-paths.ts";
import type { Listed } from "./resource-paths.ts";
import { groupWord, pathsOf } from "./paths.ts";
import { swaggerProtobuf } from "./swagger-protobuf.ts";
import { swaggerOf } from "./swagger.ts";
import { referencesIn, schemasFor } from "./schemas.ts";

/** By the resources of a document: the list of a group version's resources is replaced when it changes. */
const ofVersion = new WeakMap<
  readonly ResourceData[],
  { readonly resources: readonly Resource[]; readonly document: OpenApiDocument }
>();

/** By all resources of a server: the list is replaced when a kind is added or removed. */
const ofServer = new WeakMap<readonly Resource[], OpenApiDocuments>();

/** The current documents of a server, created on first request. */
export function documentsOf(registry: ResourceRegistry, data: OpenApiData): OpenApiDocuments {
  const known = ofServer.get(registry.resources);
  if (known !== undefined) return known;
  const documents = new OpenApiDocuments(registry, data);
  ofServer.set(registry.resources, documents);
  return documents;
}

/** The documents of a server for an unchanged set of kinds. */
export class OpenApiDocuments {
  readonly #registry: ResourceRegistry;
  readonly #data: OpenApiData;
  readonly #generalDocuments = new Map<string, OpenApiDocument>();
  #index: string | undefined;
  #swagger: OpenApiDocument | undefined;
  #swaggerProtobuf: Uint8Array | undefined;

  constructor(registry: ResourceRegistry, data: OpenApiData) {
    this.#registry = registry;
    this.#data = data;
  }

  /** `/openapi/v3`: the paths of all documents. */
  get index(): string {
    this.#index ??= this.#indexed();
    return this.#index;
  }

  /** `/openapi/v2`: one document about everything. */
  get swagger(): OpenApiDocument {
    this.#swagger ??= swaggerOf(
      this.#roots().flatMap((root) => this.#partsAt(root) ?? []),
      this.#data,
    );
    return this.#swagger;
  }

  /** The same in protobuf. */
  get swaggerProtobuf(): Uint8Array {
    this.#swaggerProtobuf ??= swaggerProtobuf(this.swagger.text);
    return this.#swaggerProtobuf;
  }

  /** The document at a path below `/openapi/v3`; undefined if there is none. */
  at(path: string): OpenApiDocument | undefined {
    return this.#atRoot(path.slice("/openapi/v3/".length));
  }

  #indexed(): string {
    const paths = this.#roots().map((root): [string, object] => {
      const hash = this.#atRoot(root)?.hash ?? "";
      return [root, { serverRelativeURL: `/openapi/v3/${root}?hash=${hash}` }];
    });
    return JSON.stringify({ paths: Object.fromEntries(paths) });
  }

  #roots(): readonly string[] {
    const versions = Object.keys(this.#registry.data.resources);
    const isBuiltIn = ({ apiVersion, form }: Resource): boolean => apiVersion.includes("/") && form === undefined;
    const groups = new Set(this.#registry.resources.filter(isBuiltIn).map(({ group }) => `apis/${group}`));
    return ["api", "apis", "version", ...Object.keys(openIdPaths), ...groups, ...versions.map(rootOf)].sort();
  }

  #atRoot(root: string): OpenApiDocument | undefined {
    const listed = this.#registry.data.resources[groupVersionOf(root)];
    if (listed === undefined) return this.#generalAt(root);
    const resources = this.#resourcesOf(groupVersionOf(root));
    const known = ofVersion.get(listed);
    // A replaced kind has the same place in discovery, but may have another schema.
    if (known !== undefined && known.resources.every((resource, index) => resource === resources[index]))
      return known.document;
    const parts = this.#partsAt(root);
    if (parts === undefined) return undefined;
    const document = documentOf(parts);
    ofVersion.set(listed, { resources, document });
    return document;
  }

  #generalAt(root: string): OpenApiDocument | undefined {
    const known = this.#generalDocuments.get(root);
    if (known !== undefined) return known;
    const parts = this.#generalPartsAt(root);
    if (parts === undefined) return undefined;
    const document = documentOf(parts);
    this.#generalDocuments.set(root, document);
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
      // Deleting a Namespace returns it; its OpenAPI documents do not say so.
      const returnsDeletedObject = resource?.strategy.returnsDeletedObject === true && of !== "Namespace";
      return [{ ...subject, data, of, listKind, isCustom, returnsDeletedObject }];
    });
    const paths = {
      ...(isCustom ? {} : { [`/${root}/`]: generalPath(root, `${groupWord(subject.group)}_${subject.version}`) }),
      ...pathsOf(listed, { ...subject, isCustom }),
    };
    const schemas = schemasFor(referencesIn(paths), { ...subject, own });
    return { paths, schemas, ownNames: new Set(own.keys()) };
  }

  /** Documents outside of versions: `api`, `apis/apps`, `version`, `openid/v1/jwks`. */
  #generalPartsAt(root: string): Parts | undefined {
    if (!this.#roots().includes(root)) return undefined;
    const group = root.startsWith("apis/") ? root.slice("apis/".length) : undefined;
    const tag = group === undefined ? (root === "api" ? "core" : root) : groupWord(group);
    const paths = { [`/${root}/`]: openIdPaths[root] ?? generalPath(root, tag) };
    const schemas = schemasFor(referencesIn(paths), { data: this.#data, own: new Map(), group: "", version: "" });
    return { paths, schemas, ownNames: new Set() };
  }
}

function rootOf(groupVersion: string): string {
  return groupVersion.includes("/") ? `apis/${groupVersion}` : `api/${groupVersion}`;
}
