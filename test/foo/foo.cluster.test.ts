/** The example docs/examples/foo compared with kubernetes/sample-controller: the same user actions lead to the same objects and Events. */
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
/** A hundred in the long form; SEED=n runs another one. */
const seeds =
  process.env["SEED"] === undefined
    ? Array.from({ length: tries(8, 100) }, (_, n) => n + 1)
    : [Number(process.env["SEED"])];

/** The reason of the Event about a Deployment that belongs to another owner. */
const reason = "ErrResourceExists";

interface Outcome {
  readonly objects: unknown;
  /** Without their counts: how often a failed sync has been retried by then depends on timing. */
  readonly events: readonly string[];
}

/** A program, and the seeds that are played while it runs. */
interface Side {
  readonly command: readonly string[];
  readonly played: readonly number[];
}

/** If two Foos want the same Deployment, chance decides: seeds with differences are played again, on both sides. */
const mostTurns = 3;

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

  /** Plays the seeds, each in its own namespace, while the program runs. */
  async function outcomes(prefix: string, { command, played }: Side): Promise<readonly Outcome[]> {
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
      for (let n = 0; n < played.length; n += 8) all.push(...(await Promise.all(played.slice(n, n + 8).map(play))));
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
      const [ours, wanted] = [new Map<number, Outcome[]>(), new Map<number, Outcome[]>()];
      let open = seeds;
      for (let turn = 1; turn <= mostTurns && open.length > 0; turn++) {
        // In sequence: the original cannot be restricted to one namespace. `run` finds its Events, hence `--force`.
        const theirs = await outcomes(`go-${turn}`, {
          command: [go.path, `-kubeconfig=${cluster.kubeconfig}`],
          played: open,
        });
        const program = join(await binaryFolder(), "kubectl-reconcile");
        const mine = await outcomes(`ts-${turn}`, {
          command: [program, "run", "./foo.ts", "-A", "--force"],
          played: open,
        });
        for (const [n, seed] of open.entries()) {
          ours.set(seed, [...(ours.get(seed) ?? []), ...mine.slice(n, n + 1)]);
          wanted.set(seed, [...(wanted.get(seed) ?? []), ...theirs.slice(n, n + 1)]);
        }
        const isSame = (seed: number): boolean =>
          ours.get(seed)?.some((one) => wanted.get(seed)?.some((other) => Bun.deepEquals(one, other))) === true;
        open = open.filter((seed) => !isSame(seed));
      }
      for (const seed of open) expect({ seed, is: ours.get(seed) }).toEqual({ seed, is: wanted.get(seed) });
      const refused = [...wanted.values()]
        .flat()
        .filter(({ events }) => events.some((event) => event.includes(reason)));
      if (process.env["SEED"] === undefined) expect(refused).not.toEqual([]);
    },
    20 * 60_000,
  );
});
