/**
 * `run job` and `run statefulset` are killed with SIGKILL in the middle of their work and restarted, on a real kube-apiserver with a node
 * by kwok: their successors must be able to continue from what they wrote. Checked by the objects and the audit log. LONG=1: more kills,
 * more seeds.
 */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { seededRandom } from "../../src/platform/random.ts";
import { effectsOf } from "../support/audit-log.ts";
import { type Cluster, controllersMissing, startCluster } from "../support/cluster.ts";
import { long, tries } from "../support/long.ts";
import { startKubeletByHand } from "./support/kubelet-by-hand.ts";
import { throughKills } from "./support/killed-runs.ts";
import { mostDown, timesWritten } from "./support/pod-history.ts";

const completions = 500;
const replicas = 12;
const finalizer = "batch.kubernetes.io/job-tracking";
const range = (count: number): readonly number[] => Array.from({ length: count }, (_, n) => n);

interface Seen {
  readonly metadata: {
    readonly name: string;
    readonly labels?: Readonly<Record<string, string>>;
    readonly annotations?: Readonly<Record<string, string>>;
    readonly finalizers?: readonly string[];
  };
  readonly spec: { readonly containers?: readonly { readonly image: string }[] };
  readonly status: {
    readonly phase?: string;
    readonly active?: number;
    readonly succeeded?: number;
    readonly failed?: number;
    readonly completedIndexes?: string;
    readonly uncountedTerminatedPods?: Readonly<Record<string, readonly string[]>>;
    readonly conditions?: readonly { readonly type: string; readonly status: string }[];
    readonly updateRevision?: string;
    readonly currentRevision?: string;
    readonly updatedReplicas?: number;
    readonly readyReplicas?: number;
  };
}

/** A node whose kubelet is simulated by this test. */
const byHand = "by-hand";
/** The template names the node, so that no scheduler is needed. */
const podSpec = (image: string, nodeName: string): object => ({
  nodeName,
  containers: [{ name: "main", image }],
});

