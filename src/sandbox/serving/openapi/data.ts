/** The source of the OpenAPI documents for built-in kinds: `schemas.json`, extracted from a real kube-apiserver 1.36.3. */

/** A group, version and kind, as in schemas. */
export interface GroupVersionKind {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
}

/** A schema of OpenAPI v3. */
export interface OpenApiSchema {
  readonly [name: string]: unknown;
  readonly "x-kubernetes-group-version-kind"?: readonly GroupVersionKind[];
}

/** A parameter of an operation. */
export interface OpenApiParameter {
  readonly name: string;
  readonly in: "path" | "query";
  readonly description: string;
  readonly required?: boolean;
  readonly schema: object;
}

/** The extracted data. */
export interface OpenApiData {
  /** Schemas of all groups, by name (`io.k8s.api.core.v1.Pod`). */
  readonly schemas: Readonly<Record<string, OpenApiSchema>>;
  /**
   * By name; a prefix names the action or kind if it has a variant: `patch fieldManager`, `PodExecOptions container`.
   * Path parameters: `path namespace`.
   */
  readonly parameters: Readonly<Record<string, OpenApiParameter>>;
}

/** Reads the data, 1 MB. */
export async function readOpenApiData(): Promise<OpenApiData> {
  const module = await import("./schemas.json", { with: { type: "json" } });
  // The type that the compiler infers for a literal of this size is useless.
  return module.default as unknown as OpenApiData;
}
