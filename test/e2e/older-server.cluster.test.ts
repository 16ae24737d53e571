/**
 * A control plane of Kubernetes 1.33, as the binaries of 1.36 emulate it: kinds and fields that our controllers know are missing. Our
 * controllers run beside its own in shadow, then in their place.
 */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { join } from "node:path";
import { controlPlaneBinary } from "../../scripts/control-plane.ts";
import { type Cluster, controllersMissing, startCluster } from "../support/cluster.ts";
import { type Program, runProgram, startProgram } from "./support/program.ts";
import { eventually } from "./support/workload.ts";

const emulated = ["--emulated-version=1.33"];
const notServed =
  /^caches {2}.* · not served: (?=.*\bResourceClaim\b)(?=.*\bResourceSlice\b)(?=.*\bVolumeAttributesClass\b).* · /m;
const template = { metadata: { labels: { app: "web" } }, spec: { containers: [{ name: "a", image: "a" }] } };

const workloads = JSON.stringify({
  apiVersion: "v1",
  kind: "List",
  items: [
    workloadOf("Deployment", "web", { replicas: 3 }),
    workloadOf("StatefulSet", "db", { replicas: 2, serviceName: "db" }),
    workloadOf("DaemonSet", "agent", {}),
    {
      apiVersion: "batch/v1",
      kind: "Job",
      metadata: { name: "work" },
      spec: { completions: 2, template: { spec: { ...template.spec, restartPolicy: "Never" } } },
    },
  ],
});

function workloadOf(kind: string, name: string, spec: object): object {
  const labels = { app: name };
  const pods = { selector: { matchLabels: labels }, template: { ...template, metadata: { labels } } };
  return { apiVersion: "apps/v1", kind, metadata: { name }, spec: { ...spec, ...pods } };
}

const marker = `import { defineController, kinds, rule, watchPrimary } from "kubectl-reconcile";
const mark = rule({ id: "mark", looksAt: [], chooses: "the mark", sentence: ({ version }) => \`the server is \${version} → write it\` });
export default defineController({
  name: "marker",
  purpose: "writes the server's version into ConfigMaps",
  for: kinds.ConfigMaps,
  watches: [watchPrimary(kinds.ConfigMaps)],
  rules: [mark],
  permissions: [],
  async sync(key, context) {
    const map = context.cache(kinds.ConfigMaps).get(key);
    if (map === undefined) return;
    const version = \`\${context.serverVersion.major}.\${context.serverVersion.minor}\`;
    const because = context.decide(mark, { version });
    await context.client.update(kinds.ConfigMaps, { ...map, data: { ...map.data, version } }, { because });
  },
});
`;

