/** An OpenAPI document, and its parts. */
import { contentHash } from "../../../platform/content-hash.ts";
import type { OpenApiSchema } from "./data.ts";
import type { PathItem } from "./paths.ts";

/** An OpenAPI document. */
export interface OpenApiDocument {
  readonly text: string;
  /** A hash of the text, which clients cache the document by. */
  readonly hash: string;
}

/** A document before serialization. */
export interface Parts {
  readonly paths: Readonly<Record<string, PathItem>>;
  readonly schemas: Readonly<Record<string, OpenApiSchema>>;
  /** The schema names of custom resources; empty in a document about built-in kinds. */
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

/** A document of version 3. */
export function documentOf({ paths, schemas, ownNames }: Parts): OpenApiDocument {
  const isCustom = ownNames.size > 0;
  const info = isCustom ? customInfo : builtInInfo;
  const some = Object.keys(schemas).length === 0 ? {} : { schemas };
  const components = isCustom ? some : { ...some, securitySchemes };
  const text = JSON.stringify({ openapi: "3.0.0", info, paths, components });
  return { text, hash: contentHash(text) };
}
