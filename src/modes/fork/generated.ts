/** Objects whose names the server made up: two of them are the same by their owner and by what their names begin with. */
import type { StoredObject } from "../../api/object.ts";

/** Undefined for an object with a name of its own. */
export function generatedAs({ metadata }: StoredObject): string | undefined {
  const { generateName = "", namespace = "", ownerReferences = [] } = metadata;
  if (generateName === "") return undefined;
  const owner = ownerReferences.find(({ controller }) => controller === true)?.uid ?? "";
  return `${namespace}/${generateName} ${owner}`;
}
