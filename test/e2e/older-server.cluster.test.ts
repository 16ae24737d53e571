/**
 * A control plane of Kubernetes 1.33, as the binaries of 1.36 emulate it: kinds and fields that our controllers know are missing. Our
 * controllers run beside its own in shadow, then in their place.
 */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { join } from "node:path";
import { type Cluster, controllersMissing, startCluster } from "../support/cluster.ts";
import { runProgram, startProgram } from "./support/program.ts";
import { eventually } from "./support/workload.ts";

const emulated = ["--emulated-version=1.33"];
const notServed =
  /^caches {2}.* · not served: (?=.*\bResourceClaim\b)(?=.*\bResourceSlice\b)(?=.*\bVolumeAttributesClass\b).* · /m;
const template = { metadata: { labels: { app: "web" } }, spec: { containers: [{ name: "a", image: "a" }] } };

describe.skipIf(controllersMissing !== undefined)("a control plane of 1.33", () => {
  let cluster: Cluster;
  beforeAll(async () => {
    const flags = { apiServerFlags: emulated, kcmFlags: emulated, schedulerFlags: emulated };
    cluster = await startCluster({ controllers: "*", nodes: 1, ...flags });
    await cluster.createNamespace("shop");
    expect((await cluster.request("GET", "/apis/resource.k8s.io/v1/resourceclaims")).status).toBe(404);
  });
  afterAll(() => cluster.stop());

  async function podsOf(name: string): Promise<readonly (string | undefined)[]> {
    const { body } = await cluster.request("GET", `/api/v1/namespaces/shop/pods?labelSelector=app%3D${name}`);
    const { items } = body as { items: { metadata: object; spec: { nodeName?: string } }[] };
    return items.filter(({ metadata }) => !("deletionTimestamp" in metadata)).map(({ spec }) => spec.nodeName);
  }

  test("its controllers agree with ours", async () => {
    const { kubeconfig } = cluster;
    await using trace = startProgram(["trace", "deployment", "replicaset", "-n", "shop"], { kubeconfig });
    await trace.says(/^caches /m);
    const deployments = "/apis/apps/v1/namespaces/shop/deployments";
    const spec = { replicas: 3, selector: { matchLabels: { app: "web" } }, template };
    expect((await cluster.request("POST", deployments, { metadata: { name: "web" }, spec })).status).toBe(201);
    await eventually(async () => expect(await podsOf("web")).toHaveLength(3));
    const headers = { "content-type": "application/merge-patch+json" };
    await cluster.request("PATCH", `${deployments}/web`, { spec: { replicas: 1 } }, headers);
    await eventually(async () => expect(await podsOf("web")).toHaveLength(1));
    await cluster.request(
      "PATCH",
      `${deployments}/web`,
      { spec: { template: { metadata: { labels: { v: "2" } } } } },
      headers,
    );
    await eventually(async () => {
      const { body } = await cluster.request("GET", `${deployments}/web`);
      const { status } = body as { status: { observedGeneration: number; updatedReplicas?: number; replicas: number } };
      expect(status).toMatchObject({ observedGeneration: 3, updatedReplicas: 1, replicas: 1 });
    });
    // An owner has two seconds.
    await Bun.sleep(3000);
    trace.signal("SIGINT");
    const { stdout, stderr, code } = await trace.end();
    expect({ code, differs: (stdout + stderr).match(/^differs .*$/gm) }).toEqual({ code: 0, differs: null });
    expect(stdout + stderr).toMatch(/^\d+ intentions: [1-9]\d* same, .*\b0 differ$/m);
  });

  test.each(["trace", "watch"])("%s fills the caches of all controllers", async (command) => {
    const args = [command, "all", "scheduler", "-A", "--for", "2s"];
    const { stdout, stderr, code } = await runProgram(args, { kubeconfig: cluster.kubeconfig });
    expect({ code, notServed: notServed.test(stdout + stderr) }).toEqual({ code: 0, notServed: true });
  });

  test("a dry run without a change changes nothing", async () => {
    const live = await cluster.kubectl(["get", "deployment", "web", "-n", "shop", "-o", "yaml"]);
    const file = join(cluster.dir, "live.yaml");
    await Bun.write(file, live.stdout);
    const args = ["dry-run", "-f", file, "-n", "shop"];
    const { stdout, stderr, code } = await runProgram(args, { kubeconfig: cluster.kubeconfig });
    expect({ code, stderr, stdout }).toMatchObject({ code: 0 });
  });

  test("ours work in their place, and say which kinds are not served", async () => {
    await cluster.stopProcess("kube-controller-manager");
    await cluster.stopProcess("kube-scheduler");
    const args = ["run", "all", "scheduler", "-A", "--force"];
    await using program = startProgram(args, { kubeconfig: cluster.kubeconfig });
    await program.says(notServed);
    expect(program.stdout + program.stderr).not.toMatch(/list of \w+ failed/);
    const labels = { app: "other" };
    const spec = { replicas: 2, selector: { matchLabels: labels }, template: { ...template, metadata: { labels } } };
    const sets = "/apis/apps/v1/namespaces/shop/replicasets";
    expect((await cluster.request("POST", sets, { metadata: { name: "other" }, spec })).status).toBe(201);
    await eventually(async () => {
      const pods = await podsOf("other");
      expect({ pods: pods.length, scheduled: pods.filter((node) => node !== undefined).length }).toEqual({
        pods: 2,
        scheduled: 2,
      });
    });
    program.signal("SIGINT");
    expect((await program.end()).code).toBe(0);
  });
});
