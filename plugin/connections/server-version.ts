import { parseServerVersion, type ServerVersion } from "../../src/api/server-version.ts";
import type { Client } from "../../src/client/api/verbs.ts";

/** The version that the server reports. @throws StatusError, TransportError. */
export async function serverVersion(client: Client): Promise<ServerVersion> {
  return parseServerVersion(await client.raw("/version"));
}
