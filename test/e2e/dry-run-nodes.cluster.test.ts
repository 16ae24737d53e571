/**
 * The predictions of `dry-run --node-down` and `--drain` are compared with what then happens on a kube-apiserver with
 * kube-controller-manager and kube-scheduler. kwok simulates the kubelets until a node should become silent; then this test simulates those
 * of the other nodes.
 */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { Nodes, Pods } from "../../src/api/kinds.ts";
import type { StoredObject } from "../../src/api/object.ts";
import type { Node, Pod } from "../../src/api/types.ts";
import { discover, type DiscoveredKind, findKind } from "../../src/client/api/discovery.ts";
import { loadRestConfig } from "../../src/client/config/load-rest-config.ts";
import { connect, type Connection } from "../../src/client/connect.ts";
import { builtInControllers } from "../../src/controllers/index.ts";
import { dryRun } from "../../src/modes/dry-run/dry-run.ts";
import { initialStateFrom } from "../../src/modes/dry-run/initial-state.ts";
import { servedBySandbox } from "../../src/modes/dry-run/kinds.ts";
import { takeSnapshot } from "../../src/modes/dry-run/snapshot.ts";
import { realHost } from "../../src/platform/host.ts";
import { realTimeline } from "../../src/platform/real-timeline.ts";
import { TraceBus } from "../../src/trace/bus.ts";
import { startBeating } from "../differential/scripts/node-lifecycle/heartbeats.ts";
import { type Cluster, controllersMissing, startCluster } from "../support/cluster.ts";
import { comparable } from "./support/comparable.ts";
import { runProgram } from "./support/program.ts";

const namespace = "shop";
const failing = "fake-0";
const others = ["fake-1", "fake-2"];
const compared = [
  "deployments.apps",
  "replicasets.apps",
  "statefulsets.apps",
  "daemonsets.apps",
  "controllerrevisions.apps",
  "poddisruptionbudgets.policy",
  "pods",
];
const controllers = builtInControllers.filter(({ disabledByDefault }) => disabledByDefault !== true);
const mergePatch = { "content-type": "application/merge-patch+json" };
/** A node is silent for 50 s before it is detected; everything else is shorter, unless the machine is busy. */
const longestMs = 420_000;

/** Tolerations for five seconds instead of the usual 300. */
const tolerations = ["unreachable", "not-ready"].map((key) => ({
  key: `node.kubernetes.io/${key}`,
  operator: "Exists",
  effect: "NoExecute",
  tolerationSeconds: 5,
}));

const podSpec = (more: object = {}): object => ({
  tolerations,
  containers: [{ name: "c", image: "i", resources: { requests: { cpu: "100m" } } }],
  ...more,
});

function workload(kind: string, name: string, spec: object, pod?: object): object {
  const labels = { app: name };
  return {
    apiVersion: "apps/v1",
    kind,
    metadata: { name },
    spec: { selector: { matchLabels: labels }, template: { metadata: { labels }, spec: podSpec(pod) }, ...spec },
  };
}

const service = (name: string): object => ({
  apiVersion: "v1",
  kind: "Service",
  metadata: { name },
  spec: { selector: { app: name }, ports: [{ port: 80 }] },
});

const budget = (name: string, spec: object): object => ({
  apiVersion: "policy/v1",
  kind: "PodDisruptionBudget",
  metadata: { name },
  spec: { selector: { matchLabels: { app: name } }, ...spec },
});

const onFailing = { nodeSelector: { "kubernetes.io/hostname": failing } };

/** A local volume on the node that fails, and a claim bound to it. */
const disk: readonly object[] = [
  {
    apiVersion: "v1",
    kind: "PersistentVolume",
    metadata: { name: "disk" },
    spec: {
      accessModes: ["ReadWriteOnce"],
      capacity: { storage: "1Gi" },
      storageClassName: "",
      local: { path: "/disk" },
      claimRef: { namespace, name: "disk" },
      nodeAffinity: {
        required: {
          nodeSelectorTerms: [
            { matchExpressions: [{ key: "kubernetes.io/hostname", operator: "In", values: [failing] }] },
          ],
        },
      },
    },
  },
  {
    apiVersion: "v1",
    kind: "PersistentVolumeClaim",
    metadata: { name: "disk" },
    spec: {
      accessModes: ["ReadWriteOnce"],
      storageClassName: "",
      volumeName: "disk",
      resources: { requests: { storage: "1Gi" } },
    },
  },
];
const onDisk = { volumes: [{ name: "disk", persistentVolumeClaim: { claimName: "disk" } }] };

