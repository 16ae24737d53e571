/** The stored CustomResourceDefinitions, for the controllers of their status. */
import { sendLoopback } from "../serving/loopback.ts";
import type { Server } from "../context/server.ts";
import type { Collection } from "../storage/collection.ts";
import { copyOf, type ApiObject } from "../meta/object.ts";

/** The collection of definitions. */
export function definitionsOf({ store }: Server): Collection {
  return store.collection("customresourcedefinitions.apiextensions.k8s.io", false);
}

/** A copy of a definition; undefined if it is gone. */
export function definitionNamed(server: Server, name: string): ApiObject | undefined {
  const entry = definitionsOf(server).get("", name);
  return entry === undefined ? undefined : copyOf(entry.object);
}

/** Writes the status and finalizers of a definition, as the server itself; undefined if it was changed or deleted meanwhile. */
export function writeStatus(server: Server, definition: ApiObject): ApiObject | undefined {
  const { status, text } = sendLoopback(server, {
    method: "PUT",
    path: `/apis/apiextensions.k8s.io/v1/customresourcedefinitions/${definition.metadata.name ?? ""}/status`,
    body: definition,
  });
  // It is the JSON of an ApiObject.
  return status === 200 ? (JSON.parse(text) as ApiObject) : undefined;
}
