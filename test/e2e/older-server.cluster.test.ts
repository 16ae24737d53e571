/** Commands on a server that does not serve all kinds which the controllers of 1.36 watch, as before Kubernetes 1.34. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { type Cluster, clusterMissing, startCluster } from "../support/cluster.ts";
import { runProgram, startProgram } from "./support/program.ts";
import { eventually } from "./support/workload.ts";

const notServed =
  /^caches {2}.* · not served: (?=.*\bResourceClaim\b)(?=.*\bResourceSlice\b)(?=.*\bDeviceClass\b).* · /m;

describe.skipIf(clusterMissing !== undefined)("on a server without resource.k8s.io", () => {
  let cluster: Cluster;
  beforeAll(async () => {
    cluster = await startCluster({ apiServerFlags: ["--runtime-config=resource.k8s.io/v1=false"] });
    await cluster.createNamespace("shop");
    const node = { metadata: { name: "node-1" }, status: { allocatable: { cpu: "4", memory: "8Gi", pods: "10" } } };
    expect((await cluster.request("POST", "/api/v1/nodes", node)).status).toBe(201);
    expect((await cluster.request("GET", "/apis/resource.k8s.io/v1/resourceclaims")).status).toBe(404);
  });
  afterAll(() => cluster.stop());

  test("run all and the scheduler work without it, and say so", async () => {
    const args = ["run", "all", "scheduler", "-A", "--force"];
    await using program = startProgram(args, { kubeconfig: cluster.kubeconfig });
    await program.says(notServed);
    expect(program.stdout + program.stderr).not.toMatch(/list of \w+ failed/);
    const template = { metadata: { labels: { app: "web" } }, spec: { containers: [{ name: "a", image: "a" }] } };
    const set = {
      metadata: { name: "web" },
      spec: { replicas: 2, selector: { matchLabels: { app: "web" } }, template },
    };
    expect((await cluster.request("POST", "/apis/apps/v1/namespaces/shop/replicasets", set)).status).toBe(201);
    await eventually(async () => {
      const { body } = await cluster.request("GET", "/api/v1/namespaces/shop/pods");
      const { items } = body as { items: { spec: { nodeName?: string } }[] };
      expect(items.map(({ spec }) => spec.nodeName)).toEqual(["node-1", "node-1"]);
    });
    program.signal("SIGINT");
    expect((await program.end()).code).toBe(0);
  });

  test.each(["trace", "watch"])("%s fills the caches of all controllers", async (command) => {
    const args = [command, "all", "scheduler", "-A", "--for", "2s"];
    const { stdout, stderr, code } = await runProgram(args, { kubeconfig: cluster.kubeconfig });
    expect({ code, stderr }).toMatchObject({ code: 0 });
    expect(stdout + stderr).toMatch(notServed);
  });
});
