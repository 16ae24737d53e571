import { beforeAll, describe, expect, test } from "bun:test";
import { Chalk } from "chalk";
import { SyncBlockText } from "../../plugin/render/sync-block-text.ts";
import { Pods, ReplicaSets } from "../../src/api/kind.ts";
import { replicaset } from "../../src/controllers/replicaset/replicaset.ts";
import { Linker } from "../../src/trace/linker.ts";
import { TraceBus } from "../../src/trace/bus.ts";
import type { StageEvent } from "../../src/trace/events.ts";
import type { SyncBlock } from "../../src/views/sync-block.ts";
import { SyncTrace } from "../../src/views/sync-trace.ts";
import { embeddedScene, embeddedStart } from "../support/embedded-scene.ts";
import { expectGolden } from "../support/golden.ts";

const trace = new SyncTrace({ holdMs: 100 });
let blocks: readonly SyncBlock[] = [];

/** A ReplicaSet of 12 comes to be, loses a pod, and is scaled down, on virtual time. */
beforeAll(async () => {
  const heard: StageEvent[] = [];
  const clock = { now: (): number => embeddedStart };
  const bus = new TraceBus({ now: () => clock.now() });
  bus.listen((event) => void heard.push(event));
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
  const shown = heard.flatMap((event) => trace.accept(event));
  blocks = [...shown, ...trace.release(Infinity)].filter(({ controller }) => controller === "replicaset");
});

function text(columns: number | undefined, shadow = false): string {
  const style = { columns, colour: new Chalk({ level: 0 }) };
  const lines = new SyncBlockText({ style, shadow, sinceStartAt: embeddedStart });
  return blocks.flatMap((block) => lines.lines(block, trace.originOf(block))).join("\n");
}

describe("a block of trace", () => {
  test.each([
    { name: "a terminal of 80 columns", columns: 80, file: "trace-80.txt" },
    { name: "a terminal of 200 columns", columns: 200, file: "trace-200.txt" },
    { name: "a pipe", columns: undefined, file: "trace-piped.txt" },
  ])("reads well on $name", ({ columns, file }) => {
    expectGolden(file, `${text(columns)}\n`);
  });

  test("no line is wider than the terminal, at any width", () => {
    for (const columns of [60, 80, 100, 132, 200]) {
      const wide = text(columns)
        .split("\n")
        .filter((line) => line.length > columns);
      expect(wide).toEqual([]);
    }
  });
});
