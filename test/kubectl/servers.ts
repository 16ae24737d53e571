/** The two servers on which kubectl is run. Both are bare: no controller runs, and they only contain what the commands create. */
import { readFileSync } from "node:fs";
import { seededRandom } from "../../src/platform/random.ts";
import { realTimeline } from "../../src/platform/real-timeline.ts";
import { serveSandbox } from "../../src/sandbox/https.ts";
import { createSandbox } from "../../src/sandbox/sandbox.ts";
import { adminOf, startCluster } from "../support/cluster.ts";

export interface KubectlServer {
  /** Credentials of the admin. */
  readonly kubeconfig: string;
  /** Includes the ServiceAccount that pods need. */
  createNamespace(name: string): Promise<void>;
  stop(): Promise<void>;
}

/** A kube-apiserver; ready in 3 to 4 s. */
export async function realServer(): Promise<KubectlServer> {
  const cluster = await startCluster();
  return {
    kubeconfig: readFileSync(cluster.kubeconfig, "utf8"),
    createNamespace: (name) => cluster.createNamespace(name),
    stop: () => cluster.stop(),
  };
}

/** A sandbox behind HTTPS. */
export async function sandboxServer(): Promise<KubectlServer> {
  const sandbox = await createSandbox({
    timeline: realTimeline(),
    random: seededRandom(1),
    defaultServiceAccounts: false,
    rbac: true,
  });
  const https = await serveSandbox(sandbox);
  const admin = adminOf(https);
  await admin.request("POST", "/api/v1/namespaces/default/serviceaccounts", { metadata: { name: "default" } });
  return {
    kubeconfig: https.kubeconfig(),
    createNamespace: admin.createNamespace,
    async stop() {
      sandbox.stop();
      await https.close();
    },
  };
}
