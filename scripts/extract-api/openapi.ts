/** What all OpenAPI v3 documents of a server share: each schema once, each parameter once. */
import type { OpenApiData, OpenApiParameter, OpenApiSchema } from "../../src/sandbox/serving/openapi/data.ts";

/** The document of version 2, the source of the kinds of `DeleteOptions` and `WatchEvent`: version 3 has those of one group. */
export interface Swagger {
  readonly definitions: Readonly<Record<string, OpenApiSchema>>;
}

/** An OpenAPI v3 document, as far as it is read here. */
export interface OpenApiDocument {
  readonly paths?: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  readonly components?: { readonly schemas?: Readonly<Record<string, OpenApiSchema>> };
}

interface Operation {
  readonly parameters?: readonly OpenApiParameter[];
  readonly "x-kubernetes-action"?: string;
  readonly "x-kubernetes-group-version-kind"?: { readonly kind: string };
}

const gvk = "x-kubernetes-group-version-kind";

/**
 * The schemas by name, and the parameters by name: those that differ for a single action or kind have it as a prefix (`patch fieldManager`,
 * `PodExecOptions container`).
 */
export function openApiData(documents: readonly OpenApiDocument[], { definitions }: Swagger): OpenApiData {
  const schemas: Record<string, OpenApiSchema> = {};
  for (const { components } of documents) {
    for (const [name, schema] of Object.entries(components?.schemas ?? {})) {
      const kinds = definitions[name]?.[gvk];
      schemas[name] ??= kinds === undefined ? schema : { ...schema, [gvk]: kinds };
    }
  }
  return { schemas, parameters: parametersOf(documents) };
}

function parametersOf(documents: readonly OpenApiDocument[]): Record<string, OpenApiParameter> {
  const parameters: Record<string, OpenApiParameter> = {};
  const add = (parameter: OpenApiParameter, prefix: string): void => {
    // Of a kind that the path names.
    if (parameter.in === "path" && parameter.name === "name") return;
    const key = parameter.in === "path" ? `path ${parameter.name}` : parameter.name;
    if (prefix === "") parameters[key] ??= parameter;
    else if (JSON.stringify(parameters[key]) !== JSON.stringify(parameter)) parameters[`${prefix} ${key}`] = parameter;
  };
  const paths = documents.flatMap((document) => Object.entries(document.paths ?? {}));
  // What is the same everywhere first, so only the others need a separate name.
  for (const special of [false, true]) {
    for (const [path, item] of paths) {
      const shared = (item["parameters"] ?? []) as readonly OpenApiParameter[];
      for (const [method, value] of Object.entries(item)) {
        if (method === "parameters") continue;
        const operation = value as Operation;
        const isConnect = operation["x-kubernetes-action"] === "connect";
        const isLog = path.endsWith("/log");
        const isPatch = method === "patch" && !isConnect;
        if ((isConnect || isLog || isPatch) !== special) continue;
        const kind = operation[gvk]?.kind ?? "";
        const prefix = !special ? "" : isConnect ? kind : isLog ? "PodLogOptions" : "patch";
        for (const parameter of [...shared, ...(operation.parameters ?? [])]) add(parameter, prefix);
      }
    }
  }
  return parameters;
}
