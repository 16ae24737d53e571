/** Objects whose names the server made up: two of them are the same by their owner and by what their names begin with. */
import { generatedPrefix } from "../../api/generated-name.ts";
import type { StoredObject } from "../../api/object.ts";

/** Undefined for an object with a name of its own. */
export function generatedAs({ metadata }: StoredObject): string | undefined {
  const { namespace = "", ownerReferences = [] } = metadata;
  const prefix = generatedPrefix(metadata);
  if (prefix === undefined) return undefined;
  const owner = ownerReferences.find(({ controller }) => controller === true)?.uid ?? "";
  return `${namespace}/${prefix} ${owner}`;
}
