/** A node that becomes silent, in a dry run: the reactions of node-lifecycle, taint-eviction and others, and the reported fates. */
import { describe, expect, test } from "bun:test";
import { Nodes } from "../../../src/api/kinds.ts";
import type { StoredObject } from "../../../src/api/object.ts";
import type { Node, Pod } from "../../../src/api/types.ts";
import type { ControllerDefinition } from "../../../src/controller/api/definition.ts";
import { builtInControllers } from "../../../src/controllers/index.ts";
import type { RequestedChange, ToApply } from "../../../src/modes/dry-run/apply.ts";
import type { DryRunOptions, InitialState } from "../../../src/modes/dry-run/dry-run.ts";
import { emptyCluster } from "../../../src/modes/dry-run/initial-state.ts";
import type { PodFate } from "../../../src/modes/dry-run/pod-fates.ts";
import type { DryRun } from "../../../src/modes/dry-run/result.ts";
import { verdictsOf } from "../../../src/modes/dry-run/verdicts.ts";
import { apply, changesOf, play } from "./scene.ts";

const controllers = builtInControllers.filter(({ disabledByDefault }) => disabledByDefault !== true);
const down = (...names: readonly string[]): readonly RequestedChange[] =>
  names.map((name) => ({ is: "silence", kind: Nodes, namespace: "", name }));

const node = (name: string, more: Partial<Node> = {}): Partial<Node> => ({
  apiVersion: "v1",
  kind: "Node",
  ...more,
  metadata: { ...more.metadata, name } as Node["metadata"],
});

function workload(kind: string, name: string, more: { readonly pod?: object; readonly spec?: object } = {}): ToApply {
  const labels = { app: name };
  return {
    apiVersion: kind === "Job" ? "batch/v1" : "apps/v1",
    kind,
    metadata: { name },
    spec: {
      ...(kind !== "Job" && { selector: { matchLabels: labels } }),
      ...more.spec,
      template: {
        metadata: { labels },
        spec: { containers: [{ name: "c", image: "i" }], ...more.pod },
      },
    },
  } as ToApply;
}

function pod(name: string, spec: object = {}, metadata: object = {}): ToApply {
  return {
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name, ...metadata },
    spec: { containers: [{ name: "c", image: "i" }], ...spec },
  } as ToApply;
}

const service = (name: string): ToApply =>
  ({
    apiVersion: "v1",
    kind: "Service",
    metadata: { name },
    spec: { selector: { app: name }, ports: [{ port: 80 }] },
  }) as ToApply;

const missing = { configMapRef: { name: "missing" } };
const onA = { nodeSelector: { at: "a" } };
/** Prefers node a, and runs elsewhere if that is gone. */
const ratherA = {
  affinity: {
    nodeAffinity: {
      preferredDuringSchedulingIgnoredDuringExecution: [
        { weight: 100, preference: { matchExpressions: [{ key: "at", operator: "In", values: ["a"] }] } },
      ],
    },
  },
};

/** Runs with the nodes a, b and c; node a has the label `at: a`. */
function run(
  objects: readonly ToApply[],
  {
    silent = ["a"],
    nodes,
    ...more
  }: Partial<DryRunOptions> & {
    readonly silent?: readonly string[];
    readonly nodes?: readonly Partial<Node>[];
  } = {},
): Promise<DryRun> {
  const three = [node("a", { metadata: { labels: { at: "a" } } as never }), node("b"), node("c")];
  return play({
    initialState: emptyCluster(["default", "shop"], { simulated: 0, nodes: nodes ?? three }),
    baseline: more.initialState === undefined ? objects.map(apply) : [],
    requestedChanges: down(...silent),
    controllers,
    ...more,
  });
}

/** A cluster in which these objects have been reconciled. */
async function settled(objects: readonly ToApply[]): Promise<InitialState> {
  const empty = emptyCluster(["default", "shop"], {
    simulated: 0,
    nodes: [node("a", { metadata: { labels: { at: "a" } } as never }), node("b"), node("c")],
  });
  const done = await play({ initialState: empty, requestedChanges: objects.map(apply), controllers });
  const own = [...done.state.values()].map(({ object }) => object);
  const pods = own.filter(({ kind }) => kind === "Pod").map(({ metadata }) => metadata.uid);
  return { ...empty, objects: own, atMs: empty.atMs + 60_000, settledPods: new Set(pods) };
}

const fatesIn = ({ nodes }: DryRun): readonly PodFate[] => nodes?.fates ?? [];

