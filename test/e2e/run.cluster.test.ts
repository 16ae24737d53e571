/** `kubectl reconcile run replicaset` on a real kube-apiserver without kube-controller-manager, from the command line to the pods. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { below, seededRandom } from "../../src/platform/random.ts";
import { effectsOf } from "../support/audit-log.ts";
import { type Cluster, clusterMissing, startCluster } from "../support/cluster.ts";
import { tries } from "../support/long.ts";
import { type Program, runProgram, startProgram } from "./support/program.ts";
import { eventually, Workload } from "./support/workload.ts";

describe.skipIf(clusterMissing !== undefined)("run replicaset", () => {
  let cluster: Cluster;
  let made = 0;
  beforeAll(async () => {
    cluster = await startCluster({ audit: true });
  });
  afterAll(() => cluster.stop());

  async function namespace(): Promise<Workload> {
    const name = `run-${++made}`;
    await cluster.createNamespace(name);
    return new Workload(cluster, name);
  }

  /** Starts it in that namespace, and waits until its workers run. */
  async function running(workload: Workload, ...more: string[]): Promise<Program> {
    const program = start(workload, ...more);
    await program.says(/^(?:running|starting) replicaset/m);
    return program;
  }

  function start(workload: Workload, ...more: string[]): Program {
    return startProgram(["run", "replicaset", "-n", workload.namespace, ...more], { kubeconfig: cluster.kubeconfig });
  }

  test("gives a ReplicaSet of 3 its 3 pods, each with a controller reference", async () => {
    const workload = await namespace();
    await using program = await running(workload);
    const { metadata } = await workload.createReplicaSet("web", 3);
    const pods = await workload.settled("web", 3);
    for (const pod of pods) {
      expect(pod.metadata.name).toMatch(/^web-[a-z0-9]{5}$/);
      expect(pod.metadata.ownerReferences).toEqual([
        {
          apiVersion: "apps/v1",
          kind: "ReplicaSet",
          name: "web",
          uid: metadata.uid,
          controller: true,
          blockOwnerDeletion: true,
        },
      ]);
    }
    const lines = program.stdout;
    expect(lines).toMatch(/replicaset \S+\/web +scale-up +3 of 3 pods are missing → create 3/);
    for (const pod of pods) expect(lines).toContain(`+ Pod ${pod.metadata.name}`);
  });

  test("replaces a deleted pod, and deletes all when scaled to 0", async () => {
    const workload = await namespace();
    await using _ = await running(workload);
    await workload.createReplicaSet("web", 3);
    const [first, ...others] = await workload.settled("web", 3);
    await workload.deletePod(first?.metadata.name ?? "");
    await eventually(async () => {
      const names = (await workload.pods()).map(({ metadata }) => metadata.name);
      expect(names).toHaveLength(3);
      expect(names).not.toContain(first?.metadata.name);
      expect(names).toEqual(expect.arrayContaining(others.map(({ metadata }) => metadata.name)));
    });
    await workload.scale("web", 0);
    await workload.settled("web", 0);
    expect(await workload.pods()).toEqual([]);
  });

  test("adopts a matching orphan, and creates only the missing pods", async () => {
    const workload = await namespace();
    const orphan = await workload.createPod("orphan", { app: "web" });
    const stranger = await workload.createPod("stranger", { app: "other" });
    await using program = await running(workload);
    await workload.createReplicaSet("web", 2);
    const pods = await workload.settled("web", 2);
    expect(pods.map(({ metadata }) => metadata.uid)).toContain(orphan.metadata.uid);
    const after = (await workload.pods()).find(({ metadata }) => metadata.uid === stranger.metadata.uid);
    expect(after?.metadata.ownerReferences).toBeUndefined();
    await program.says(/adopt/);
  });

  test("releases a relabelled pod, and replaces it", async () => {
    const workload = await namespace();
    await using program = await running(workload);
    await workload.createReplicaSet("web", 2);
    const [first] = await workload.settled("web", 2);
    await workload.relabelPod(first?.metadata.name ?? "", { app: "under-inspection" });
    await eventually(async () => expect(await workload.pods()).toHaveLength(3));
    const pods = await workload.settled("web", 2);
    expect(pods.map(({ metadata }) => metadata.uid)).not.toContain(first?.metadata.uid as string);
    const released = (await workload.pods()).find(({ metadata }) => metadata.uid === first?.metadata.uid);
    expect(released?.metadata.ownerReferences ?? []).toEqual([]);
    await program.says(/release/);
  });

  test("sets ReplicaFailure when a quota is exceeded, and removes it when there is room again", async () => {
    const workload = await namespace();
    await workload.limitPods("few", 2);
    await using program = await running(workload);
    await workload.createReplicaSet("web", 3);
    await eventually(async () => {
      const { status } = await workload.replicaSet("web");
      const condition = status.conditions?.find(({ type }) => type === "ReplicaFailure");
      expect(condition).toMatchObject({ reason: "FailedCreate" });
      expect(condition?.message).toContain("exceeded quota: few");
    });
    await program.says(/exceeded quota: few/);
    await workload.unlimitPods("few");
    await workload.settled("web", 3);
    await eventually(async () => expect((await workload.replicaSet("web")).status.conditions ?? []).toEqual([]));
  });

  test("writes nothing after another copy has taken its Lease: 9 pods are created for 9", async () => {
    const workload = await namespace();
    await workload.createReplicaSet("web", 3);
    await using sleeper = await running(workload);
    await workload.settled("web", 3);
    sleeper.signal("SIGSTOP");
    // When it is resumed, its watch has this change before it has checked its Lease.
    await workload.scale("web", 9);
    await using heir = start(workload);
    await heir.says(/^(?:running|starting) replicaset/m);
    await workload.settled("web", 9);
    sleeper.signal("SIGCONT");
    const end = await sleeper.end();
    expect(end).toMatchObject({ code: 2, stderr: expect.stringContaining("was taken by ") as string });
    await workload.settled("web", 9);
    const created = effectsOf(await cluster.audit()).filter(
      ({ verb, resource, namespace: where, code }) =>
        verb === "create" && resource === "pods" && where === workload.namespace && code === 201,
    );
    expect(created).toHaveLength(9);
  });

  for (let seed = 1; seed <= tries(1, 10); seed++) {
    test(`killed in the middle of 0 → 500 and restarted, creates exactly 500 (seed ${seed})`, async () => {
      await killedAndStartedAgain(60 + below(seededRandom(seed), 300));
    });
  }

  async function killedAndStartedAgain(killAt: number): Promise<void> {
    const workload = await namespace();
    // So slow that at least 3 s are left in which to kill it.
    const slow = ["--kube-api-qps", "40", "--kube-api-burst", "60"];
    const fast = ["--kube-api-qps", "120", "--kube-api-burst", "60"];
    await workload.createReplicaSet("many", 0);
    {
      await using first = await running(workload, ...slow);
      await workload.scale("many", 500);
      await eventually(async () => expect((await workload.pods()).length).toBeGreaterThan(killAt));
      first.signal("SIGKILL");
      await first.end();
    }
    const left = (await workload.pods()).length;
    expect(left).toBeLessThan(500);
    const startedAt = performance.now();
    await using second = await running(workload, ...fast);
    // The Lease of the killed copy has this host and a dead process: its 15 s are not waited for.
    expect(performance.now() - startedAt).toBeLessThan(10_000);
    await workload.settled("many", 500, 90_000);
    second.signal("SIGINT");
    const { code, stdout } = await second.end();
    expect(code).toBe(0);
    expect(stdout).toMatch(/^stopped after .*: \d+ syncs?, \d+ writes?/m);
    expect(await workload.pods()).toHaveLength(500);
    // None was deleted, so there was never a surplus: the second copy has seen what the first one created.
    const deletions = effectsOf(await cluster.audit()).filter(
      ({ verb, namespace, resource }) => verb === "delete" && namespace === workload.namespace && resource === "pods",
    );
    expect(deletions).toEqual([]);
  }

  test("is limited by -n and -l to some ReplicaSets; their pods are read whatever their labels", async () => {
    const [one, two] = [await namespace(), await namespace()];
    for (const workload of [one, two]) await workload.createReplicaSet("web", 1, { team: "a" });
    await one.createReplicaSet("api", 1, { team: "b" });
    await using program = await running(one, "-l", "team=a");
    await one.settled("web", 1);
    program.signal("SIGTERM");
    expect((await program.end()).code).toBe(0);
    expect({ one: (await one.pods()).length, two: (await two.pods()).length }).toEqual({ one: 1, two: 0 });
    // Its pods do not match the selector, but still count.
    const again = await runProgram(["run", "rs", "-n", one.namespace, "-l", "team=a", "--once"], {
      kubeconfig: cluster.kubeconfig,
    });
    expect({ code: again.code, pods: (await one.pods()).length }).toEqual({ code: 0, pods: 1 });
  });

  test("handles all namespaces with -A", async () => {
    const [one, two] = [await namespace(), await namespace()];
    for (const workload of [one, two]) await workload.createReplicaSet("web", 2);
    const { code, stdout } = await runProgram(["run", "replicaset", "-A", "--once"], {
      kubeconfig: cluster.kubeconfig,
    });
    expect({ code, one: (await one.pods()).length, two: (await two.pods()).length }).toEqual({
      code: 0,
      one: 2,
      two: 2,
    });
    expect(stdout).toMatch(/^context .* · all namespaces$/m);
  });
});
