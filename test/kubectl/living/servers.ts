/**
 * Two living clusters. On the real one kube-controller-manager and kube-scheduler run; what cannot run without containers and disks is
 * simulated on both: kubelets, and the provisioner of claims.
 */
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parse } from "yaml";
import { type Kind, pathOf } from "../../../src/api/kind.ts";
import { Nodes, StorageClasses } from "../../../src/api/kinds.ts";
import { kubelet, nodeHeartbeat } from "../../../src/controllers/kubelet/kubelet.ts";
import { simulatedNode } from "../../../src/controllers/kubelet/node.ts";
import { standardClass } from "../../../src/controllers/provisioner/default-class.ts";
import { provisioner } from "../../../src/controllers/provisioner/provisioner.ts";
import { startProgram } from "../../e2e/support/program.ts";
import { adminOf, type Cluster, startCluster } from "../../support/cluster.ts";
import { startControllers } from "../../support/live-controllers.ts";
import type { KubectlServer } from "../servers.ts";

const nodes = 3;

/** The real control plane, with simulated nodes. */
export async function realCluster(): Promise<KubectlServer> {
  // Relative to the folder of the cluster.
  const kcmFlags = ["--cluster-signing-cert-file=ca.crt", "--cluster-signing-key-file=ca.key"];
  const cluster = await startCluster({ controllers: "*", nodes: 0, kcmFlags });
  const ground = await simulateGround(cluster);
  return {
    kubeconfig: readFileSync(cluster.kubeconfig, "utf8"),
    createNamespace: (name) => cluster.createNamespace(name),
    async stop() {
      await ground.stop();
      await cluster.stop();
    },
  };
}

/** Creates nodes with their kubelets, and a provisioner with its class. */
async function simulateGround(cluster: Cluster): Promise<{ stop(): Promise<void> }> {
  const make = async (kind: Kind, object: object): Promise<void> => {
    const { status, body } = await cluster.request("POST", pathOf(kind, {}), object);
    if (status !== 201) throw new Error(`Cannot create a ${kind.kind}: ${JSON.stringify(body)}`);
  };
  for (let n = 0; n < nodes; n++) await make(Nodes, simulatedNode(n));
  await make(StorageClasses, standardClass);
  return startControllers(cluster.kubeconfig, { controllers: [kubelet, nodeHeartbeat, provisioner] });
}

/** `kubectl reconcile sandbox`, without any other program. */
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
