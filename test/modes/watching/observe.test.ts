import { describe, expect, test } from "bun:test";
import { Pods, ReplicaSets } from "../../../src/api/kinds.ts";
import { readOnly } from "../../../src/client/http/read-only.ts";
import { createClient } from "../../../src/client/api/client.ts";
import { replicaset } from "../../../src/controllers/replicaset/replicaset.ts";
import { type Observation, observe, type ObserveOptions } from "../../../src/modes/watching/observe.ts";
import { DeltaReport, type WatchLine } from "../../../src/views/delta-report.ts";
import { type VirtualCluster, virtualCluster } from "../../support/virtual-cluster.ts";

interface Scene {
  readonly cluster: VirtualCluster;
  readonly observation: Observation;
}

async function scene(options: Partial<ObserveOptions>): Promise<Scene> {
  const cluster = await virtualCluster();
  const { bus, timeline, random, sandbox } = cluster;
  const transport = readOnly(sandbox.transport({ actor: "observer" }));
  const client = createClient({ transport, bus, timeline });
  const observation = observe({ kinds: [], controllers: [], client, bus, timeline, random, ...options });
  await cluster.settle(observation.start(new AbortController().signal));
  return { cluster, observation };
}

async function create({ cluster }: Scene, name: string, labels: Record<string, string> = {}): Promise<void> {
  const template = { metadata: { labels: { app: name } }, spec: { containers: [{ name: "web", image: "nginx" }] } };
  await cluster.settle(
    cluster.clientFor("you").create(ReplicaSets, {
      metadata: { namespace: "default", name, labels },
      spec: { replicas: 2, selector: { matchLabels: { app: name } }, template },
    }),
  );
}

describe("observe", () => {
  test("passes keys through a controller's queue, and never writes", async () => {
    const watched = await scene({ controllers: [replicaset] });
    await create(watched, "web");
    const { cluster, observation } = watched;
    const seen = cluster.events("done").map(({ controller, key, outcome }) => ({ controller, key, is: outcome.is }));
    expect(seen).toEqual([{ controller: "replicaset", key: "default/web", is: "forgotten" }]);
    expect(cluster.events("write").map(({ fieldManager }) => fieldManager)).toEqual(["you"]);
    expect((await cluster.settle(cluster.clientFor("you").list(Pods))).items).toEqual([]);
    await cluster.settle(observation.stop());
  });

  test("runs the given function instead of the sync", async () => {
    const calls: string[] = [];
    const watched = await scene({
      controllers: [replicaset],
      sync: (definition) => (key) => {
        calls.push(`${definition.name} ${key}`);
        return Promise.resolve();
      },
    });
    await create(watched, "web");
    expect(calls).toEqual(["replicaset default/web"]);
    await watched.cluster.settle(watched.observation.stop());
  });

  test("narrows the cache of a kind, but never one that a controller reads", async () => {
    const selectors = { labelSelector: "team=a" };
    const alone = await scene({ kinds: [{ kind: ReplicaSets, selectors }] });
    const shared = await scene({ kinds: [{ kind: ReplicaSets, selectors }], controllers: [replicaset] });
    for (const each of [alone, shared]) {
      await create(each, "ours", { team: "a" });
      await create(each, "theirs", { team: "b" });
    }
    const count = ({ observation }: Scene): number | undefined =>
      observation.states().find(({ kind }) => kind === "ReplicaSet")?.objects;
    expect([count(alone), count(shared)]).toEqual([1, 2]);
    for (const { cluster, observation } of [alone, shared]) await cluster.settle(observation.stop());
  });

  test("reports the controllers that are notified of a kind", async () => {
    const { cluster, observation } = await scene({ kinds: [{ kind: Pods }], controllers: [replicaset] });
    expect(observation.controllersWatching({ group: "apps", kind: "ReplicaSet" })).toEqual(["replicaset"]);
    expect(observation.controllersWatching({ group: "", kind: "Node" })).toEqual([]);
    await cluster.settle(observation.stop());
  });

  test("shows events with the keys that they enqueued", async () => {
    const watched = await scene({ controllers: [replicaset] });
    const { cluster, observation } = watched;
    const view = new DeltaReport({ controllersOf: (of) => observation.controllersWatching(of) });
    const lines: WatchLine[] = [];
    cluster.bus.listen((event) => lines.push(...view.accept(event)));
    await create(watched, "web");
    lines.push(...view.flush(Infinity));
    const texts = lines.map((line) =>
      line.is === "delta" ? `${line.delta.key} → ${line.notified[0]?.keys[0]?.key}` : line.is,
    );
    expect(texts).toEqual(["default/web → default/web"]);
    expect(view.summary).toMatchObject({ deltas: 1, keys: 1 });
    await cluster.settle(observation.stop());
  });
});
