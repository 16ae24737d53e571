/** Copies objects of another server to this one, and follows their changes and deletions. */
import type { Server } from "../context/server.ts";
import { whole } from "./loading.ts";

/** The location of an object of a known resource. */
export interface CopyPlace {
  readonly server: Server;
  readonly collection: ReturnType<Server["store"]["collection"]>;
}

/**
 * Adds objects that do not exist yet, without events, under one new revision, from which watches of the collection can start. Returns that
 * revision.
 */
export function loadCopies({ server, collection }: CopyPlace, objects: readonly object[]): number {
  const revision = server.store.revision + 1;
  for (const object of objects) server.store.load(collection, copyOf(server, object), revision);
  return revision;
}

/** Adds or replaces an object under the next revision, with an event. Returns the revision. @throws RequestTooLarge. */
export function putCopy({ server, collection }: CopyPlace, object: object): number {
  return server.store.put(collection, copyOf(server, object)).revision;
}

/** Removes an object under the next revision, with an event; does nothing if it does not exist. */
export function removeCopy(
  { server, collection }: CopyPlace,
  { namespace, name }: { readonly namespace: string; readonly name: string },
): void {
  const entry = collection.get(namespace, name);
  if (entry !== undefined) server.store.remove(collection, structuredClone(entry.object));
}

/** The resourceVersions of the other server mean nothing here. */
function copyOf(server: Server, object: object): ReturnType<typeof whole> {
  const copy = whole(server, object);
  delete copy.metadata.resourceVersion;
  return copy;
}