const shop: readonly object[] = [
  ...disk,
  workload("Deployment", "local", { replicas: 1 }, onDisk),
  workload("Deployment", "web", { replicas: 3 }),
  workload("Deployment", "pinned", { replicas: 1 }, onFailing),
  workload("StatefulSet", "db", { replicas: 2, serviceName: "db", podManagementPolicy: "Parallel" }),
  workload("DaemonSet", "agent", {}),
  { apiVersion: "v1", kind: "Pod", metadata: { name: "alone" }, spec: podSpec(onFailing) },
  service("web"),
  service("db"),
  budget("web", { maxUnavailable: 1 }),
  budget("db", { minAvailable: 2 }),
];

/**
 * It is random whether the DaemonSet controller syncs a set for its pod's readiness before or after the node gets its taint: after it, the
 * pod counts as misscheduled. Nothing triggers another sync.
 */
function withoutChance(object: StoredObject): StoredObject {
  if (object.kind !== "DaemonSet") return object;
  const { status } = object as StoredObject & { readonly status?: Readonly<Record<string, unknown>> };
  const { numberReady, numberAvailable } = status ?? {};
  return { ...object, status: { numberReady, numberAvailable } } as StoredObject;
}

const texts = (objects: readonly StoredObject[]): readonly string[] =>
  objects.map(withoutChance).map(comparable).sort();

type Line = Readonly<Record<string, unknown>>;

