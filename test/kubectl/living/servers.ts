/**
 * Two clusters that live. On the real one kube-controller-manager and kube-scheduler are at work; what has no program without
 * containers and disks is simulated on both: kubelets, and the provisioner of claims.
 */
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parse } from "yaml";
import { Nodes, StorageClasses } from "../../../src/api/kinds.ts";
import { loadRestConfig } from "../../../src/client/config/load-rest-config.ts";
import { connect } from "../../../src/client/connect.ts";
import { kubelet, nodeHeartbeat } from "../../../src/controllers/kubelet/kubelet.ts";
import { simulatedNode } from "../../../src/controllers/kubelet/node.ts";
import { standardClass } from "../../../src/controllers/provisioner/default-class.ts";
import { provisioner } from "../../../src/controllers/provisioner/provisioner.ts";
import { startLive } from "../../../src/modes/run/live.ts";
import { realHost } from "../../../src/platform/host.ts";
import { realRandom } from "../../../src/platform/random.ts";
import { realTimeline } from "../../../src/platform/real-timeline.ts";
import { TraceBus } from "../../../src/trace/bus.ts";
import { startProgram } from "../../e2e/support/program.ts";
import { adminOf, startCluster } from "../../support/cluster.ts";
import type { KubectlServer } from "../servers.ts";

const nodes = 3;

/** The real control plane, on simulated nodes. */
export async function realCluster(): Promise<KubectlServer> {
  const cluster = await startCluster({ controllers: "*", nodes: 0 });
  const ground = await simulateGround(cluster.kubeconfig);
  return {
    kubeconfig: readFileSync(cluster.kubeconfig, "utf8"),
    createNamespace: (name) => cluster.createNamespace(name),
    async stop() {
      await ground.stop();
      await cluster.stop();
    },
  };
}

/** Nodes with their kubelets, and a provisioner with its class. */
async function simulateGround(kubeconfig: string): Promise<{ stop(): Promise<void> }> {
  const [host, timeline] = [realHost(), realTimeline()];
  const bus = new TraceBus({ now: () => timeline.now() });
  const connection = connect(await loadRestConfig(host, { kubeconfig }), { host, timeline, bus, qps: 0 });
  const client = connection.clientFor("ground");
  for (let n = 0; n < nodes; n++) await client.create(Nodes, simulatedNode(n));
  await client.create(StorageClasses, standardClass);
  const live = await startLive(
    {
      controllers: [kubelet, nodeHeartbeat, provisioner],
      clientFor: connection.clientFor,
      bus,
      timeline,
      random: realRandom(),
      serverCa: connection.serverCa,
      freeze: true,
      lease: { identity: "ground", isDead: () => false, force: false, onWait: () => undefined },
      preflight: () => Promise.resolve(),
      onLeaseLost: (why) => console.error(`the Lease was lost: ${why}`),
      onEventLost: () => undefined,
    },
    AbortSignal.timeout(180_000),
  );
  return {
    async stop() {
      await live.stop();
      connection.close();
    },
  };
}

/** `kubectl reconcile sandbox`, with no other program. */
export async function sandboxCluster(): Promise<KubectlServer> {
  const folder = mkdtempSync(join(tmpdir(), "living-"));
  const file = join(folder, "kubeconfig");
  const program = startProgram(["sandbox", "--rbac", "--nodes", String(nodes), "--write-kubeconfig", file]);
  await program.says(/^ready after/m);
  const kubeconfig = readFileSync(file, "utf8");
  return {
    kubeconfig,
    createNamespace: adminIn(kubeconfig).createNamespace,
    async stop() {
      program.signal("SIGINT");
      await program.end();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

interface KubeConfig {
  readonly clusters: readonly [{ readonly cluster: Readonly<Record<string, string>> }];
  readonly users: readonly [{ readonly user: { readonly token: string } }];
}

function adminIn(kubeconfig: string): ReturnType<typeof adminOf> {
  const { clusters, users } = parse(kubeconfig) as KubeConfig;
  const { server = "", "certificate-authority-data": ca = "" } = clusters[0].cluster;
  return adminOf({ url: server, token: users[0].user.token, ca: atob(ca) });
}
