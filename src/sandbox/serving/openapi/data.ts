/** What the OpenAPI documents of built-in kinds are made of: `schemas.json`, extracted from a real kube-apiserver 1.36.3. */

/** A kind as schemas name it. */
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
  /** By name (`io.k8s.api.core.v1.Pod`), those of all groups. */
  readonly schemas: Readonly<Record<string, OpenApiSchema>>;
  /**
   * By name; where an action or a kind has one of its own, that stands before it: `patch fieldManager`, `PodExecOptions container`.
   * Those of the path: `path namespace`.
   */
  readonly parameters: Readonly<Record<string, OpenApiParameter>>;
}

/** Reads the data, 1 MB. */
export async function readOpenApiData(): Promise<OpenApiData> {
  const module = await import("./schemas.json", { with: { type: "json" } });
  // The compiler's own type of a literal of this size is of no use.
  return module.default as unknown as OpenApiData;
}
