import type { Client } from "../../src/client/api/verbs.ts";

/** `v1.36.3`, as reported by the server. @throws StatusError, TransportError. */
export async function serverVersion(client: Client): Promise<string> {
  // Source: apimachinery version.Info.
  const { gitVersion } = (await client.raw("/version")) as { readonly gitVersion?: string };
  return gitVersion ?? "unknown version";
}
