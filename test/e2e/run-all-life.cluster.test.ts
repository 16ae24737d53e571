/**
 * `kubectl reconcile run all` in place of kube-controller-manager, with kube-scheduler and kwok, while users make random changes: for half
 * a minute, and with LONG=1 for an hour. kube-controller-manager handles the same changes on another cluster. The only errors of syncs are
 * those that can happen to upstream too (`byChance`), and in the end nothing is left undone on either cluster.
 */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { linesOf } from "../../scripts/bench/lines.ts";
import { seededRandom } from "../../src/platform/random.ts";
import { type Cluster, controllersMissing, startCluster } from "../support/cluster.ts";
import { long } from "../support/long.ts";
import { programCommand } from "./support/program.ts";
import { act, type Send, settle } from "./support/random-life.ts";
import { undoneOn } from "./support/undone.ts";

const minutes = long ? 60 : 0.5;
const everyMs = 500;
const restMs = 120_000;
/** A race can leave a quota's usage wrong until all are calculated again, every five minutes, in kube-controller-manager too. */
const recountMs = 330_000;

/** Errors that depend on the order of concurrent requests. */
const byChance = [
  /the object has been modified/,
  /StorageError: invalid object/,
  /not found/,
  /already exists/,
  /is being terminated|being deleted/,
  // A pod of a third template is counted down from zero, by upstream too: pkg/controller/statefulset/stateful_set_control.go
  // updateStatefulSet.
  /status\.currentReplicas: Invalid value: -1/,
  // Orphans are adopted by the first set of the name, and the quotas here are small.
  /Only one reference can have Controller set to true/,
  /exceeded quota/,
  // A recreated CronJob finds the Job of its predecessor's run, or one whose response was lost. Upstream's sync fails too: it reads that Job
  // without a namespace, pkg/controller/cronjob/cronjob_controllerv2.go syncCronJob.
  /the Job \S+ of this run exists, and was not started by this sync/,
  // Nothing serves metrics here.
  /unable to get metrics|failed to get cpu utilization|no metrics returned|no recommendation/i,
];

interface Failure {
  readonly stage?: string;
  readonly controller?: string;
  readonly error?: string;
  readonly expected?: string;
}

const isOurs = (namespace: string): boolean => /^(red|green|blue|tmp-\d)$/.test(namespace);

describe.skipIf(controllersMissing !== undefined)(`a life of ${minutes} min without kube-controller-manager`, () => {
  let [ours, theirs]: Cluster[] = [];
  let run: Bun.Subprocess<"ignore", "pipe", "pipe">;
  /** An example of each error per controller, without names and numbers. */
  const failures = new Map<string, string>();
  let reading: Promise<unknown>;
  let stderr = "";
  const memory: number[] = [];
  beforeAll(async () => {
    [ours, theirs] = await Promise.all([
      startCluster({ controllers: "none", nodes: 3 }),
      startCluster({ controllers: "*", nodes: 3 }),
    ]);
    run = Bun.spawn([...programCommand, "run", "all", "-A", "--force", "-o", "json"], {
      env: { PATH: process.env["PATH"] ?? "", HOME: "/nonexistent", KUBECONFIG: ours.kubeconfig },
      stdin: "ignore",
      stdout: "pipe",
      stderr: "pipe",
    });
    const note = async (): Promise<void> => {
      for await (const line of linesOf(run.stdout)) {
        if (!line.includes('"stage":"done"') || !line.includes('"error":')) continue;
        const { controller = "", error = "", expected } = JSON.parse(line) as Failure;
        if (expected === undefined) failures.set(`${controller} ${error.replaceAll(/\S*\d\S*|"[^"]*"/g, "…")}`, error);
      }
    };
    reading = Promise.all([note(), new Response(run.stderr).text().then((text) => (stderr = text))]);
  });
  afterAll(async () => {
    run.kill("SIGTERM");
    await run.exited;
    await reading;
    await Promise.all([ours?.stop(), theirs?.stop()]);
  });

  const sendTo =
    (cluster: Cluster): Send =>
    (method, path, body) =>
      cluster.request(
        method,
        path,
        body,
        method === "PATCH" ? { "content-type": "application/strategic-merge-patch+json" } : {},
      );

  /** What is left undone; empty as soon as nothing is. */
  async function undoneAtRest(cluster: Cluster): Promise<readonly string[]> {
    const from = performance.now();
    for (;;) {
      const undone = await undoneOn((method, path) => cluster.request(method, path), isOurs);
      const mostMs = undone.every((problem) => problem.startsWith("quota ")) ? recountMs : restMs;
      if (undone.length === 0 || performance.now() - from > mostMs) return undone;
      await Bun.sleep(1000);
    }
  }

  test(
    "no sync fails with an unexpected error, and nothing is left undone",
    async () => {
      if (ours === undefined || theirs === undefined) throw new Error("no clusters");
      const sides = [ours, theirs].map((cluster) => ({ send: sendTo(cluster), random: seededRandom(17) }));
      await Promise.all(sides.map(({ send }) => settle(send)));
      const until = performance.now() + minutes * 60_000;
      let acts = 0;
      while (performance.now() < until) {
        const began = performance.now();
        await Promise.all(sides.map(({ send, random }) => act(send, random)));
        acts++;
        memory.push(Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${run.pid}/status`, "utf8"))?.[1] ?? 0) / 1024);
        await Bun.sleep(Math.max(0, everyMs - (performance.now() - began)));
      }
      // CronJobs would continue forever.
      const cronJobs = "/apis/batch/v1/namespaces";
      for (const { send } of sides)
        for (const namespace of ["red", "green", "blue"]) await send("DELETE", `${cronJobs}/${namespace}/cronjobs`);
      const [undone, undoneThere] = await Promise.all([undoneAtRest(ours), undoneAtRest(theirs)]);
      const log = readFileSync(join(theirs.dir, "kube-controller-manager.log"), "utf8");
      const logged = log.split("\n").filter((line) => /^[EF]\d{4} /.test(line)).length;
      const onlyOurs = [...failures.values()].filter((text) => !byChance.some((pattern) => pattern.test(text)));
      console.log(
        `${minutes} min: ${acts} acts; ${failures.size} sorts of errors here, ${logged} errors logged there; undone ${undone.length} here, ` +
          `${undoneThere.length} there; resident ${memory.at(-1)?.toFixed(0)} MB`,
      );
      expect([run.exitCode, stderr.split("\n").filter((line) => line.startsWith("error"))]).toEqual([null, []]);
      expect(acts).toBeGreaterThan(minutes * 30);
      expect(onlyOurs).toEqual([]);
      expect(undone).toEqual([]);
      expect(undoneThere).toEqual([]);
    },
    (minutes + 8) * 60_000,
  );
});