describe.skipIf(controllersMissing !== undefined)(
  "killed in the middle of its work, run leaves a consistent state",
  () => {
    let cluster: Cluster;
    beforeAll(async () => {
      cluster = await startCluster({ controllers: "none", nodes: 1, scheduler: false, audit: true });
    });
    afterAll(() => cluster.stop());

    async function granted(method: string, path: string, body?: object): Promise<unknown> {
      const headers = method === "PATCH" ? { "content-type": "application/merge-patch+json" } : {};
      const response = await cluster.request(method, path, body, headers);
      if (response.status >= 300) throw new Error(`${method} ${path}: ${JSON.stringify(response.body)}`);
      return response.body;
    }

    const list = async (path: string): Promise<readonly Seen[]> =>
      ((await granted("GET", path)) as { readonly items: readonly Seen[] }).items;

    for (let seed = 1; seed <= tries(1, 5); seed++) {
      test(`Jobs of ${completions} count each pod once, and each index (seed ${seed})`, async () => {
        const namespace = `jobs-${seed}`;
        await cluster.createNamespace(namespace);
        const jobs = `/apis/batch/v1/namespaces/${namespace}/jobs`;
        const pods = `/api/v1/namespaces/${namespace}/pods`;
        for (const completionMode of ["Indexed", "NonIndexed"]) {
          const template = { spec: { ...podSpec("main:1", "fake-0"), restartPolicy: "Never" } };
          const spec = { completions, parallelism: 50, completionMode, template };
          await granted("POST", jobs, { metadata: { name: completionMode.toLowerCase() }, spec });
        }
        const kills = long ? 8 : 3;
        await throughKills(cluster, {
          controller: "job",
          namespace,
          kills,
          // The writes of the finalizers that keep pods until they are counted, and of the pods.
          during: ["patch pods", "create pods"],
          mostWrites: Math.floor(completions / 2 / (kills + 1)),
          random: seededRandom(seed),
          async done() {
            for (const { metadata, status } of await list(jobs)) {
              const complete = status.conditions?.find(({ type }) => type === "Complete")?.status;
              expect({ name: metadata.name, complete }).toEqual({ name: metadata.name, complete: "True" });
            }
          },
        });
        const reported = (await list(jobs)).map(({ metadata: { name }, status }) => {
          const {
            active = 0,
            succeeded,
            failed = 0,
            completedIndexes,
            uncountedTerminatedPods: uncounted = {},
          } = status;
          return { name, active, succeeded, failed, completedIndexes, uncounted: Object.values(uncounted).flat() };
        });
        const whole = { active: 0, succeeded: completions, failed: 0, uncounted: [] };
        expect(reported).toEqual([
          { name: "indexed", ...whole, completedIndexes: `0-${completions - 1}` },
          { name: "nonindexed", ...whole, completedIndexes: undefined },
        ]);
        const left = await list(pods);
        const of = (job: string): readonly Seen[] =>
          left.filter(({ metadata }) => metadata.labels?.["batch.kubernetes.io/job-name"] === job);
        expect(left.filter(({ metadata }) => metadata.finalizers?.includes(finalizer)).length).toBe(0);
        expect(left.filter(({ status }) => status.phase !== "Succeeded").map(({ metadata }) => metadata.name)).toEqual(
          [],
        );
        expect(of("nonindexed").length).toBe(completions);
        const indexes = of("indexed").map(({ metadata }) =>
          Number(metadata.annotations?.["batch.kubernetes.io/job-completion-index"]),
        );
        expect(indexes.toSorted((a, b) => a - b)).toEqual([...range(completions)]);
      });

      test(`updates of StatefulSets of ${replicas} continue, one pod down at a time (seed ${seed})`, async () => {
        const namespace = `sets-${seed}`;
        await cluster.createNamespace(namespace);
        const sets = `/apis/apps/v1/namespaces/${namespace}/statefulsets`;
        const names = ["ordered", "parallel"] as const;
        for (const name of names) await granted("POST", sets, { metadata: { name }, spec: setSpec(name) });
        const kills = long ? 10 : 2;
        const runs = {
          controller: "statefulset",
          namespace,
          kills,
          mostWrites: Math.floor((2 * replicas) / (kills + 1)),
          random: seededRandom(seed),
        };
        const kubelet = startKubeletByHand(cluster, namespace);
        try {
          await throughKills(cluster, {
            ...runs,
            during: ["create persistentvolumeclaims", "create pods"],
            done: () => expectAllAre(namespace, "main:1"),
          });
          for (const name of names)
            await granted("PATCH", `${sets}/${name}`, { spec: { template: { spec: podSpec("main:2", byHand) } } });
          await throughKills(cluster, {
            ...runs,
            during: ["delete pods", "create pods", "update statefulsets/status"],
            done: () => expectAllAre(namespace, "main:2"),
          });
        } finally {
          await kubelet.stop();
        }
        const effects = effectsOf(await cluster.audit()).filter((effect) => effect.namespace === namespace);
        const claims = await list(`/api/v1/namespaces/${namespace}/persistentvolumeclaims`);
        expect(claims.length).toBe(2 * replicas);
        for (const name of names) {
          const members = range(replicas).map((ordinal) => `${name}-${ordinal}`);
          const down = mostDown(effects, members);
          const times = members.map((member) => timesWritten(effects, member));
          expect({ name, down, times }).toEqual({
            name,
            down: 1,
            times: members.map((member) => ({ member, pods: 2, revisions: 2, claimsEnded: 0 })),
          });
        }
      });
    }

    /** Both sets have rolled out that image. */
    async function expectAllAre(namespace: string, image: string): Promise<void> {
      for (const { metadata, status } of await list(`/apis/apps/v1/namespaces/${namespace}/statefulsets`)) {
        const { updateRevision, currentRevision, updatedReplicas, readyReplicas } = status;
        const isOver = updateRevision === currentRevision;
        const { name } = metadata;
        expect({ name, updatedReplicas, readyReplicas, isOver }).toEqual({
          name,
          updatedReplicas: replicas,
          readyReplicas: replicas,
          isOver: true,
        });
      }
      const pods = await list(`/api/v1/namespaces/${namespace}/pods`);
      expect(pods.map(({ spec }) => spec.containers?.[0]?.image)).toEqual(range(2 * replicas).map(() => image));
    }
  },
);

function setSpec(name: "ordered" | "parallel"): object {
  const labels = { app: name };
  const storage = { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } };
  return {
    replicas,
    serviceName: name,
    podManagementPolicy: name === "ordered" ? "OrderedReady" : "Parallel",
    selector: { matchLabels: labels },
    template: { metadata: { labels }, spec: podSpec("main:1", byHand) },
    volumeClaimTemplates: [{ metadata: { name: "data" }, spec: storage }],
  };
}
