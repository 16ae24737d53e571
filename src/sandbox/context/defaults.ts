/** Defaults, which are set before anything else uses an object. */
import type { RequestScope } from "./server.ts";
import { canonicalize } from "../meta/canonical.ts";
import type { ApiObject } from "../meta/object.ts";

/** Sets the kind's defaults, and brings all fields into their stored form. */
export function applyDefaults({ resource, server }: RequestScope, object: ApiObject): void {
  resource.strategy.setDefaults?.(object);
  if (resource.struct !== undefined) canonicalize(object, resource.struct, server.registry.schema);
}
