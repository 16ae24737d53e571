/** The last phase of a write. */
import type { RequestScope } from "../context/server.ts";
import type { ApiObject } from "../meta/object.ts";
import { finished } from "../serialization/decode.ts";
import { Entry } from "../storage/entry.ts";

/** The object as it is stored: fields in the schema's order, without empty ones. */
export function storedForm({ resource, server }: RequestScope, object: ApiObject): ApiObject {
  return finished(resource.form?.stored(object) ?? object, resource.struct, server.registry.schema);
}

/** What is committed. */
export interface Commit {
  /** In its stored form; it belongs to the entry from now on. */
  readonly object: ApiObject;
  /** The revision that a dry run responds with. */
  readonly dryRunRevision: number;
  readonly isDefaultedOnRead?: boolean;
}

/** Stores an object under the next revision; a dry run stores nothing. */
export function commit({ dryRun, server, collection }: RequestScope, write: Commit): Entry {
  const { object, dryRunRevision, isDefaultedOnRead } = write;
  return dryRun ? new Entry(object, dryRunRevision) : server.store.put(collection, object, isDefaultedOnRead);
}
