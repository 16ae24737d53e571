import { parseServerVersion, type ServerVersion } from "../../api/server-version.ts";
import type { RawClient } from "./discovery.ts";

/** The version that the server reports. @throws StatusError, TransportError. */
export async function serverVersion(client: RawClient): Promise<ServerVersion> {
  return parseServerVersion(await client.raw("/version"));
}