describe.skipIf(controllersMissing !== undefined)("dry-run predicts what happens to the pods of a node", () => {
  let cluster: Cluster;
  let connection: Connection;
  let kinds: readonly DiscoveredKind[];
  const timeline = realTimeline();

  beforeAll(async () => {
    cluster = await startCluster({ controllers: "*" });
    const host = realHost();
    const access = await loadRestConfig(host, { kubeconfig: cluster.kubeconfig });
    const bus = new TraceBus({ now: () => timeline.now() });
    connection = connect(access, { host, timeline, bus, qps: 0, readOnly: true });
    ({ kinds } = await discover(connection.client));
    await cluster.createNamespace(namespace);
    // All pods start on the node that fails.
    await kubectl("cordon", ...others);
    const list = JSON.stringify({ apiVersion: "v1", kind: "List", items: shop });
    expect(await cluster.kubectl(["-n", namespace, "apply", "-f", "-"], list)).toMatchObject({ code: 0 });
    await until(async () => {
      const pods = await podsThere();
      return pods.length === 11 && pods.every(isReady);
    });
    await kubectl("uncordon", ...others);
    await quiet();
  });
  afterAll(async () => {
    connection.close();
    await cluster.stop();
  });

  async function kubectl(...args: readonly string[]): Promise<void> {
    expect(await cluster.kubectl(args)).toMatchObject({ code: 0 });
  }

  async function until(isSo: () => Promise<boolean>): Promise<void> {
    const end = performance.now() + longestMs;
    while (performance.now() < end) {
      if (await isSo()) return;
      await Bun.sleep(300);
    }
    throw new Error("it does not come to that");
  }

  async function podsThere(): Promise<readonly Pod[]> {
    return (await connection.client.list(Pods, { namespace })).items;
  }

  const isReady = ({ status }: Pod): boolean =>
    status?.conditions?.some((condition) => condition.type === "Ready" && condition.status === "True") === true;

  const isGoing = ({ metadata }: Pod): boolean => metadata.deletionTimestamp !== undefined;

  async function objectsThere(): Promise<readonly StoredObject[]> {
    const lists = await Promise.all(
      compared.map(async (name) => {
        const kind = findKind(kinds, name);
        if (kind === undefined) throw new Error(`no kind ${name}`);
        const { items } = await connection.client.list(kind, { namespace });
        return items.map((item) => ({ ...item, kind: kind.kind }));
      }),
    );
    return lists.flat();
  }

  /** Waits until nothing was written in the namespace for a while. */
  async function quiet(ms = 4000): Promise<void> {
    let [seen, since] = ["", performance.now()];
    await until(async () => {
      const now = (await objectsThere()).map(({ metadata }) => metadata.resourceVersion).join();
      if (now !== seen) [seen, since] = [now, performance.now()];
      return performance.now() - since > ms;
    });
  }

  async function foretold(is: "silence" | "drain"): Promise<readonly StoredObject[]> {
    const snapshot = await takeSnapshot({
      transport: connection.unlimited,
      kinds,
      unavailable: [],
      isServed: await servedBySandbox(),
      namespaces: [namespace],
      // As the command does for pods that move.
      alsoKinds: kinds.filter(({ plural }) => plural === "persistentvolumes"),
      wholeSecrets: false,
    });
    const run = await dryRun({
      initialState: initialStateFrom(snapshot, [namespace], timeline.now()),
      baseline: [],
      requestedChanges: [{ is, kind: Nodes, namespace: "", name: failing }],
      controllers,
      seed: 1,
      shown: {},
      fold: true,
    });
    expect([run.before.is, run.settled.is, run.refused, run.drift]).toEqual(["steady", "steady", [], []]);
    const names = new Set(compared.map((name) => findKind(kinds, name)?.kind));
    return [...run.state.values()]
      .filter(({ of, object }) => names.has(of.kind) && object.metadata.namespace === namespace)
      .map(({ object }) => object);
  }

  /** The command's output as JSON lines. */
  async function dryRunLines(...args: readonly string[]): Promise<readonly Line[]> {
    const { stdout, stderr } = await runProgram(["dry-run", ...args, "-o", "json"], { kubeconfig: cluster.kubeconfig });
    expect(stderr).toContain(`over a snapshot of context c (namespace ${namespace}, `);
    return stdout
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line) as Line);
  }

  const of = (lines: readonly Line[], is: string): readonly Line[] => lines.filter((line) => line["is"] === is);

  /** Number of ready endpoints of a Service. */
  async function endpoints(name: string): Promise<number> {
    const path = "jsonpath={.items[*].endpoints[?(@.conditions.ready==true)].addresses[0]}";
    const selector = `kubernetes.io/service-name=${name}`;
    const { stdout } = await cluster.kubectl(["-n", namespace, "get", "endpointslices", "-l", selector, "-o", path]);
    return stdout.split(" ").filter((address) => address !== "").length;
  }

  /** Simulates the kubelets of the other nodes: starts and stops their pods. */
  async function playKubelets(): Promise<void> {
    for (const pod of await podsThere()) {
      if (!others.includes(pod.spec?.nodeName ?? "")) continue;
      const path = `/api/v1/namespaces/${namespace}/pods/${pod.metadata.name}`;
      if (isGoing(pod)) await cluster.request("DELETE", path, { gracePeriodSeconds: 0 });
      else if (!isReady(pod)) {
        const digits = Array.from({ length: 3 }, () => Math.floor(Math.random() * 250) + 1);
        const podIP = `10.${digits.join(".")}`;
        const conditions = ["Initialized", "ContainersReady", "Ready"].map((type) => ({
          type,
          status: "True",
          lastTransitionTime: new Date().toISOString(),
        }));
        const scheduled = pod.status?.conditions?.filter(({ type }) => type === "PodScheduled") ?? [];
        const status = { phase: "Running", podIP, podIPs: [{ ip: podIP }], conditions: [...scheduled, ...conditions] };
        await cluster.request("PATCH", `${path}/status`, { status }, mergePatch);
      }
    }
  }

  test("that is drained", async () => {
    const lines = await dryRunLines("--drain", failing);
    const fates = of(lines, "fate").map(
      ({ pod, fate }) => `${String(pod).replace(/-[a-z0-9]{5}$/, "-…")} ${String(fate)}`,
    );
    expect(fates.filter((line) => line.endsWith(" held"))).toEqual(["shop/db-0 held", "shop/db-1 held"]);
    // Asks with a dry run, which needs no undo, which evictions the server refuses.
    for (const { pod, fate, why } of of(lines, "fate")) {
      const name = String(pod).split("/")[1] ?? "";
      if (fate === "stays") continue;
      const path = `/api/v1/namespaces/${namespace}/pods/${name}/eviction?dryRun=All`;
      const eviction = { apiVersion: "policy/v1", kind: "Eviction", metadata: { name, namespace } };
      const { status, body } = await cluster.request("POST", path, eviction);
      expect([name, status]).toEqual([name, fate === "held" ? 429 : 201]);
      if (fate === "held") expect(body.details.causes[0].message).toBe(String(why));
    }
    const drained = await cluster.kubectl(["drain", failing, "--dry-run=server", "--timeout=1s"]);
    expect(drained.stderr).toContain("cannot delete DaemonSet-managed Pods");
    expect(drained.stderr).toContain("cannot delete Pods that declare no controller");
  });

  test("with a misspelt or unknown name", async () => {
    const { code, stderr } = await runProgram(["dry-run", "--node-down", "fake-9"], { kubeconfig: cluster.kubeconfig });
    expect(code).toBe(2);
    expect(stderr).toContain("there is no node fake-9 on the cluster");
    expect(stderr).toContain("did you mean fake-0, fake-1, fake-2?");
  });

  test(
    "that becomes silent",
    async () => {
      const lines = await dryRunLines("--node-down", failing);
      const expected = texts(await foretold("silence"));
      const before = await podsThere();
      await cluster.kill("kwok");
      for (const node of others) await startBeating(cluster, node);
      await until(async () => {
        await playKubelets();
        const doomed = before.filter(({ metadata }) => !metadata.name.startsWith("agent-"));
        const now = new Map((await podsThere()).map((pod) => [pod.metadata.uid, pod]));
        return doomed.every(({ metadata, spec }) => {
          const pod = now.get(metadata.uid);
          return spec?.nodeName !== failing || pod === undefined || isGoing(pod);
        });
      });
      const end = performance.now() + 20_000;
      while (performance.now() < end) {
        await playKubelets();
        await Bun.sleep(500);
      }
      await quiet();
      const happened = await objectsThere();
      expect(expected).toEqual(texts(happened));

      const pods = await podsThere();
      const fresh = pods.filter(({ metadata }) => !before.some((old) => old.metadata.uid === metadata.uid));
      const fates = of(lines, "fate");
      expect(fates).toHaveLength(before.filter(({ spec }) => spec?.nodeName === failing).length);
      for (const { pod: key, fate, why, workload: owner } of fates) {
        const old = pods.find(({ metadata }) => `${namespace}/${metadata.name}` === key);
        const stays = fate === "stays";
        expect([key, old === undefined, old !== undefined && isGoing(old)]).toEqual([key, false, !stays]);
        if (fate !== "cannot move") continue;
        const app = (owner as { readonly key: string }).key.split("/")[1] ?? "";
        const pending = fresh.find(
          ({ spec, metadata }) => (spec?.nodeName ?? "") === "" && metadata.labels?.["app"] === app,
        );
        const scheduled = pending?.status?.conditions?.find(({ type }) => type === "PodScheduled");
        // A text about preemption may follow.
        expect(scheduled?.message).toStartWith(String(why));
      }
      expect(fates.filter(({ fate }) => fate === "cannot move").map(({ why }) => why)).toEqual([
        "0/3 nodes are available: 1 node(s) had untolerated taint(s), 2 node(s) didn't match PersistentVolume's node affinity.",
        "0/3 nodes are available: 1 node(s) had untolerated taint(s), 2 node(s) didn't match Pod's node affinity/selector.",
      ]);
      const moved = fates.filter(({ fate }) => fate === "moves");
      expect(moved).toHaveLength(3);
      expect(moved.every(({ to }) => others.includes(String(to)))).toBe(true);
      expect(fresh.filter(({ spec }) => others.includes(spec?.nodeName ?? ""))).toHaveLength(moved.length);

      const left = of(lines, "outage").map(({ service: key, forMs }) => [key, forMs === undefined ? 0 : 3]);
      expect(left).toEqual([
        ["shop/db", await endpoints("db")],
        ["shop/web", await endpoints("web")],
      ]);
      expect(of(lines, "end")).toMatchObject([{ available: "found", exitCode: 4 }]);

      const node = await connection.client.get(Nodes, { namespace: "", name: failing });
      const change = of(lines, "change").find(({ kind }) => kind === "Node");
      const foreseen = change?.["after"] as Node | undefined;
      const conditionsOf = ({ status }: Node): readonly string[] =>
        (status?.conditions ?? []).map(({ type, status: is, reason }) => `${type} ${is} ${reason}`).sort();
      const taintsOf = ({ spec }: Node): readonly string[] =>
        (spec?.taints ?? []).map(({ key, effect }) => `${key} ${effect}`).sort();
      expect(foreseen === undefined ? [] : conditionsOf(foreseen)).toEqual([...conditionsOf(node)]);
      expect(foreseen === undefined ? [] : taintsOf(foreseen)).toEqual([...taintsOf(node)]);
    },
    2 * longestMs,
  );
});
