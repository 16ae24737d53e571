/** A valid object of a kind, which is then changed at random. */
export type Json = Record<string, unknown>;

export interface Example {
  readonly apiVersion: string;
  readonly plural: string;
  readonly namespaced: boolean;
  /** Without metadata.name. */
  readonly body: Json;
  /** Pattern for kinds with special names: `{n}` is the name that it would have otherwise. */
  readonly name?: string;
  /** Whether only creates are tested, because the real server's own loops write to existing objects. */
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
