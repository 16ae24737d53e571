/**
 * `run --leader-elect` and client-go's leader election take over from each other when their processes end or are killed. The API server's
 * audit log shows which one wrote when.
 */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { join } from "node:path";
import type { Program } from "../../scripts/built-programs.ts";
import { programCommand } from "../e2e/support/program.ts";
import { type Cluster, clusterMissing, startCluster } from "../support/cluster.ts";
import { tries } from "../support/long.ts";
import { goCandidate } from "./programs.ts";

const unused: Program = { is: "missing", why: "no control plane" };
const go = clusterMissing === undefined ? await goCandidate() : unused;
const handOvers = tries(4, 50);
const timing = [
  "--leader-elect-lease-duration=4s",
  "--leader-elect-renew-deadline=3s",
  "--leader-elect-retry-period=500ms",
];
const lease = ["--leader-elect-resource-namespace=default", "--leader-elect-resource-name=leader"];
const work = "/api/v1/namespaces/default/configmaps/work";

interface Candidate {
  readonly name: "go" | "ours";
  readonly process: Bun.Subprocess;
}

describe.skipIf(go.is !== "there")(`leader election across Go and us${go.is === "there" ? "" : ` (${go.why})`}`, () => {
  let cluster: Cluster;
  const running = new Set<Bun.Subprocess>();
  beforeAll(async () => {
    cluster = await startCluster({ audit: true });
    await cluster.request("POST", "/api/v1/namespaces/default/configmaps", { metadata: { name: "work" } });
  }, 120_000);
  afterAll(async () => {
    for (const process of running) process.kill("SIGKILL");
    await Promise.all([...running].map(({ exited }) => exited));
    await cluster.stop();
  });

  function start(name: Candidate["name"], number: number): Candidate {
    if (go.is !== "there") throw new Error(go.why);
    const ours = [...programCommand, "run", join(import.meta.dir, "candidate.ts"), "-n", "default", "--force"];
    const command = name === "go" ? [go.path, `go-${number}`] : [...ours, "--leader-elect", ...timing, ...lease];
    const process = Bun.spawn(command, {
      env: { ...globalThis.process.env, KUBECONFIG: cluster.kubeconfig, NAME: `ours-${number}` },
      stdin: "ignore",
      stdout: "ignore",
      stderr: "ignore",
    });
    running.add(process);
    return { name, process };
  }

  /** The last writer of the ConfigMap, such as `go-1`. */
  async function signer(): Promise<string> {
    const { body } = await cluster.request("GET", work);
    return (body as { readonly data?: { readonly by?: string } }).data?.by ?? "";
  }

  async function leads({ name, process }: Candidate): Promise<void> {
    for (let look = 0; look < 600; look++) {
      if ((await signer()).startsWith(name)) return;
      if (process.exitCode !== null) throw new Error(`${name} ended with ${process.exitCode} before it led`);
      await Bun.sleep(100);
    }
    throw new Error(`${name} did not lead within a minute`);
  }

  test(
    `${handOvers} handovers, and never two writers`,
    async () => {
      let leader = start("go", 0);
      await leads(leader);
      let next = start("ours", 1);
      for (let number = 1; number <= handOvers; number++) {
        // Long enough for the new candidate to be waiting for the Lease.
        await Bun.sleep(1500);
        const isKilled = number % 3 === 0;
        leader.process.kill(isKilled ? "SIGKILL" : "SIGTERM");
        const code = await leader.process.exited;
        running.delete(leader.process);
        if (!isKilled) expect({ name: leader.name, code }).toEqual({ name: leader.name, code: 0 });
        await leads(next);
        const former = leader.name;
        leader = next;
        next = start(former, number + 1);
      }
      const events = await cluster.audit();
      const signed = events
        .filter(
          ({ verb, objectRef, stage }) =>
            verb === "patch" && objectRef?.name === "work" && stage === "ResponseComplete",
        )
        .map(({ requestObject, responseObject }) => ({
          by: (requestObject as { data: { by: string } }).data.by,
          version: Number((responseObject as { metadata: { resourceVersion: string } }).metadata.resourceVersion),
        }))
        .sort((a, b) => a.version - b.version);
      const turns = signed.filter(({ by }, index) => signed[index - 1]?.by !== by).map(({ by }) => by);
      // Each process leads once: a name that appears twice would have written after another leader did.
      expect(turns.length).toBe(handOvers + 1);
      expect(new Set(turns).size).toBe(turns.length);
      expect(turns.map((by) => by.split("-")[0])).toEqual(turns.map((_, index) => (index % 2 === 0 ? "go" : "ours")));
      expect(signed.length).toBeGreaterThan(10 * handOvers);
    },
    (60 + 30 * handOvers) * 1000,
  );
});
