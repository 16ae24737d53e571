/** Objects that a server has stored, among all that bodies hold. */
import type { StoredObject } from "../../api/object.ts";
import { isObject } from "../../api/json.ts";
import type { Json } from "./bodies.ts";

/** What an object's `metadata` may hold; nothing of it is sure to be there. */
export function metadataOf(object: Json | undefined): Partial<StoredObject["metadata"]> {
  const metadata = object?.["metadata"];
  // A server's own JSON; of a process's only texts are read, which are checked.
  return isObject(metadata) ? metadata : {};
}

/** Whether it is an object that a server has stored, as opposed to a `Status`, a review or a table. */
export function isStored(object: Json | undefined): object is Json & StoredObject {
  const { name, uid, resourceVersion } = metadataOf(object);
  return typeof name === "string" && typeof uid === "string" && typeof resourceVersion === "string";
}
