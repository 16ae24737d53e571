/** What a ResourceQuota counts. */
import type { ObjectMeta } from "../object.ts";

/** What is counted: a resource of a group, whatever its version. */
export interface CountedResource {
  readonly group: string;
  readonly plural: string;
}

/** An object of such a resource; the resource says which fields it has. */
export interface Countable {
  readonly metadata: ObjectMeta;
}
