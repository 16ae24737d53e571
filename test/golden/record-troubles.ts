/**
 * Records what a proxy sees of three real operators in trouble, on a real kube-apiserver: one fights with another client over an object,
 * one has conflicts with the writes of another client, and one lacks a permission. Input for the golden pages of a process.
 */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { httpTransport } from "../../src/client/http/http-transport.ts";
import { realTimeline } from "../../src/platform/real-timeline.ts";
import { openObservedProxy } from "../../src/proxy/observed-proxy.ts";
import { TraceBus } from "../../src/trace/bus.ts";
import { ProcessReport } from "../../src/views/process/process-report.ts";
import { UsageFold } from "../../src/views/process/usage.ts";
import { WrittenLoops } from "../../src/views/process/written-loops.ts";
import { operatorScenes, type OperatorScene } from "../operators/scenes.ts";
import { type Cluster, startCluster } from "../support/cluster.ts";

const merge = { "content-type": "application/merge-patch+json" };
const forMs = 12_000;

interface Trouble {
  readonly operator: string;
  /** The token with which the proxy authenticates. */
  readonly token: string;
  /** What other clients do meanwhile, until `isOver` returns true. */
  readonly others: (isOver: () => boolean) => Promise<void>;
}

function sceneOf(name: string): OperatorScene & { readonly path: string } {
  const scene = operatorScenes.find((one) => one.name === name);
  if (scene === undefined || scene.program.is !== "there") throw new Error(`Cannot record: no ${name}`);
  return scene;
}

function commandOf({ program, command }: OperatorScene): readonly string[] {
  const words = command(program.is === "there" ? program.path : "");
  return words.filter((word) => !word.startsWith("--leader-elect"));
}

async function recorded(cluster: Cluster, folder: string, { operator, token, others }: Trouble): Promise<unknown> {
  const timeline = realTimeline();
  const bus = new TraceBus({ now: () => timeline.now() });
  const [usage, report, loops] = [new UsageFold(), new ProcessReport(), new WrittenLoops({ perMinute: 10 })];
  bus.listen((event) => {
    usage.accept(event);
    loops.accept(event);
    loops.take(report.accept(event));
  });
  const transport = httpTransport({
    server: cluster.url,
    tls: { ca: cluster.ca },
    headers: { authorization: `Bearer ${token}` },
  });
  const proxy = await openObservedProxy({ transport, timeline, bus });
  const kubeconfig = join(folder, `${operator}.kubeconfig`);
  writeFileSync(kubeconfig, proxy.kubeconfig("default"), { mode: 0o600 });
  const startedAt = timeline.now();
  const run = Bun.spawn([...commandOf(sceneOf(operator))], {
    env: { ...process.env, KUBECONFIG: kubeconfig },
    stdin: "ignore",
    stdout: "ignore",
    stderr: "ignore",
  });
  await others(() => timeline.now() - startedAt > forMs);
  run.kill("SIGTERM");
  await run.exited;
  proxy.catchUp();
  loops.take(report.flush(Infinity));
  const now = timeline.now();
  await proxy.close();
  return { afterMs: now - startedAt, now, usage: usage.usage, loops: loops.found() };
}

async function tokenWith(cluster: Cluster, account: string, rules: readonly object[]): Promise<string> {
  const rbac = { apiVersion: "rbac.authorization.k8s.io/v1", metadata: { name: account } };
  const roleRef = { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: account };
  const subjects = [{ kind: "ServiceAccount", name: account, namespace: "default" }];
  const objects = [
    { apiVersion: "v1", kind: "ServiceAccount", metadata: { name: account, namespace: "default" } },
    { ...rbac, kind: "ClusterRole", rules },
    { ...rbac, kind: "ClusterRoleBinding", roleRef, subjects },
  ];
  for (const object of objects) await applied(cluster, object);
  return (await cluster.kubectl(["create", "token", account, "-n", "default"])).stdout.trim();
}

async function applied(cluster: Cluster, object: object): Promise<void> {
  const { code, stderr } = await cluster.kubectl(["apply", "-f", "-"], JSON.stringify(object));
  if (code !== 0) throw new Error(stderr);
}

const cluster = await startCluster();
const folder = mkdtempSync(join(tmpdir(), "troubles-"));
try {
  const [go, python] = [sceneOf("controller-runtime"), sceneOf("kopf")];
  for (const { definition } of [go, python]) await applied(cluster, definition);
  await Bun.sleep(1500);
  const site = (name: string): object => ({ ...go.object, metadata: { name } });
  const sites = go.path.slice(0, -"/a".length);
  await applied(cluster, site("a"));

  const fight = await recorded(cluster, folder, {
    operator: go.name,
    token: cluster.token,
    async others(isOver) {
      const pages = "/api/v1/namespaces/default/configmaps/a-pages";
      while (!isOver()) {
        const { body } = await cluster.request("GET", pages);
        const change = { data: { theme: "dark" } };
        if (body.data !== undefined && body.data.theme === undefined)
          await cluster.request("PATCH", `${pages}?fieldManager=gitops`, change, merge);
        await Bun.sleep(20);
      }
    },
  });

  const conflicts = await recorded(cluster, folder, {
    operator: go.name,
    token: cluster.token,
    async others(isOver) {
      const names = Array.from({ length: 4 }, (_, index) => `shop-${index}`);
      for (const name of names) await applied(cluster, site(name));
      const stamp = async (name: string): Promise<void> => {
        for (let round = 0; !isOver(); round++) {
          const change = { metadata: { annotations: { round: String(round) } } };
          await cluster.request("PATCH", `${sites}/${name}?fieldManager=gitops`, change, merge);
        }
      };
      await Promise.all(names.map(stamp));
    },
  });

  const missing = await recorded(cluster, folder, {
    operator: python.name,
    token: await tokenWith(cluster, "shrubs", [
      { apiGroups: ["kopf.example.com"], resources: ["shrubs"], verbs: ["get", "list", "watch"] },
      { apiGroups: [""], resources: ["namespaces"], verbs: ["list", "watch"] },
      { apiGroups: ["apiextensions.k8s.io"], resources: ["customresourcedefinitions"], verbs: ["list", "watch"] },
    ]),
    async others(isOver) {
      await applied(cluster, python.object);
      while (!isOver()) await Bun.sleep(100);
    },
  });
  writeFileSync(join(import.meta.dir, "troubles.json"), `${JSON.stringify({ fight, conflicts, missing })}\n`);
} finally {
  await cluster.stop();
  rmSync(folder, { recursive: true, force: true });
}
