/** A valid object of a kind, from which wild ones are made. */
export type Json = Record<string, unknown>;

export interface Example {
  readonly apiVersion: string;
  readonly plural: string;
  readonly namespaced: boolean;
  /** Without metadata.name. */
  readonly body: Json;
  /** Where the name must be something else: `{n}` is the name that it would have. */
  readonly name?: string;
  /** Only new objects are tried: the real server's own loops write to those that are there. */
  readonly newOnly?: true;
}

export const namespaced = (apiVersion: string, plural: string, body: Json): Example => ({
  apiVersion,
  plural,
  namespaced: true,
  body,
});

export const clusterWide = (
  apiVersion: string,
  plural: string,
  body: Json,
  more: Pick<Example, "name" | "newOnly"> = {},
): Example => ({ apiVersion, plural, namespaced: false, body, ...more });
