/** The code for OpenAPI documents, loaded with its data when a document is first requested. */
import { lazyModule } from "../../meta/lazy-module.ts";
import { type Steps, waitFor } from "../../meta/steps.ts";
import type { ResourceRegistry } from "../../registry/resource.ts";
import { readOpenApiData, type OpenApiData } from "./data.ts";
import type { OpenApiDocuments } from "./documents.ts";

interface Maker {
  readonly documentsOf: (registry: ResourceRegistry, data: OpenApiData) => OpenApiDocuments;
  readonly data: OpenApiData;
}

const maker = lazyModule(async (): Promise<Maker> => {
  const [{ documentsOf }, data] = await Promise.all([import("./documents.ts"), readOpenApiData()]);
  return { documentsOf, data };
}, "what makes OpenAPI documents");

/** The current documents of a server. */
export function* openApiOf(registry: ResourceRegistry): Steps<OpenApiDocuments> {
  const ready = maker.ready();
  if (ready !== undefined) yield* waitFor(ready);
  const { documentsOf, data } = maker.get();
  return documentsOf(registry, data);
}
