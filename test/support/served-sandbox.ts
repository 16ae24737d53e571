/** A sandbox behind HTTPS with a kubeconfig on disk, for tests of the program and of what it reads. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { seededRandom } from "../../src/platform/random.ts";
import { realTimeline } from "../../src/platform/real-timeline.ts";
import { serveSandbox } from "../../src/sandbox/https.ts";
import { createSandbox } from "../../src/sandbox/sandbox.ts";

export interface ServedSandbox {
  /** A folder of its own, for what a test writes; `stop` removes it. */
  readonly dir: string;
  /** The path of the kubeconfig in it. */
  readonly kubeconfig: string;
  readonly token: string;
  /** Asks the server as its administrator; a PATCH is a merge patch. */
  send(method: string, path: string, body: object): Promise<Response>;
  stop(): Promise<void>;
}

/** @param namespace of the context. */
export async function servedSandbox(namespace?: string): Promise<ServedSandbox> {
  const dir = mkdtempSync(join(tmpdir(), "served-"));
  const sandbox = await createSandbox({ timeline: realTimeline(), random: seededRandom(1) });
  const https = await serveSandbox(sandbox);
  const kubeconfig = join(dir, "config");
  writeFileSync(kubeconfig, https.kubeconfig(namespace));
  return {
    dir,
    kubeconfig,
    token: https.token,
    send(method, path, body) {
      const headers = {
        authorization: `Bearer ${https.token}`,
        "content-type": method === "PATCH" ? "application/merge-patch+json" : "application/json",
      };
      const request = { method, headers, body: JSON.stringify(body), tls: { ca: https.ca } };
      return fetch(https.url + path, request);
    },
    async stop() {
      sandbox.stop();
      await https.close();
      rmSync(dir, { recursive: true, force: true });
    },
  };
}