function judged(run: DryRun, used: readonly ControllerDefinition[] = controllers): string {
  const changes = run.groups.flatMap((group) => group.changes);
  return verdictsOf({ ...run, controllers: used, changes, liveRefusals: new Map() }).available.is;
}

function objectsOf(run: DryRun, kind: string): readonly StoredObject[] {
  return [...run.state.values()].filter(({ of }) => of.kind === kind).map(({ object }) => object);
}

describe("a node that becomes silent", () => {
  test("is found after the grace period of 50 s, is tainted, and its pods are evicted after the 300 s that they tolerate", async () => {
    const done = await run([workload("Deployment", "web", { pod: ratherA })]);
    expect(done.settled.is).toBe("steady");
    const [requested] = done.nodes?.nodes ?? [];
    expect(requested).toMatchObject({ node: "a", how: "falls silent", pods: 1 });
    const { unknownAfterMs = 0, taintedAfterMs = 0 } = requested ?? {};
    // The last heartbeat is at most 10 s old, and the nodes are scanned every 5 s.
    expect(unknownAfterMs).toBeGreaterThan(40_000);
    expect(unknownAfterMs).toBeLessThanOrEqual(60_000);
    expect(taintedAfterMs).toBeGreaterThanOrEqual(unknownAfterMs);
    const [fate] = fatesIn(done);
    expect((fate?.deletedAfterMs ?? 0) - taintedAfterMs).toBe(300_000);
    const [a] = objectsOf(done, "Node").filter(({ metadata }) => metadata.name === "a") as readonly Node[];
    expect(a?.status?.conditions?.map(({ status }) => status)).toEqual(["Unknown", "Unknown", "Unknown", "Unknown"]);
    expect(a?.spec?.taints?.map(({ key, effect }) => `${key}:${effect}`)).toEqual([
      "node.kubernetes.io/unreachable:NoSchedule",
      "node.kubernetes.io/unreachable:NoExecute",
    ]);
  });

  test("leaves the other nodes alone, and causes no drift", async () => {
    const done = await run([workload("Deployment", "web")]);
    expect(done.drift).toEqual([]);
    expect(changesOf(done).filter((line) => line.includes("Node "))).toEqual(["~ Node a"]);
    expect(changesOf(done).some((line) => /Lease|Namespace/.test(line))).toBe(false);
  });

  test("loses the pods of a Deployment to other nodes, and all of it is available in the end", async () => {
    const done = await run([workload("Deployment", "web", { spec: { replicas: 3 }, pod: ratherA }), service("web")]);
    expect(fatesIn(done).map(({ fate, to }) => [fate, to === "b" || to === "c"])).toEqual([
      ["moves", true],
      ["moves", true],
      ["moves", true],
    ]);
    expect(fatesIn(done)[0]?.workload).toEqual({ of: { group: "apps", kind: "Deployment" }, key: "default/web" });
    expect(done.availability).toMatchObject([{ key: "default/web", available: 3, desired: 3, why: undefined }]);
    // Its pods are not ready from the detection until replacements are; changes of endpoints are batched for a second.
    expect(done.nodes?.outages).toMatchObject([{ service: "default/web", endpoints: 3 }]);
    expect(done.nodes?.outages[0]?.forMs).toBeGreaterThanOrEqual(299_000);
    expect(judged(done)).toBe("well");
    // Those on the silent node stay Terminating: no kubelet reports their end.
    const left = objectsOf(done, "Pod").filter(({ metadata }) => metadata.deletionTimestamp !== undefined);
    expect(left).toHaveLength(3);
  });

  test("keeps the pods of a StatefulSet Terminating, and the set waits for them", async () => {
    const done = await run([workload("StatefulSet", "db", { spec: { replicas: 2 }, pod: ratherA }), service("db")]);
    expect(fatesIn(done).map(({ pod, fate }) => `${pod} ${fate}`)).toEqual([
      "default/db-0 waits",
      "default/db-1 waits",
    ]);
    expect(done.availability).toMatchObject([
      {
        of: { kind: "StatefulSet" },
        available: 0,
        desired: 2,
        why: expect.stringMatching(/^Pod db-0: Terminating until the node is back/),
      },
      { of: { kind: "Service" }, available: 0, desired: 2, why: "no ready endpoint is left" },
    ]);
    expect(done.nodes?.outages[0]?.forMs).toBeUndefined();
    expect(judged(done)).toBe("found");
  });

  test("counts the pods of a StatefulSet that are left on other nodes", async () => {
    const spread = {
      topologySpreadConstraints: [
        {
          maxSkew: 1,
          topologyKey: "kubernetes.io/hostname",
          whenUnsatisfiable: "DoNotSchedule",
          labelSelector: { matchLabels: { app: "db" } },
        },
      ],
    };
    const done = await run([workload("StatefulSet", "db", { spec: { replicas: 3 }, pod: spread })]);
    expect(fatesIn(done).map(({ fate }) => fate)).toEqual(["waits"]);
    expect(done.availability).toMatchObject([{ available: 2, desired: 3 }]);
  });

  test("shows the predicate by which no other node fits", async () => {
    const done = await run([workload("ReplicaSet", "web", { pod: onA })]);
    expect(fatesIn(done)).toMatchObject([
      {
        fate: "cannot move",
        why: "0/3 nodes are available: 1 node(s) had untolerated taint(s), 2 node(s) didn't match Pod's node affinity/selector.",
      },
    ]);
    expect(done.availability).toMatchObject([{ available: 0, desired: 1 }]);
  });

  test("mentions that preemption might make room, which is not simulated", async () => {
    const important = { ...onA, priorityClassName: "important" };
    const priority = {
      apiVersion: "scheduling.k8s.io/v1",
      kind: "PriorityClass",
      metadata: { name: "important" },
      value: 1000,
    } as ToApply;
    const others = workload("DaemonSet", "agent");
    const done = await run([priority, workload("ReplicaSet", "web", { pod: important }), others]);
    expect(fatesIn(done).find(({ fate }) => fate === "cannot move")?.why).toMatch(
      /selector\. kube-scheduler may preempt pods of lower priority for it, which is not simulated here\.$/,
    );
  });

  test("loses pods without a controller", async () => {
    const done = await run([pod("alone", onA)]);
    expect(fatesIn(done)).toMatchObject([{ fate: "lost", pod: "default/alone" }]);
    expect(fatesIn(done)[0]?.why).toMatch(/^nothing recreates it; Terminating until/);
    expect(done.availability).toMatchObject([{ of: { kind: "Pod" }, available: 0, desired: 1 }]);
  });

  test("keeps the pods of DaemonSets and static pods, which no workload lacks", async () => {
    const mirror = pod(
      "etcd-a",
      { nodeName: "a", tolerations: [{ operator: "Exists", effect: "NoExecute" }] },
      { annotations: { "kubernetes.io/config.mirror": "x" } },
    );
    const everywhere = { tolerations: [{ operator: "Exists" }] };
    const done = await run([workload("DaemonSet", "agent", { pod: everywhere }), mirror]);
    expect(fatesIn(done).map(({ fate, why }) => [fate, why])).toEqual([
      ["stays", "it tolerates the taint of its node"],
      ["stays", "a static pod"],
    ]);
    expect(done.availability).toMatchObject([{ key: "default/agent", available: 2, desired: 2, why: undefined }]);
    expect(judged(done)).toBe("well");
  });

  test("keeps a pod that tolerates the taint for longer than the run, and says so", async () => {
    const key = "node.kubernetes.io/unreachable";
    const tolerations = [{ key, operator: "Exists", effect: "NoExecute", tolerationSeconds: 86_400 }];
    const done = await run([workload("ReplicaSet", "web", { pod: { ...onA, tolerations } })]);
    expect(fatesIn(done)).toMatchObject([{ fate: "later", why: "it tolerates the taint for 86400 s" }]);
    expect(done.availability).toMatchObject([{ available: 0, desired: 1 }]);
  });

  test("is waited for while something is due, but not for periodic checks", async () => {
    const key = "node.kubernetes.io/unreachable";
    const tolerations = [{ key, operator: "Exists", effect: "NoExecute", tolerationSeconds: 1800 }];
    const stuck = workload("Deployment", "stuck", { pod: onA });
    const done = await run([stuck, workload("ReplicaSet", "slow", { pod: { ...ratherA, tolerations } })]);
    expect(done.settled.is).toBe("steady");
    const slow = fatesIn(done).find(({ pod: name }) => name.includes("slow"));
    expect(slow?.fate).toBe("moves");
    expect(slow?.deletedAfterMs).toBeGreaterThan(1_800_000);
    // Otherwise there would be 10 syncs a second by the end of the hour, starting in the tenth minute.
    const short = await run([stuck]);
    expect(short.syncs).toBeGreaterThan(1000);
    expect(short.syncs).toBeLessThan(20_000);
  });

  test("runs a Job's pod again elsewhere, unless its replacement has to wait", async () => {
    const long = { metadata: { annotations: { "sandbox.kubectl-reconcile.io/run-for": "2h" } } };
    const job = (more: object): ToApply => {
      const made = workload("Job", "work", { spec: more, pod: { ...ratherA, restartPolicy: "Never" } });
      const { spec } = made as unknown as { spec: { template: object } };
      return { ...made, spec: { ...spec, template: { ...spec.template, ...long } } } as ToApply;
    };
    const again = await run([job({})]);
    expect(fatesIn(again).map(({ fate }) => fate)).toEqual(["moves"]);
    const waits = await run([job({ podReplacementPolicy: "Failed" })]);
    expect(fatesIn(waits).map(({ fate }) => fate)).toEqual(["waits"]);
  });

  test("is one of several, and each is tainted in turn", async () => {
    const done = await run([workload("Deployment", "web", { spec: { replicas: 6 } })], { silent: ["a", "b"] });
    expect(done.nodes?.nodes.map(({ node: name }) => name)).toEqual(["a", "b"]);
    const times = (done.nodes?.nodes ?? []).map(({ taintedAfterMs = 0 }) => taintedAfterMs).sort((a, b) => a - b);
    // One node every ten seconds.
    expect((times[1] ?? 0) - (times[0] ?? 0)).toBeGreaterThanOrEqual(9000);
    expect(new Set(fatesIn(done).flatMap(({ to }) => to ?? []))).toEqual(new Set(["c"]));
    expect(done.availability).toMatchObject([{ available: 6, desired: 6 }]);
  });

  test("evicts nothing while no node is ready", async () => {
    const done = await run([workload("ReplicaSet", "web")], { silent: ["a", "b", "c"] });
    expect(fatesIn(done)).toMatchObject([{ fate: "stays", why: "its node gets no taint that evicts" }]);
    expect(done.availability).toMatchObject([{ available: 0, desired: 1 }]);
    expect(objectsOf(done, "Pod").some(({ metadata }) => metadata.deletionTimestamp !== undefined)).toBe(false);
  });

  test("is not the cause of earlier shortages, but of those that grow", async () => {
    const waiting = pod("waiting", { ...onA, containers: [{ name: "c", image: "i", envFrom: [missing] }] });
    const done = await run([waiting]);
    expect(done.availability).toEqual([]);
    expect(done.nodes?.shortBefore).toMatchObject([{ key: "default/waiting", available: 0, desired: 1 }]);
    const short = await run([workload("ReplicaSet", "web", { pod: onA, spec: { replicas: 222 } })], {
      nodes: [
        node("a", { metadata: { labels: { at: "a" } } as never }),
        node("b", { metadata: { labels: { at: "a" } } as never }),
      ],
      silent: ["b"],
    });
    expect(short.availability).toMatchObject([{ key: "default/web", available: 110, desired: 222 }]);
  });

  test("has an unknown result for pods of an owner that is not simulated here", async () => {
    const done = await run([workload("Deployment", "web", { pod: ratherA })], {
      controllers: controllers.filter(({ name }) => name === "deployment" || name === "replicaset"),
    });
    expect(judged(done)).toBe("well");
    const alone = await run([workload("Deployment", "web", { pod: ratherA }), service("web")], {
      controllers: controllers.filter(({ name }) => name === "deployment"),
      initialState: await settled([workload("Deployment", "web", { pod: ratherA }), service("web")]),
    });
    expect(fatesIn(alone)).toMatchObject([{ fate: "unclear" }]);
    expect(judged(alone)).toBe("cannot tell");
    expect(alone.nodes?.unseen).toContainEqual({
      what: "endpoints of Services",
      why: "endpointslice is not among the controllers that run",
      isDecisive: false,
    });
    const owned = pod("made", onA, {
      ownerReferences: [
        { apiVersion: "example.com/v1", kind: "Rollout", name: "made", uid: "1-2-3", controller: true },
      ],
    });
    const unclear = await run([owned], { controllers: controllers.filter(({ name }) => name !== "garbage-collector") });
    expect(fatesIn(unclear)).toMatchObject([{ fate: "unclear", workload: { of: { kind: "Rollout" } } }]);
    expect(judged(unclear)).toBe("cannot tell");
  });

  test("does not affect schedules: no CronJob starts anything meanwhile, and finished Jobs stay", async () => {
    const { spec } = workload("Job", "work", { pod: { restartPolicy: "Never" } }) as unknown as {
      readonly spec: object;
    };
    const everyMinute = {
      apiVersion: "batch/v1",
      kind: "CronJob",
      metadata: { name: "minutely" },
      spec: { schedule: "* * * * *", jobTemplate: { spec } },
    } as ToApply;
    const short = workload("Job", "short", { spec: { ttlSecondsAfterFinished: 60 }, pod: { restartPolicy: "Never" } });
    const done = await run([everyMinute, short]);
    expect(done.settled.is).toBe("steady");
    expect(objectsOf(done, "Job").map(({ metadata }) => metadata.name)).toEqual(["short"]);
  });

  test("is not waited for if the question is not about a node", async () => {
    const done = await play({ baseline: [], requestedChanges: [apply(workload("Deployment", "web"))], controllers });
    expect(done.nodes).toBeUndefined();
    expect(done.settled).toMatchObject({ is: "steady" });
    expect(objectsOf(done, "Lease")).toEqual([]);
  });
});

