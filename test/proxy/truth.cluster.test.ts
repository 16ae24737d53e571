/**
 * Compares the cause that the proxy reports for a process's writes with the one that the process itself reports; the process is our `run -o
 * json`.
 */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { httpTransport } from "../../src/client/http/http-transport.ts";
import { seededRandom } from "../../src/platform/random.ts";
import { realTimeline } from "../../src/platform/real-timeline.ts";
import { openObservedProxy, type ObservedProxy } from "../../src/proxy/observed-proxy.ts";
import { TraceBus } from "../../src/trace/bus.ts";
import { Episodes, type Episode } from "../../src/views/process/episodes.ts";
import { binaryFolder } from "../support/binary.ts";
import { type Cluster, controllersMissing, startCluster } from "../support/cluster.ts";
import { long, tries } from "../support/long.ts";
import { judge, OwnTriggers, type Tally, type AssignedWrite } from "./truth.ts";

/**
 * The least share of true causes, of all and of those that name a single delta. Measured: 0.979 for both in the long form; 0.96 to 0.99 in
 * the short form, which ends before the proxy has learned much about the process, and once 0.917 at a load of 20 on two cores, where
 * responses and deltas are reordered by hundreds of milliseconds. The goal is 0.99. Without the reconstructed queue it was 0.84.
 */
const leastTrue = long ? 0.96 : 0.87;
/** The least share of causes that name one delta instead of two: measured 0.83 to 0.9. */
const leastOne = 0.7;

describe.skipIf(controllersMissing !== undefined)("what woke a process behind a proxy", () => {
  let cluster: Cluster;
  let proxy: ObservedProxy;
  const episodes = new Episodes();
  let endEpisodes: () => void;
  const written: AssignedWrite[] = [];
  beforeAll(async () => {
    cluster = await startCluster({ controllers: "none" });
    const timeline = realTimeline();
    const bus = new TraceBus({ now: () => timeline.now() });
    const take = (over: readonly Episode[]): void => {
      for (const episode of over) for (const write of episode.writes) written.push([write, episode]);
    };
    endEpisodes = () => take(episodes.flush(Infinity));
    bus.listen((event) => {
      if (event.stage === "write" && (event.of.kind === "Lease" || event.of.kind === "Event")) return;
      take(episodes.accept(event));
    });
    const transport = httpTransport({
      server: cluster.url,
      tls: { ca: cluster.ca },
      headers: { authorization: `Bearer ${cluster.token}` },
    });
    proxy = await openObservedProxy({ transport, timeline, bus });
    writeFileSync(join(cluster.dir, "behind"), proxy.kubeconfig("default"), { mode: 0o600 });
  });
  afterAll(async () => {
    await proxy.close();
    await cluster.stop();
  });

  /** Makes a random change. */
  async function change(random: () => number): Promise<void> {
    const name = `web-${Math.floor(random() * 6)}`;
    const path = `/apis/apps/v1/namespaces/default/deployments`;
    const { status } = await cluster.request("GET", `${path}/${name}`);
    const labels = { app: name };
    const pick = random();
    if (status === 404) {
      await cluster.request("POST", path, {
        apiVersion: "apps/v1",
        kind: "Deployment",
        metadata: { name },
        spec: {
          replicas: Math.floor(random() * 5),
          selector: { matchLabels: labels },
          template: { metadata: { labels }, spec: { containers: [{ name: "web", image: "web:0" }] } },
        },
      });
    } else if (pick < 0.35)
      await cluster.kubectl(["scale", "deployment", name, `--replicas=${Math.floor(random() * 8)}`]);
    else if (pick < 0.55)
      await cluster.kubectl(["set", "image", `deployment/${name}`, `web=web:${Math.floor(random() * 1000)}`]);
    else if (pick < 0.65) await cluster.kubectl(["annotate", "deployment", name, `note=${random()}`, "--overwrite"]);
    else if (pick < 0.75) await cluster.request("DELETE", `${path}/${name}`);
    else {
      const pods = await cluster.request("GET", `/api/v1/namespaces/default/pods?labelSelector=app%3D${name}`);
      const items = (pods.body as { items: readonly { readonly metadata: { readonly name: string } }[] }).items;
      const pod = items[Math.floor(random() * items.length)];
      if (pod === undefined) return;
      if (pick < 0.9) await cluster.request("DELETE", `/api/v1/namespaces/default/pods/${pod.metadata.name}`);
      else await cluster.kubectl(["label", "pod", pod.metadata.name, "app=none", "--overwrite"]);
    }
  }

  /** Makes the changes of a seed and grades the cause of each write that followed. */
  async function play({ changes, exact }: { readonly changes: number; readonly exact: boolean }): Promise<Tally> {
    written.length = 0;
    const folder = await binaryFolder();
    const program = Bun.spawn(
      [
        join(folder, "kubectl-reconcile"),
        "run",
        "deployment",
        "replicaset",
        "garbage-collector",
        "-A",
        "-o",
        "json",
        "--kube-api-qps=200",
        "--kube-api-burst=300",
      ],
      {
        env: {
          HOME: tmpdir(),
          PATH: process.env["PATH"] ?? "",
          KUBECONFIG: join(cluster.dir, "behind"),
          ...(exact && { KUBECTL_RECONCILE_EXACT: "1" }),
        },
        stdin: "ignore",
        stdout: "pipe",
        stderr: "pipe",
      },
    );
    const stdout = new Response(program.stdout).text();
    const complained = new Response(program.stderr).text();
    const seeded = seededRandom(exact ? 15 : 14);
    const random = (): number => seeded.next();
    for (let n = 0; n < changes; n++) {
      await change(random);
      if (random() < 0.5) await Bun.sleep(random() * 400);
    }
    await Bun.sleep(3000);
    program.kill("SIGTERM");
    expect([await program.exited, (await complained).slice(-500)]).toEqual([0, expect.any(String)]);
    proxy.catchUp();
    endEpisodes();
    const { tally, wrong } = judge(written, new OwnTriggers(await stdout));
    const header = exact ? " with the header" : "";
    console.log(`what woke a process${header}: ${JSON.stringify(tally)}`);
    if (tally.true / (exact ? tally.writes : tally.caused) < (exact ? 1 : leastTrue))
      console.log(wrong.slice(0, 40).join("\n"));
    return tally;
  }

  test("95 of 100 writes have a cause that is more than a time, and most of these are true", async () => {
    const tally = await play({ changes: tries(60, 1000), exact: false });
    expect(tally.true / tally.caused).toBeGreaterThanOrEqual(leastTrue);
    expect(tally.oneTrue / tally.one).toBeGreaterThanOrEqual(leastTrue);
    expect(tally.one / tally.caused).toBeGreaterThanOrEqual(leastOne);
    expect(tally.caused / tally.writes).toBeGreaterThanOrEqual(0.95);
  });

  test("with the header every cause is true", async () => {
    const tally = await play({ changes: tries(20, 1000), exact: true });
    expect(tally.writes).toBeGreaterThan(20);
    // Retries and requeues have no delta to grade.
    expect({ true: tally.true, explained: tally.exact + tally.retries + tally.requeues }).toEqual({
      true: tally.writes,
      explained: tally.writes,
    });
  });
});
