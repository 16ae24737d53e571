/** Matches objects with generated names by their owner and name prefix. */
import { generatedPrefix } from "../../api/generated-name.ts";
import type { StoredObject } from "../../api/object.ts";

/** A text that is equal for objects with the same namespace, owner and generateName; undefined if the name was not generated. */
export function generatedAs({ metadata }: StoredObject): string | undefined {
  const { namespace = "", ownerReferences = [] } = metadata;
  const prefix = generatedPrefix(metadata);
  if (prefix === undefined) return undefined;
  const owner = ownerReferences.find(({ controller }) => controller === true)?.uid ?? "";
  return `${namespace}/${prefix} ${owner}`;
}
