/** Distinguishes stored objects from other contents of bodies. */
import type { StoredObject } from "../../api/object.ts";
import { isObject } from "../../api/json.ts";
import type { Json } from "./bodies.ts";

/** The `metadata` of an object; any field may be missing. */
export function metadataOf(object: Json | undefined): Partial<StoredObject["metadata"]> {
  const metadata = object?.["metadata"];
  // The server's JSON is trusted; of the process's JSON only strings are used, which are checked.
  return isObject(metadata) ? metadata : {};
}

/** Whether this is a stored object, as opposed to a `Status`, a review or a table. */
export function isStored(object: Json | undefined): object is Json & StoredObject {
  const { name, uid, resourceVersion } = metadataOf(object);
  return typeof name === "string" && typeof uid === "string" && typeof resourceVersion === "string";
}
