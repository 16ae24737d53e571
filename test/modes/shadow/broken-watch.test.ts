/** While the watch that would show the owner's writes is broken, a shadow reports none of them as missing. */
import { expect, test } from "bun:test";
import { ReplicaSets, Pods } from "../../../src/api/kinds.ts";
import { type ApiBody, type Transport, TransportError } from "../../../src/api/transport.ts";
import { replicaset } from "../../../src/controllers/replicaset/replicaset.ts";
import { startShadow } from "../../../src/modes/shadow/shadow.ts";
import { type VirtualCluster, virtualCluster } from "../../support/virtual-cluster.ts";

const owner = "kube-controller-manager";
const labels = { app: "web" };
const spec = { containers: [{ name: "c", image: "nginx" }] } as const;
const set = {
  metadata: { name: "web", namespace: "default" },
  spec: { replicas: 1, selector: { matchLabels: labels }, template: { metadata: { labels }, spec } },
} as const;

/** Pods cannot be listed or watched while `isBroken`, and open watches of them break. */
class Connection implements Transport {
  readonly #inner: Transport;
  readonly #open = new Set<ApiBody>();
  #isBroken = false;

  constructor(inner: Transport) {
    this.#inner = inner;
  }

  break(): void {
    this.#isBroken = true;
    for (const body of this.#open) body.cancel(new TransportError("the connection was reset"));
  }

  mend(): void {
    this.#isBroken = false;
  }

  async send(request: Parameters<Transport["send"]>[0]): ReturnType<Transport["send"]> {
    const isOfPods = request.method === "GET" && request.path.endsWith("/pods");
    if (isOfPods && this.#isBroken) throw new TransportError("the connection was reset");
    const response = await this.#inner.send(request);
    if (isOfPods) this.#open.add(response.body);
    return response;
  }
}

async function sceneOf(
  cluster: VirtualCluster,
): Promise<{ readonly connection: Connection; readonly stop: () => Promise<void> }> {
  const { bus, random, sandbox, timeline } = cluster;
  const connection = new Connection(sandbox.transport({ actor: "shadow" }));
  const starting = startShadow({
    controllers: [replicaset],
    transport: connection,
    bus,
    timeline,
    random,
    ownerOf: () => ({ manager: owner, found: true }),
  });
  const shadow = await cluster.settle(starting, 5000);
  shadow.startWorkers();
  return { connection, stop: () => cluster.settle(shadow.stop(), 5000) };
}

const outcomes = (cluster: VirtualCluster): string[] =>
  cluster.events("agreement").map(({ is, verb, of }) => `${is}: ${verb} ${of.kind}`);

test("what the owner writes while the watch of pods is broken is compared once the watch is back", async () => {
  const cluster = await virtualCluster();
  const { timeline } = cluster;
  const { connection, stop } = await sceneOf(cluster);
  connection.break();
  const you = cluster.clientFor("you");
  const { metadata } = await cluster.settle(you.create(ReplicaSets, set), 1000);
  const theirs = cluster.clientFor(owner);
  const reference = { apiVersion: "apps/v1", kind: "ReplicaSet", name: "web", uid: metadata.uid };
  const ownerReferences = [{ ...reference, controller: true, blockOwnerDeletion: true }];
  const pod = { metadata: { generateName: "web-", namespace: "default", labels, ownerReferences }, spec };
  await cluster.settle(theirs.create(Pods, pod), 1000);
  await timeline.runUntil({ ms: 20_000 });
  expect(cluster.events("intention").map(({ verb, of }) => `${verb} ${of.kind}`)).toContain("create Pod");
  expect(outcomes(cluster)).toEqual([]);
  connection.mend();
  await timeline.runUntil({ ms: 60_000 });
  expect(outcomes(cluster).filter((each) => each.endsWith("create Pod"))).toEqual(["same: create Pod"]);
  await stop();
});

test("what the owner has not written two seconds after the watch is back differs", async () => {
  const cluster = await virtualCluster();
  const { connection, stop } = await sceneOf(cluster);
  connection.break();
  await cluster.settle(cluster.clientFor("you").create(ReplicaSets, set), 1000);
  await cluster.timeline.runUntil({ ms: 20_000 });
  expect(outcomes(cluster)).toEqual([]);
  connection.mend();
  await cluster.timeline.runUntil({ ms: 60_000 });
  expect(outcomes(cluster)).toContain("differs: create Pod");
  await stop();
});
