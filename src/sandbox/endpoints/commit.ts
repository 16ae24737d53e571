/** The last phase of a write. */
import type { RequestScope } from "../context/server.ts";
import type { ApiObject } from "../meta/object.ts";
import { refusal } from "../meta/refusal.ts";
import { finished } from "../serialization/decode.ts";
import { Entry } from "../storage/entry.ts";
import { RequestTooLarge } from "../storage/store.ts";

/** The object in its stored form: fields in schema order, without empty ones. */
export function storedForm({ resource, server }: RequestScope, object: ApiObject): ApiObject {
  return finished(resource.form?.stored(object) ?? object, resource.struct, server.registry.schema);
}

/** An object to commit. */
export interface Commit {
  /** In its stored form; the entry takes it over. */
  readonly object: ApiObject;
  /** The revision in a dry run's response. */
  readonly dryRunRevision: number | "as sent";
  readonly isDefaultedOnRead?: boolean;
}

/** Stores an object under the next revision; a dry run stores nothing. @throws StatusError 500 if the object is too large. */
export function commit(scope: RequestScope, write: Commit): Entry {
  const { dryRun, server, collection } = scope;
  const { object, dryRunRevision, isDefaultedOnRead } = write;
  if (dryRun) return new Entry(object, dryRunRevision);
  try {
    return server.store.put(collection, object, isDefaultedOnRead);
  } catch (cause) {
    if (!(cause instanceof RequestTooLarge)) throw cause;
    return commitWithoutManagers(scope, { write, cause });
  }
}

/** The maximum request size of etcd's client. */
const maxSentBytes = 2 * 1024 * 1024;

/** Managed fields can be large and are expendable: the real server retries without them. Not for an apply, which needs them. */
function commitWithoutManagers(
  scope: RequestScope,
  { write, cause }: { readonly write: Commit; readonly cause: RequestTooLarge },
): Entry {
  const { bytes, message } = cause;
  const { metadata } = write.object;
  const isApply = (scope.headers["content-type"] ?? "").startsWith("application/apply-patch");
  if (metadata.managedFields !== undefined && !isApply) {
    delete metadata.managedFields;
    return commit(scope, write);
  }
  const notSent = `rpc error: code = ResourceExhausted desc = trying to send message larger than max (${bytes} vs. ${maxSentBytes})`;
  throw refusal(500, "", bytes > maxSentBytes ? notSent : message);
}
