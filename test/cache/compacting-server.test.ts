/** A Reflector on an API server whose history is shorter than its lists. */
import { expect, test } from "bun:test";
import { ConfigMaps } from "../../src/api/kinds.ts";
import type { Transport } from "../../src/api/transport.ts";
import type { ConfigMap } from "../../src/api/types.ts";
import { Indexer } from "../../src/cache/indexer.ts";
import { ObjectTransformer } from "../../src/cache/object-transformer.ts";
import { RealFIFO } from "../../src/cache/real-fifo.ts";
import { Reflector } from "../../src/cache/reflector.ts";
import { createClient } from "../../src/client/api/client.ts";
import { createListerWatcher } from "../../src/client/api/lists.ts";
import { seededRandom } from "../../src/platform/random.ts";
import { virtualTimeline } from "../../src/platform/virtual-timeline.ts";
import { createSandbox } from "../../src/sandbox/sandbox.ts";
import { TraceBus } from "../../src/trace/bus.ts";

test("a list whose continue tokens always expire before they are used is complete after one more request", async () => {
  const timeline = virtualTimeline(Date.UTC(2026, 0, 1), seededRandom(1));
  const sandbox = await createSandbox({ timeline, random: seededRandom(2), history: { changes: 1 } });
  const transport = sandbox.transport({ actor: "test" });
  const bus = new TraceBus({ now: () => timeline.now() });
  const client = createClient({ transport, bus, timeline, fieldManager: "test" });
  const write = (name: string): Promise<ConfigMap> =>
    client.create(ConfigMaps, { metadata: { name, namespace: "default" } });
  const requested: string[] = [];
  const compacting: Transport = {
    async send(request) {
      const query = new Map(request.query);
      requested.push([...query.keys()].join(" "));
      // More writes than the server remembers, between any two pages.
      if (query.has("continue")) for (const n of [1, 2, 3]) await write(`later-${requested.length}-${n}`);
      return transport.send(request);
    },
  };
  const sizes: number[] = [];
  const queue = new RealFIFO<ConfigMap>({ now: () => timeline.now(), wake: () => undefined });
  const reflector = new Reflector({
    listerWatcher: createListerWatcher<ConfigMap>(
      { transport: compacting, bus, timeline, fieldManager: "test" },
      ConfigMaps,
      { namespace: "default" },
    ),
    queue,
    transformer: new ObjectTransformer({ indexer: new Indexer<ConfigMap>(), tracksFieldManagers: () => false }),
    timeline,
    random: { next: () => 0 },
    bus,
    pageSize: 2,
  });
  const abort = new AbortController();
  const running = (async () => {
    for (const name of ["a", "b", "c", "d", "e"]) await write(name);
    await reflector.run(abort.signal);
  })();
  await timeline.runUntil({ ms: 500 });
  while (queue.pop((delta) => void (delta.type === "ReplacedAll" && sizes.push(delta.objects.length))));
  expect(requested.slice(0, 3)).toEqual(["limit", "limit continue", ""]);
  expect(requested.slice(3).every((query) => query.startsWith("watch"))).toBe(true);
  expect({ sizes, phase: reflector.phase }).toEqual({ sizes: [8], phase: "watching" });
  abort.abort(new Error("enough"));
  await timeline.runUntil({ ms: 0 });
  await running;
});