describe.skipIf(controllersMissing !== undefined)("a control plane of 1.33", () => {
  let cluster: Cluster;
  beforeAll(async () => {
    const flags = { apiServerFlags: emulated, kcmFlags: emulated, schedulerFlags: emulated };
    cluster = await startCluster({ controllers: "*", nodes: 1, ...flags });
    await cluster.createNamespace("shop");
    expect((await cluster.request("GET", "/apis/resource.k8s.io/v1/resourceclaims")).status).toBe(404);
  });
  afterAll(() => cluster.stop());

  /** Waits until it has printed nothing for three seconds; for half a minute after a difference, which a late owner may settle. */
  async function silent(trace: Program): Promise<void> {
    for (let [looks, length] = [0, -1]; looks < 20; looks++) {
      const mayChange = trace.stdout.length !== length || (looks < 10 && /\bdiffers\b/.test(trace.stdout));
      if (!mayChange) return;
      length = trace.stdout.length;
      await Bun.sleep(3000);
    }
  }

  async function podsOf(name: string): Promise<readonly (string | undefined)[]> {
    const { body } = await cluster.request("GET", `/api/v1/namespaces/shop/pods?labelSelector=app%3D${name}`);
    const { items } = body as { items: { metadata: object; spec: { nodeName?: string } }[] };
    return items.filter(({ metadata }) => !("deletionTimestamp" in metadata)).map(({ spec }) => spec.nodeName);
  }

  test("its controllers of workloads agree with ours", async () => {
    const { kubeconfig } = cluster;
    const controllers = ["deployment", "replicaset", "statefulset", "daemonset", "job"];
    await using trace = startProgram(["trace", ...controllers, "-n", "shop"], { kubeconfig });
    await trace.says(/^caches /m);
    expect((await cluster.kubectl(["apply", "-n", "shop", "-f", "-"], workloads)).code).toBe(0);
    await eventually(async () => {
      for (const [name, count] of [
        ["web", 3],
        ["db", 2],
        ["agent", 1],
      ] as const)
        expect({ name, pods: (await podsOf(name)).length }).toEqual({ name, pods: count });
    });
    for (const change of [
      "scale deploy/web --replicas=1",
      "set image deploy/web a=b",
      "set image ds/agent a=b",
      "scale sts/db --replicas=1",
    ])
      expect((await cluster.kubectl([...change.split(" "), "-n", "shop"])).code).toBe(0);
    await eventually(async () => {
      const { body } = await cluster.request("GET", "/apis/apps/v1/namespaces/shop/deployments/web");
      const { status } = body as { status: object };
      expect(status).toMatchObject({ observedGeneration: 3, updatedReplicas: 1, replicas: 1 });
      expect(await podsOf("db")).toHaveLength(1);
    });
    await silent(trace);
    trace.signal("SIGINT");
    const { stdout, stderr, code } = await trace.end();
    const output = stdout + stderr;
    expect({
      code,
      counts: /^\d+ intentions: .*$/m.exec(output)?.[0],
      // Shown if the counts are wrong.
      blocks: output.split(/\n(?=\S| +[\d.]+ sync )/).filter((block) => /\bdiffers\b/.test(block)),
    }).toMatchObject({
      code: 0,
      counts: expect.stringMatching(/: [1-9]\d* same, .*\b0 differ$/),
    });
  });

  test.each(["trace", "watch"])("%s fills the caches of all controllers", async (command) => {
    const args = [command, "all", "scheduler", "-A", "--for", "2s"];
    const { stdout, stderr, code } = await runProgram(args, { kubeconfig: cluster.kubeconfig });
    expect({ code, notServed: notServed.test(stdout + stderr) }).toEqual({ code: 0, notServed: true });
    const served = /^caches {2}(\d+) kinds/m.exec(stdout + stderr)?.[1];
    expect(served).toBeDefined();
    if (command === "watch") expect(stdout + stderr).toMatch(new RegExp(`^watching ${served} kinds, `, "m"));
  });

  test.each([
    { name: "a dry run", program: [] },
    {
      name: "a dry run with a program",
      program: ["--", controlPlaneBinary("kubectl") ?? "kubectl", "get", "pods", "-w"],
    },
  ])("$name without a change changes nothing", async ({ program }) => {
    const live = await cluster.kubectl(["get", "deployment", "web", "-n", "shop", "-o", "yaml"]);
    const file = join(cluster.dir, "live.yaml");
    await Bun.write(file, live.stdout);
    const args = ["dry-run", "-f", file, "-n", "shop", ...program];
    const { stdout, stderr, code } = await runProgram(args, { kubeconfig: cluster.kubeconfig });
    expect({ code, stderr, stdout }).toMatchObject({ code: 0 });
  });

  test("a controller in a file knows the version, also in `why`", async () => {
    const file = join(cluster.dir, "marker.ts");
    await Bun.write(file, marker);
    const args = ["why", file, "configmap/kube-root-ca.crt", "-n", "shop"];
    const { stdout } = await runProgram(args, { kubeconfig: cluster.kubeconfig });
    expect(stdout).toContain("our marker would now: mark: the server is 1.33 → write it");
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
