/** What the server fills in before anything looks at an object. */
import type { RequestScope } from "./server.ts";
import { canonicalize } from "../meta/canonical.ts";
import type { ApiObject } from "../meta/object.ts";

/** Fills in the kind's defaults, and puts all fields into the form that they are stored in. */
export function applyDefaults({ resource, server }: RequestScope, object: ApiObject): void {
  resource.strategy.setDefaults?.(object);
  if (resource.struct !== undefined) canonicalize(object, resource.struct, server.registry.schema);
}
