/**
 * The demo: the ReplicaSet controller at work on the embedded API server, told step by step as it happens. Needs no cluster and
 * ends by itself. (Nothing schedules or runs the pods yet: they stay Pending.)
 */
import { openTerminal } from "../src/platform/terminal.ts";
import { Pods, ReplicaSets } from "../src/api/kind.ts";
import type { Client } from "../src/client/verbs.ts";
import { createClient } from "../src/client/client.ts";
import { replicaset } from "../src/controllers/replicaset/replicaset.ts";
import { type LiveRun, startLive } from "../src/modes/live.ts";
import { realRandom } from "../src/platform/random.ts";
import { realTimeline } from "../src/platform/real-timeline.ts";
import { sleep } from "../src/platform/timeline.ts";
import { createSandbox } from "../src/sandbox/sandbox.ts";
import { TraceBus } from "../src/trace/bus.ts";
import { RunReport } from "../src/views/run-report.ts";
import { RunLines, summaryLine } from "../plugin/render/run-lines.ts";
import { styleOf } from "../plugin/render/style.ts";

const { out, onBroken } = openTerminal();
onBroken(() => process.exit(0));
const style = styleOf(out);
const timeline = realTimeline();
const random = realRandom();
const startedAt = timeline.now();
const bus = new TraceBus({ now: () => timeline.now() });
const report = new RunReport();
const lines = new RunLines({ style, sinceStartAt: startedAt, controllers: [replicaset.name] });
bus.listen((event) => {
  for (const line of report.accept(event)) for (const text of lines.text(line)) out.write(`  ${text}\n`);
});

const say = (text: string): void => out.write(`\n${style.colour.bold(text)}\n`);
/** Time to read, and for the controller to act. */
const pause = (ms: number): Promise<void> => sleep(timeline, ms, "demo");

async function start(clientFor: (name: string) => Client): Promise<LiveRun> {
  const options = {
    controllers: [replicaset],
    clientFor,
    bus,
    timeline,
    random,
    namespace: "default",
    lease: { identity: "demo", isDead: () => false, force: false, onWait: () => undefined },
    preflight: () => Promise.resolve(),
    onLeaseLost: () => undefined,
    onEventLost: () => undefined,
  };
  return startLive(options, new AbortController().signal);
}

out.write(
  "An embedded Kubernetes API server, and the ReplicaSet controller of Kubernetes 1.36.3 running against it.\n",
);
const sandbox = await createSandbox({ timeline, random });
const clientFor = (fieldManager: string): Client =>
  createClient({ transport: sandbox.transport({ actor: fieldManager }), bus, timeline, fieldManager });
const you = clientFor("demo");
const live = await start(clientFor);
const web = { namespace: "default", name: "web" };

say("1. You apply a ReplicaSet that asks for 3 pods.");
await you.create(ReplicaSets, {
  metadata: web,
  spec: {
    replicas: 3,
    selector: { matchLabels: { app: "web" } },
    template: { metadata: { labels: { app: "web" } }, spec: { containers: [{ name: "web", image: "nginx" }] } },
  },
});
await pause(1500);

say("2. A pod dies. The controller sees the delta, finds one missing, and replaces it.");
const [victim] = (await you.list(Pods, { namespace: "default" })).items;
if (victim !== undefined) await you.delete(Pods, { namespace: "default", name: victim.metadata.name });
await pause(1500);

say("3. You take a pod's label away. It no longer matches: it is released, and made up for.");
const [stray] = (await you.list(Pods, { namespace: "default" })).items;
if (stray !== undefined) {
  await you.patch(
    Pods,
    { namespace: "default", name: stray.metadata.name },
    { type: "merge", body: { metadata: { labels: { app: null } } } },
  );
}
await pause(1500);

say("4. You scale it down to 1. It chooses the pods whose loss is felt least.");
await you.patch(ReplicaSets, web, { type: "merge", body: { spec: { replicas: 1 } } });
await pause(1500);

await live.stop();
say(summaryLine(report.summary, timeline.now() - startedAt));
const left = (await you.list(Pods, { namespace: "default" })).items.map((pod) => pod.metadata.name);
out.write(`Pods left: ${left.join(", ")} (one of them released, and so not the ReplicaSet's).\n`);
out.write(
  "\nOn a cluster of yours: npm run build, put dist/ on PATH, then: kubectl reconcile run replicaset -n NAMESPACE\n",
);
sandbox.stop();
await out.flush();
process.exit(left.length === 2 ? 0 : 1);