describe("volumes of pods on a node that becomes silent", () => {
  const claimed = { ...ratherA, volumes: [{ name: "data", persistentVolumeClaim: { claimName: "data" } }] };
  const stored = (apiVersion: string, kind: string, name: string, rest: object): StoredObject => ({
    apiVersion,
    kind,
    metadata: {
      name,
      uid: `uid-${name}`,
      resourceVersion: "1",
      creationTimestamp: "2026-01-01T00:00:00Z",
      ...(kind === "PersistentVolumeClaim" && { namespace: "default" }),
    },
    ...rest,
  });
  const resources = { requests: { storage: "1Gi" } };
  const claim = (accessModes: readonly string[]): StoredObject =>
    stored("v1", "PersistentVolumeClaim", "data", {
      spec: { accessModes, resources, volumeName: "pv", storageClassName: "" },
      status: { phase: "Bound" },
    });
  const volume = (accessModes: readonly string[], nodes?: readonly string[]): StoredObject =>
    stored("v1", "PersistentVolume", "pv", {
      spec: {
        accessModes,
        capacity: { storage: "1Gi" },
        csi: { driver: "d", volumeHandle: "h" },
        claimRef: { namespace: "default", name: "data", uid: "uid-data" },
        ...(nodes !== undefined && {
          nodeAffinity: {
            required: {
              nodeSelectorTerms: [
                { matchExpressions: [{ key: "kubernetes.io/hostname", operator: "In", values: nodes }] },
              ],
            },
          },
        }),
      },
      status: { phase: "Bound" },
    });

  async function withVolumes(...objects: readonly StoredObject[]): Promise<DryRun> {
    const nodes = [node("a", { metadata: { labels: { at: "a" } } as never }), node("b"), node("c")];
    const empty = emptyCluster(["default"], { simulated: 0, nodes });
    return run([workload("ReplicaSet", "web", { pod: claimed })], {
      initialState: { ...empty, objects: [...empty.objects, ...objects] },
      baseline: [apply(workload("ReplicaSet", "web", { pod: claimed }))],
    });
  }

  test("that are local to it keep their pods from every other node", async () => {
    const done = await withVolumes(claim(["ReadWriteMany"]), volume(["ReadWriteMany"], ["a"]));
    expect(fatesIn(done)).toMatchObject([
      {
        fate: "cannot move",
        why: "0/3 nodes are available: 1 node(s) had untolerated taint(s), 2 node(s) didn't match PersistentVolume's node affinity.",
      },
    ]);
  });

  test("that can be used on another node choose that", async () => {
    const done = await withVolumes(claim(["ReadWriteMany"]), volume(["ReadWriteMany"], ["a", "c"]));
    expect(fatesIn(done)).toMatchObject([{ fate: "moves", to: "c" }]);
    expect(judged(done)).toBe("well");
  });

  test("for one node at a time make it unknown when the other one can start", async () => {
    const done = await withVolumes(claim(["ReadWriteOnce"]), volume(["ReadWriteOnce"]));
    expect(fatesIn(done)).toMatchObject([{ fate: "moves" }]);
    expect(judged(done)).toBe("cannot tell");
    expect(done.nodes?.unseen).toMatchObject([
      { what: "ReplicaSet default/web", why: expect.stringContaining("stays attached to a while Pod default/web-") },
    ]);
  });

  test("that could not be read make it unknown where the claim can be used", async () => {
    const done = await withVolumes(claim(["ReadWriteMany"]));
    expect(judged(done)).toBe("cannot tell");
    expect(done.nodes?.unseen[0]?.why).toBe(
      "on which nodes PersistentVolume pv of claim default/data can be used: no cluster was consulted",
    );
  });
});

test("a pod that is left on a silent node is judged by its real state, not by its status", async () => {
  const done = await run([workload("Deployment", "web", { pod: ratherA })]);
  const pods = objectsOf(done, "Pod") as readonly Pod[];
  const nodes = pods.map(({ spec }) => spec?.nodeName ?? "").sort();
  expect(nodes).toEqual(["a", expect.stringMatching(/^[bc]$/) as string]);
});
