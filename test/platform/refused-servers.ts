/**
 * Prints, as JSON, what a client does with servers whose certificate it must refuse. It is a separate program because a runtime reads
 * NODE_TLS_REJECT_UNAUTHORIZED when it starts. The argument is a `RefusalScene` as JSON.
 */
import process from "node:process";
import { openHttp } from "../../src/platform/open-http.ts";
import { openNodeHttp } from "../../src/platform/http-node.ts";
import type { HttpSettings } from "../../src/platform/http.ts";

export interface RefusalScene {
  readonly url: string;
  /** The authority that signed the server's certificate, and another one. */
  readonly ca: string;
  readonly strangerCa: string;
  /** `http://127.0.0.1:PORT`, a proxy that supports CONNECT. */
  readonly proxy: string;
}

async function outcome(open: typeof openHttp, settings: HttpSettings, url: string): Promise<string> {
  const client = open(settings);
  try {
    const headers = { authorization: "Bearer secret" };
    const signal = AbortSignal.timeout(60_000);
    const { body } = await client.send({ method: "GET", url, headers, signal, stream: false });
    const { serverName } = JSON.parse(new TextDecoder().decode(await body.next())) as { serverName: string };
    return `answered as ${JSON.stringify(serverName)}`;
  } catch (error) {
    return (error as { failure?: string }).failure ?? String(error);
  } finally {
    client.close();
  }
}

const { url, ca, strangerCa, proxy } = JSON.parse(process.argv[2] ?? "") as RefusalScene;
const cases: Readonly<Record<string, HttpSettings>> = {
  "its own authority": { tls: { ca } },
  insecure: { tls: { insecure: true } },
  "no authority": { tls: {} },
  "another authority": { tls: { ca: strangerCa } },
  "another server name": { tls: { ca, serverName: "api.test" } },
  "another authority and a server name": { tls: { ca: strangerCa, serverName: "localhost" } },
  "another authority, by proxy": { tls: { ca: strangerCa }, proxy },
  "no authority, by proxy": { tls: {}, proxy },
  "another server name, by proxy": { tls: { ca, serverName: "api.test" }, proxy },
  "its own authority, by proxy": { tls: { ca }, proxy },
  "its own authority and a server name": { tls: { ca, serverName: "localhost" } },
};
const outcomes: Record<string, string> = {};
for (const [name, settings] of Object.entries(cases)) {
  outcomes[name] = await outcome(openHttp, settings, url);
  outcomes[`${name}, node:https`] = await outcome(openNodeHttp, settings, url);
}
const named = new URL(url);
named.hostname = "localhost";
outcomes["by name and proxy, node:https"] = await outcome(openNodeHttp, { tls: { ca }, proxy }, named.href);
console.log(JSON.stringify(outcomes));
process.exit(0);
