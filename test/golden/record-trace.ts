/** Records the run from which the golden outputs of trace are rendered. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { Pods, ReplicaSets } from "../../src/api/kinds.ts";
import { replicaset } from "../../src/controllers/replicaset/replicaset.ts";
import { TraceBus } from "../../src/trace/bus.ts";
import type { StageEvent } from "../../src/trace/events.ts";
import { Linker } from "../../src/trace/linker.ts";
import { SyncTrace } from "../../src/views/sync-trace.ts";
import { embeddedScene, embeddedStart } from "../support/embedded-scene.ts";

const events: StageEvent[] = [];
const clock = { now: (): number => embeddedStart };
const bus = new TraceBus({ now: () => clock.now() });
bus.listen((event) => void events.push(event));
bus.listen(new Linker(bus).listener);
const scene = await embeddedScene({ controllers: [replicaset], bus });
const { you, timeline } = scene;
clock.now = () => timeline.now();
const template = { metadata: { labels: { app: "web" } }, spec: { containers: [{ name: "web", image: "nginx" }] } };
const spec = { replicas: 12, selector: { matchLabels: { app: "web" } }, template };
await scene.during(you.create(ReplicaSets, { metadata: { namespace: "default", name: "web" }, spec }));
await scene.run(5000);
const [first] = await scene.list(Pods);
await scene.during(you.delete(Pods, { namespace: "default", name: first?.metadata.name ?? "" }));
await scene.run(60_000);
const at = { namespace: "default", name: "web" };
await scene.during(you.patch(ReplicaSets, at, { type: "merge", body: { spec: { replicas: 1 } } }));
await scene.run(60_000);
await scene.stop();
const trace = new SyncTrace({ holdMs: 100 });
const blocks = [...events.flatMap((event) => trace.accept(event)), ...trace.release(Infinity)];
const kept = blocks
  .filter(({ controller }) => controller === "replicaset")
  .map((block) => ({ block, origin: trace.originOf(block) }))
  // Enough to include each kind of block.
  .filter((_, index) => index < 8 || index > 24);
writeFileSync(join(import.meta.dir, "trace-blocks.json"), `${JSON.stringify(kept)}\n`);
