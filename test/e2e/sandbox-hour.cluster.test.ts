/**
 * Unchanged kube-controller-manager, kube-scheduler and kwok with default flags on the compiled sandbox, while users make random changes:
 * for half a minute, and with LONG=1 for an hour. The same on a real kube-apiserver shows which errors in their logs are not caused by the
 * sandbox.
 */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parse } from "yaml";
import { linesOf } from "../../scripts/bench/lines.ts";
import { seededRandom } from "../../src/platform/random.ts";
import { binaryFolder } from "../support/binary.ts";
import { type Cluster, controllersMissing, startCluster } from "../support/cluster.ts";
import { long } from "../support/long.ts";
import { type ControlPlaneAtWork, startAtWork } from "./support/control-plane-at-work.ts";
import { act, type Send, settle } from "./support/random-life.ts";

const minutes = long ? 60 : 0.4;
const everyMs = 500;
/** Errors that depend on the order of concurrent requests, on any server. */
const byChance = [
  /the object has been modified/,
  /StorageError: invalid object/,
  /not found/,
  /already exists/,
  /is being terminated|being deleted/,
  // A controller that has not yet seen its own write waits: on a busy machine, with any server.
  /read version: \d+ is not as new as written version: \d+/,
  // kwok starts a pod by its name: a pod re-created under that name already has an address.
  /may specify no more than one IP for each IP family/,
  /unable to get metrics|failed to get cpu utilization|no metrics returned|no recommendation/i,
];

interface KubeconfigShape {
  readonly clusters: readonly { readonly cluster: Readonly<Record<string, string>> }[];
  readonly users: readonly { readonly user: Readonly<Record<string, string>> }[];
}

function senderFor(kubeconfig: string): Send {
  const { clusters, users } = parse(readFileSync(kubeconfig, "utf8")) as KubeconfigShape;
  const { server = "", "certificate-authority-data": ca = "" } = clusters[0]?.cluster ?? {};
  const { token = "" } = users[0]?.user ?? {};
  return async (method, path, body) => {
    const type = method === "PATCH" ? "application/strategic-merge-patch+json" : "application/json";
    const response = await fetch(`${server}${path}`, {
      method,
      headers: { authorization: `Bearer ${token}`, "content-type": type, "user-agent": "random-life/1" },
      tls: { ca: atob(ca) },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    await response.arrayBuffer();
    return { status: response.status };
  };
}

function residentMb(pid: number): number {
  const status = readFileSync(`/proc/${pid}/status`, "utf8");
  return Number(/VmRSS:\s+(\d+)/.exec(status)?.[1] ?? 0) / 1024;
}

const median = (of: readonly number[]): number => of.toSorted((a, b) => a - b)[Math.floor(of.length / 2)] ?? 0;

describe.skipIf(controllersMissing !== undefined)(`a life of ${minutes} min with the real control plane`, () => {
  let cluster: Cluster;
  let dir: string;
  let sandbox: Bun.Subprocess<"ignore", "pipe", "inherit">;
  let mine: ControlPlaneAtWork;
  let real: ControlPlaneAtWork;
  let kubeconfig: string;
  let auditFile: string;
  beforeAll(async () => {
    cluster = await startCluster();
    dir = mkdtempSync(join(tmpdir(), "life-"));
    [kubeconfig, auditFile] = [join(dir, "kubeconfig"), join(dir, "audit.log")];
    const program = join(await binaryFolder(), "kubectl-reconcile");
    const bare = ["--run", "none", "--no-scheduler", "--no-kubelet", "--nodes", "0"];
    const files = ["--write-kubeconfig", kubeconfig, "--audit-log", auditFile];
    sandbox = Bun.spawn([program, "sandbox", ...bare, ...files], {
      stdin: "ignore",
      stdout: "pipe",
      stderr: "inherit",
    });
    for await (const line of linesOf(sandbox.stdout)) if (line.startsWith("ready after")) break;
    const keys = { signingKey: join(cluster.dir, "sa.key"), rootCa: join(cluster.dir, "ca.crt") };
    const beside = join(dir, "real");
    mkdirSync(beside);
    [mine, real] = await Promise.all([
      startAtWork({ kubeconfig, dir, ...keys }),
      startAtWork({ kubeconfig: cluster.kubeconfig, dir: beside, ...keys }),
    ]);
  });
  afterAll(async () => {
    await Promise.all([mine.stop(), real.stop()]);
    sandbox.kill("SIGTERM");
    await Promise.all([sandbox.exited, cluster.stop()]);
    rmSync(dir, { recursive: true, force: true });
  });

  test(
    "nothing fails that does not fail on a real kube-apiserver",
    async () => {
      const sides = [senderFor(kubeconfig), senderFor(cluster.kubeconfig)];
      await Promise.all(sides.map(settle));
      const memory: number[] = [];
      const until = performance.now() + minutes * 60_000;
      let acts = 0;
      const randoms = sides.map(() => seededRandom(13));
      while (performance.now() < until) {
        const began = performance.now();
        await Promise.all(sides.map((send, side) => act(send, randoms[side] ?? seededRandom(0))));
        acts++;
        memory.push(residentMb(sandbox.pid));
        await Bun.sleep(Math.max(0, everyMs - (performance.now() - began)));
      }
      expect([...mine.ended(), sandbox.exitCode]).toEqual([null]);
      const [own, theirs] = [mine.errors(), real.errors()];
      const onlyMine = [...own].filter(
        ([place, text]) => !theirs.has(place) && !byChance.some((pattern) => pattern.test(text)),
      );
      const audit = readFileSync(auditFile, "utf8").trim().split("\n");
      const codes = audit.map((line) => Number(/"responseStatus":\{[^}]*"code":(\d+)/.exec(line)?.[1] ?? 0));
      const failed = audit.filter((_, index) => (codes[index] ?? 0) >= 500);
      const quarter = Math.floor(memory.length / 4);
      const [early, late] = [median(memory.slice(quarter, 2 * quarter)), median(memory.slice(3 * quarter))];
      console.log(
        `${minutes} min: ${acts} acts, ${audit.length} requests, ${failed.length} of them 5xx; errors logged ${own.size} here, ` +
          `${theirs.size} there, only here ${onlyMine.length}; resident ${early.toFixed(0)} MB, then ${late.toFixed(0)} MB`,
      );
      expect(acts).toBeGreaterThan(minutes * 30);
      expect(onlyMine).toEqual([]);
      expect(failed.slice(0, 5)).toEqual([]);
      // In its first minutes it grows to its normal size.
      if (long) expect(late).toBeLessThan(early * 1.2);
    },
    (minutes + 3) * 60_000,
  );
});
