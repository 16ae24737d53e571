/**
 * Creates whose responses are lost while the pod watch is silent: the controller must treat each one as failed, and creates the pod again.
 * The same scenario runs with our ReplicaSet controller and with kube-controller-manager, to show that upstream ends up with as many excess
 * pods as ours.
 * Source: kubernetes v1.36 pkg/controller/replicaset/replica_set.go manageReplicas: CreationObserved on any error.
 */
import { expect } from "bun:test";
import { openSync } from "node:fs";
import { join } from "node:path";
import { controlPlaneBinary } from "../../../scripts/control-plane.ts";
import { kubeconfigThrough } from "../../support/fault-proxy.ts";
import type { Ground } from "./faults.ts";
import { startFaultyRun } from "./faulty-run.ts";
import { eventually, Workload } from "./workload.ts";

const before = 2;
const desired = 5;
const waitMs = 180_000;

/** Starts a ReplicaSet controller whose requests go through the proxy. */
type StartController = (ground: Ground, namespace: string) => Promise<{ stop(): Promise<void> }>;

export const ourController: StartController = ({ cluster, http }, namespace) =>
  startFaultyRun(cluster, http.url, { controllers: ["replicaset"], namespace });

/** Handles all namespaces. */
export const upstreamController: StartController = ({ cluster, http }) => {
  const log = openSync(join(cluster.dir, "kube-controller-manager-behind-proxy.log"), "w");
  const flags = ["--controllers=replicaset-controller", "--leader-elect=false", "--secure-port=0"];
  const command = [
    controlPlaneBinary("kube-controller-manager") ?? "kube-controller-manager",
    `--kubeconfig=${kubeconfigThrough(cluster, http.url)}`,
    ...flags,
  ];
  const run = Bun.spawn(command, { stdin: "ignore", stdout: log, stderr: log });
  return Promise.resolve({
    async stop() {
      run.kill("SIGKILL");
      await run.exited;
    },
  });
};

/** Number of excess pods after the responses to `lost` creates were lost; waits until they are deleted again. */
export async function excessOf(
  ground: Ground,
  start: StartController,
  { namespace, lost }: { readonly namespace: string; readonly lost: number },
): Promise<number> {
  const { cluster, http } = ground;
  await cluster.createNamespace(namespace);
  const workload = new Workload(cluster, namespace);
  const controller = await start(ground, namespace);
  try {
    const set = await workload.createReplicaSet("web", before);
    await workload.settled("web", before, waitMs);
    const isOfPods = ({ path }: { readonly path: string }): boolean => path.endsWith("/pods");
    const silent = http.inject({
      match: (request) => request.isWatch && isOfPods(request),
      fault: { is: "stall", afterBytes: 0 },
    });
    const losing = http.inject({
      match: (request) => request.method === "POST" && isOfPods(request),
      times: lost,
      fault: { is: "lose-response" },
    });
    http.breakConnections();
    await eventually(async () => expect(silent.hits).toBeGreaterThan(0), waitMs);
    await workload.scale("web", desired);
    // Creates with and without a response together: the controller has then created all that it counts as missing.
    await eventually(async () => {
      expect(losing.hits).toBe(lost);
      expect((await workload.pods(set)).length).toBeGreaterThanOrEqual(desired + lost);
    }, waitMs);
    // Further creates would follow immediately: the controller has nothing to wait for.
    await Bun.sleep(500);
    const excess = (await workload.pods(set)).length - desired;
    http.clear();
    http.breakConnections();
    await workload.settled("web", desired, waitMs);
    return excess;
  } finally {
    http.clear();
    await controller.stop();
  }
}
