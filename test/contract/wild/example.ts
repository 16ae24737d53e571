/** A valid object of a kind, from which wild ones are made. */
export type Json = Record<string, unknown>;

export interface Example {
  readonly apiVersion: string;
  readonly plural: string;
  readonly namespaced: boolean;
  /** The object without metadata.name. */
  readonly body: Json;
  /** The name, if the kind requires a certain form: `{n}` is replaced by the usual name. */
  readonly name?: string;
  /** Only creations are tested, because control loops of the real server write to existing objects. */
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
