/** The last phase of a write. */
import type { RequestScope } from "../context/server.ts";
import type { ApiObject } from "../meta/object.ts";
import { finished } from "../serialization/decode.ts";
import { Entry } from "../storage/entry.ts";

/** The object as it is stored: fields in the schema's order, without empty ones. */
export function storedForm({ resource, server }: RequestScope, object: ApiObject): ApiObject {
  return finished(object, resource.struct, server.registry.schema);
}

/** What a commit has to know beside the object. */
export interface CommitOptions {
  /** The revision that a dry run responds with. */
  readonly dryRunRevision: number;
  readonly isDefaultedOnRead?: boolean;
}

/** Stores an object in its stored form under the next revision; a dry run stores nothing. The object belongs to the entry. */
export function commit(scope: RequestScope, object: ApiObject, options: CommitOptions): Entry {
  const { dryRun, server, collection } = scope;
  if (dryRun) return new Entry(object, options.dryRunRevision);
  return server.store.put(collection, object, options.isDefaultedOnRead);
}
