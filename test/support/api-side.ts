/** An API server with an audit log and a complete kubeconfig for it: the sandbox, or a real kube-apiserver. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { kubeconfigText } from "../../src/api/kubeconfig-text.ts";
import { seededRandom } from "../../src/platform/random.ts";
import { realTimeline } from "../../src/platform/real-timeline.ts";
import { metadataPolicy } from "../../src/sandbox/audit/policy.ts";
import { serveSandbox } from "../../src/sandbox/https.ts";
import { createSandbox } from "../../src/sandbox/sandbox.ts";
import type { AuditEvent } from "./audit-log.ts";
import { startCluster } from "./cluster.ts";

/** One server without controllers. */
export interface ApiSide {
  /** A separate folder for files that a test writes; `stop` removes it. */
  readonly dir: string;
  /** Path of the administrator's kubeconfig. */
  readonly kubeconfig: string;
  /** The administrator's token, the same as in the kubeconfig. */
  readonly token: string;
  /** Sends a request as the administrator; a PATCH is a merge patch. */
  send(method: string, path: string, body?: object): Promise<Response>;
  /** All audit events so far. */
  audit(): Promise<readonly AuditEvent[]>;
  stop(): Promise<void>;
}

interface Reached {
  readonly url: string;
  readonly ca: string;
  readonly token: string;
  readonly namespace?: string | undefined;
}

/**
 * A sandbox that serves HTTPS; its audit log has no bodies.
 * @param namespace of the kubeconfig's context.
 */
export async function sandboxSide(namespace?: string): Promise<ApiSide> {
  const events: AuditEvent[] = [];
  const sandbox = await createSandbox({
    timeline: realTimeline(),
    random: seededRandom(1),
    audit: { policy: metadataPolicy, write: (line) => void events.push(JSON.parse(line) as AuditEvent) },
  });
  const https = await serveSandbox(sandbox);
  const reached = reach({ ...https, namespace });
  return {
    ...reached,
    audit: () => Promise.resolve([...events]),
    async stop() {
      await https.close();
      sandbox.stop();
      rmSync(reached.dir, { recursive: true, force: true });
    },
  };
}

/** A kube-apiserver whose audit log has the bodies of writes. */
export async function realSide(): Promise<ApiSide> {
  const cluster = await startCluster({ audit: true });
  const reached = reach(cluster);
  return {
    ...reached,
    audit: async () => [...(await cluster.audit())],
    async stop() {
      await cluster.stop();
      rmSync(reached.dir, { recursive: true, force: true });
    },
  };
}

function reach({ url, ca, token, namespace = "default" }: Reached): Omit<ApiSide, "audit" | "stop"> {
  const dir = mkdtempSync(join(tmpdir(), "side-"));
  const kubeconfig = join(dir, "config");
  writeFileSync(kubeconfig, kubeconfigText({ name: "side", url, ca, token, namespace }), { mode: 0o600 });
  return {
    dir,
    kubeconfig,
    token,
    send(method, path, body) {
      const headers = {
        authorization: `Bearer ${token}`,
        "content-type": method === "PATCH" ? "application/merge-patch+json" : "application/json",
      };
      return fetch(url + path, {
        method,
        headers,
        tls: { ca },
        ...(body !== undefined && { body: JSON.stringify(body) }),
      });
    },
  };
}
