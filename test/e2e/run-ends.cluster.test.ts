/** How `run` ends: signals, pipes, `--once`; and what it prints to which stream. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Lease } from "../../src/api/types.ts";
import { controlPlaneBinary } from "../../scripts/control-plane.ts";
import { type Cluster, clusterMissing, startCluster } from "../support/cluster.ts";
import { startHttpFaultProxy } from "../support/http-fault-proxy.ts";
import { kubeconfigThrough } from "../support/fault-proxy.ts";
import { type Program, programCommand, runProgram, startProgram } from "./support/program.ts";
import { eventually, Workload } from "./support/workload.ts";

describe.skipIf(clusterMissing !== undefined)("run ends", () => {
  let cluster: Cluster;
  let made = 0;
  beforeAll(async () => {
    cluster = await startCluster();
  });
  afterAll(() => cluster.stop());

  async function namespace(): Promise<Workload> {
    const name = `ends-${++made}`;
    await cluster.createNamespace(name);
    return new Workload(cluster, name);
  }

  function start(workload: Workload, ...more: string[]): Program {
    return startProgram(["run", "replicaset", "-n", workload.namespace, ...more], { kubeconfig: cluster.kubeconfig });
  }

  /** The spec of the run's Lease; undefined if there is none. */
  async function leaseOf({ namespace }: Workload): Promise<Lease["spec"]> {
    const path = `/apis/coordination.k8s.io/v1/namespaces/${namespace}/leases/kubectl-reconcile-replicaset`;
    return ((await cluster.request("GET", path)).body as Partial<Lease>).spec;
  }

  async function leaseHolder(workload: Workload): Promise<string | undefined> {
    return (await leaseOf(workload))?.holderIdentity;
  }

  /** In ms since 1970. */
  async function renewedAt(workload: Workload): Promise<number> {
    return Date.parse((await leaseOf(workload))?.renewTime ?? "");
  }

  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) {
    test(`at ${signal} with a summary, its Lease deleted, and exit code 0`, async () => {
      const workload = await namespace();
      await using program = start(workload);
      await program.says(/^(?:running|starting)/m);
      await workload.createReplicaSet("web", 2);
      await workload.settled("web", 2);
      expect(await leaseHolder(workload)).toContain(`_${program.pid}_`);
      program.signal(signal);
      const { code, stdout, stderr } = await program.end();
      expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
      expect(stdout).toMatch(/^stopped after [\d.]+ m?s: \d+ syncs, 4 writes,.* 0 errors\n$/m);
      expect(await leaseHolder(workload)).toBeUndefined();
    });
  }

  test("at a signal after the sync in flight: its decisions are carried out", async () => {
    const workload = await namespace();
    await using program = start(workload, "--kube-api-qps", "100", "--kube-api-burst", "1");
    await program.says(/^(?:running|starting)/m);
    await workload.createReplicaSet("many", 60);
    await eventually(async () => expect((await workload.pods()).length).toBeGreaterThan(2));
    program.signal("SIGINT");
    const { code, stdout } = await program.end();
    expect({ code, pods: (await workload.pods()).length }).toEqual({ code: 0, pods: 60 });
    expect(stdout).toMatch(/^stopped after/m);
  });

  test("at once with exit code 130 at a second signal", async () => {
    const workload = await namespace();
    await using program = start(workload, "--kube-api-qps", "2", "--kube-api-burst", "1");
    await program.says(/^(?:running|starting)/m);
    await workload.createReplicaSet("slow", 100);
    await eventually(async () => expect((await workload.pods()).length).toBeGreaterThan(0));
    program.signal("SIGINT");
    await Bun.sleep(200);
    expect((await workload.pods()).length).toBeLessThan(100);
    program.signal("SIGINT");
    // Compare the output as well: on a machine at a load of 20 this once ended with 0.
    const { code, stdout, stderr } = await program.end();
    expect({ code, stdout, stderr }).toEqual({ code: 130, stdout: expect.any(String), stderr: expect.any(String) });
  });

  test("at a signal before the caches have synced", async () => {
    const proxy = await startHttpFaultProxy(cluster);
    try {
      proxy.inject({ match: ({ path }) => path.endsWith("/pods"), fault: { is: "delay", ms: 60_000 } });
      const workload = await namespace();
      await using program = startProgram(["run", "replicaset", "-n", workload.namespace], {
        kubeconfig: kubeconfigThrough(cluster, proxy.url),
      });
      await program.says(/^rights/m);
      program.signal("SIGINT");
      const { code, stderr } = await program.end();
      expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    } finally {
      await proxy.stop();
    }
  });

  test("when another process takes its Lease, although a cache never fills", async () => {
    const workload = await namespace();
    const folder = mkdtempSync(join(tmpdir(), "never-"));
    const file = join(folder, "never.ts");
    const never = { group: "never.example.com", version: "v1", kind: "Never", plural: "nevers", namespaced: true };
    writeFileSync(
      file,
      `import { defineController, kindOf, watchPrimary } from "kubectl-reconcile";
      const Nevers = kindOf(${JSON.stringify(never)});
      export default defineController({
        name: "never", purpose: "has a kind that is never served", for: Nevers, watches: [watchPrimary(Nevers)], rules: [],
        permissions: [], sync: () => Promise.resolve(undefined),
      });`,
    );
    try {
      await using program = startProgram(["run", "replicaset", file, "-n", workload.namespace, "--force"], {
        kubeconfig: cluster.kubeconfig,
      });
      await program.says(/^starting/m);
      const path = `/apis/coordination.k8s.io/v1/namespaces/${workload.namespace}/leases/kubectl-reconcile-replicaset`;
      const merge = { "content-type": "application/merge-patch+json" };
      await cluster.request("PATCH", path, { spec: { holderIdentity: "somebody" } }, merge);
      const { code, stderr } = await program.end();
      expect(code).toBe(2);
      expect(stderr).toMatch(/^stopped: Lease \S+kubectl-reconcile-replicaset was taken/m);
      expect(await leaseHolder(workload)).toBe("somebody");
    } finally {
      rmSync(folder, { recursive: true });
    }
  });

  test("quietly with exit code 0 when its reader closes the pipe, as in `… | head -1`", async () => {
    const workload = await namespace();
    await workload.createReplicaSet("web", 2);
    const { code, stdout, stderr } = await runProgram(["run", "replicaset", "-n", workload.namespace], {
      kubeconfig: cluster.kubeconfig,
      through: '"$@" | head -1; exit "${PIPESTATUS[0]}"',
    });
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    expect(stdout.split("\n")).toHaveLength(2);
  });

  test("not while its requests wait for longer than its Lease: that is renewed without waiting", async () => {
    const workload = await namespace();
    await using program = start(workload, "--kube-api-qps", "1", "--kube-api-burst", "1");
    await program.says(/^(?:running|starting)/m);
    await workload.createReplicaSet("slow", 100);
    // By then dozens of creates wait.
    await eventually(async () => expect((await workload.pods()).length).toBeGreaterThan(8), 60_000);
    const first = await renewedAt(workload);
    await eventually(async () => expect(await renewedAt(workload)).toBeGreaterThan(first + 10_000), 60_000);
    expect((await workload.pods()).length).toBeLessThan(100);
    program.signal("SIGINT");
    await Bun.sleep(200);
    program.signal("SIGINT");
    const { stderr } = await program.end();
    expect(stderr).not.toContain("could not be renewed");
  });

  test("not when etcd is away for longer than its Lease: it reports that, waits for the Lease, and continues", async () => {
    const workload = await namespace();
    await workload.createReplicaSet("web", 2);
    await using program = start(workload);
    await workload.settled("web", 2);
    await cluster.kill("etcd");
    try {
      await program.says(/^warning: Lease \S+ could not be renewed for 10 s: .*; nothing is written .* until it is$/m);
      await Bun.sleep(6000);
    } finally {
      await cluster.start("etcd");
    }
    await program.says(/^renewed after [\d.]+ s: the run continues$/m);
    await eventually(() => workload.scale("web", 3));
    await workload.settled("web", 3);
    program.signal("SIGINT");
    expect(await program.end()).toMatchObject({ code: 0 });
  });

  test("not when the server goes away: it reports that once, and continues when it is back", async () => {
    const workload = await namespace();
    await workload.createReplicaSet("web", 2);
    await using program = start(workload);
    await program.says(/replicas 0 → 2/);
    const { kubeconfig } = cluster;
    await using trace = startProgram(["trace", "replicaset", "-n", workload.namespace], { kubeconfig });
    await trace.says(/^caches /m);
    await cluster.restartApiServer();
    await program.says(/watch of Pod is back/);
    await trace.says(/^watch of Pod broke: .*; trying again$/m);
    await trace.says(/^watch of Pod is back after /m);
    await workload.scale("web", 3);
    await workload.settled("web", 3);
    program.signal("SIGINT");
    const { code, stdout } = await program.end();
    expect(code).toBe(0);
    expect(stdout.match(/watch of Pod broke: .*; trying again$/gm)).toHaveLength(1);
    expect(stdout).toMatch(/^stopped after .* 0 errors$/m);
  });

  test("with the same exit code as a kubectl plugin", async () => {
    const workload = await namespace();
    await workload.createReplicaSet("web", 1);
    const folder = mkdtempSync(join(tmpdir(), "plugin-"));
    try {
      writeFileSync(join(folder, "kubectl-reconcile"), `#!/bin/sh\nexec ${programCommand.join(" ")} "$@"\n`, {
        mode: 0o755,
      });
      const kubectl = async (...args: string[]): Promise<{ code: number; output: string }> => {
        const env = { ...process.env, PATH: `${folder}:${process.env["PATH"] ?? ""}`, KUBECONFIG: cluster.kubeconfig };
        const command = [controlPlaneBinary("kubectl") ?? "kubectl", "reconcile", ...args];
        const run = Bun.spawn(command, { env, stdin: "ignore", stdout: "pipe", stderr: "pipe", timeout: 300_000 });
        const [out, err] = await Promise.all([new Response(run.stdout).text(), new Response(run.stderr).text()]);
        return { code: await run.exited, output: out + err };
      };
      const done = await kubectl("run", "replicaset", "-n", workload.namespace, "--once");
      expect({ code: done.code, pods: (await workload.pods()).length }).toEqual({ code: 0, pods: 1 });
      expect(await kubectl("run", "replicaset", "--context", "prod")).toMatchObject({ code: 2 });
      expect((await kubectl("run", "--help")).output).toStartWith("Usage: kubectl reconcile run ");
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });

  test("with --once and exit code 0 when everything is synced", async () => {
    const workload = await namespace();
    await workload.createReplicaSet("web", 3);
    const { code, stdout, stderr } = await runProgram(["run", "replicaset", "-n", workload.namespace, "--once"], {
      kubeconfig: cluster.kubeconfig,
    });
    expect({ code, stderr, pods: (await workload.pods()).length }).toEqual({ code: 0, stderr: "", pods: 3 });
    expect(stdout).toMatch(/^(?:running|starting) .*, until all is synced$/m);
    await workload.settled("web", 3, 0);
  });

  test("with --once and exit code 1 when an object keeps failing, and names it", async () => {
    const workload = await namespace();
    await workload.limitPods("none", 0);
    await workload.createReplicaSet("web", 1);
    const { code, stdout, stderr } = await runProgram(["run", "replicaset", "-n", workload.namespace, "--once"], {
      kubeconfig: cluster.kubeconfig,
    });
    expect(code).toBe(1);
    expect(stderr).toMatch(
      new RegExp(`^not synced: replicaset ${workload.namespace}/web: .*exceeded quota: none`, "m"),
    );
    expect(stdout).toMatch(/^stopped after .* [1-9]\d* errors$/m);
  });

  test("with -o json every line on standard output is an event, and everything else is on standard error", async () => {
    const workload = await namespace();
    await workload.createReplicaSet("web", 2);
    const { code, stdout, stderr } = await runProgram(
      ["run", "replicaset", "-n", workload.namespace, "--once", "-o", "json"],
      { kubeconfig: cluster.kubeconfig },
    );
    expect(code).toBe(0);
    const events = stdout
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line) as { v: number; seq: number; stage: string });
    expect(events.every(({ v }) => v === 1)).toBe(true);
    expect(events.map(({ seq }) => seq)).toEqual(events.map(({ seq }) => seq).toSorted((a, b) => a - b));
    const path = ["list", "watch", "delta", "store", "notify", "enqueue", "get", "decision", "write", "link", "done"];
    // Plus the Events that the controller records.
    expect([...new Set(events.map(({ stage }) => stage))].sort()).toEqual([...path, "event"].toSorted());
    for (const line of [/^context /m, /^rights /m, /^caches /m, /^(?:running|starting) /m, /^stopped after /m])
      expect(stderr).toMatch(line);
  });
});
