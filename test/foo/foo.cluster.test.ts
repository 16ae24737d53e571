/** The example docs/examples/foo beside kubernetes/sample-controller: the same actions of a user leave the same objects and Events. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { copyFileSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Program } from "../../scripts/built-programs.ts";
import crd from "../../docs/examples/foo/crd.json" with { type: "json" };
import { binaryFolder } from "../support/binary.ts";
import { type Cluster, clusterMissing, startCluster } from "../support/cluster.ts";
import { tries } from "../support/long.ts";
import { original } from "./original.ts";
import { Scene } from "./scene.ts";

const example = join(import.meta.dir, "..", "..", "docs", "examples", "foo");
const there = clusterMissing === undefined;
const go: Program = there ? await original() : { is: "missing", why: "no control plane" };
/** In the long form a hundred; SEED=n is one of your own. */
const seeds =
  process.env["SEED"] === undefined
    ? Array.from({ length: tries(8, 100) }, (_, n) => n + 1)
    : [Number(process.env["SEED"])];

/** Of the Event about a Deployment that belongs to somebody else. */
const reason = "ErrResourceExists";

interface Outcome {
  readonly objects: unknown;
  readonly events: ReadonlyMap<string, number>;
}

describe.skipIf(go.is !== "there")(`foo beside the original${go.is === "there" ? "" : ` (${go.why})`}`, () => {
  let cluster: Cluster;
  let folder: string;
  beforeAll(async () => {
    cluster = await startCluster();
    folder = mkdtempSync(join(tmpdir(), "foo-"));
    for (const name of ["foo.ts", "kinds.ts"]) copyFileSync(join(example, name), join(folder, name));
    await cluster.request("POST", "/apis/apiextensions.k8s.io/v1/customresourcedefinitions", crd);
    const foos = "/apis/samplecontroller.k8s.io/v1alpha1/foos";
    for (let look = 0; look < 300 && (await cluster.request("GET", foos)).status !== 200; look++) await Bun.sleep(100);
  }, 120_000);
  afterAll(async () => {
    rmSync(folder, { recursive: true });
    await cluster.stop();
  });

  /** Plays all seeds, each in a namespace of its own, while the program runs. */
  async function outcomes(prefix: string, command: readonly string[]): Promise<readonly Outcome[]> {
    const env = { PATH: process.env["PATH"] ?? "", HOME: folder, KUBECONFIG: cluster.kubeconfig };
    const log = Bun.file(join(folder, `${prefix}.log`));
    const program = Bun.spawn([...command], { cwd: folder, env, stdin: "ignore", stdout: log, stderr: log });
    try {
      const play = async (seed: number): Promise<Outcome> => {
        const scene = new Scene(cluster, `${prefix}-${seed}`, seed);
        await scene.play(25);
        const outcome = { objects: await scene.objects(), events: await scene.events() };
        await scene.clear();
        return outcome;
      };
      const all: Outcome[] = [];
      for (let n = 0; n < seeds.length; n += 8) all.push(...(await Promise.all(seeds.slice(n, n + 8).map(play))));
      if (program.exitCode !== null) throw new Error(`${prefix} ended: ${await log.text()}`);
      return all;
    } finally {
      program.kill();
      await program.exited;
    }
  }

  test(
    `leaves the same objects and Events, ${seeds.length} seeds`,
    async () => {
      if (go.is !== "there") throw new Error(go.why);
      // One after the other: the original cannot be kept to one namespace. `run` finds its Events, hence `--force`.
      const theirs = await outcomes("go", [go.path, `-kubeconfig=${cluster.kubeconfig}`]);
      const mine = await outcomes("ts", [
        join(await binaryFolder(), "kubectl-reconcile"),
        "run",
        "./foo.ts",
        "-A",
        "--force",
      ]);
      for (const [n, seed] of seeds.entries()) {
        const [ours, wanted] = [mine[n], theirs[n]];
        expect({ seed, objects: ours?.objects }).toEqual({ seed, objects: wanted?.objects });
        expect({ seed, events: [...(ours?.events.keys() ?? [])] }).toEqual({
          seed,
          events: [...(wanted?.events.keys() ?? [])],
        });
        for (const [event, count] of wanted?.events ?? []) {
          const factor = (ours?.events.get(event) ?? 0) / count;
          // How often a failed sync was retried by then is a matter of time.
          expect({ seed, event, within: factor >= 1 / 3 && factor <= 3 }).toEqual({ seed, event, within: true });
        }
      }
      const refused = theirs.filter(({ events }) => [...events.keys()].some((event) => event.includes(reason)));
      if (process.env["SEED"] === undefined) expect(refused).not.toEqual([]);
    },
    20 * 60_000,
  );
});
