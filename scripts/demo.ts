/**
 * The demo: an embedded cluster in which a Deployment is applied, its controllers create a ReplicaSet and pods, the scheduler binds them,
 * the simulated kubelet runs them, one dies and is replaced; then a new version rolls out, is undone, and everything is deleted. Printed
 * step by step as it happens. Needs no cluster, exits after a few seconds; exits 1 if anything went differently.
 */
import { openTerminal } from "../src/platform/terminal.ts";
import { Deployments, Pods, ReplicaSets } from "../src/api/kinds.ts";
import type { Deployment, Pod } from "../src/api/types.ts";
import { isPodReady } from "../src/controller/workload/pod-status.ts";
import { deployment } from "../src/controllers/deployment/deployment.ts";
import { garbageCollector } from "../src/controllers/garbage-collector/garbage-collector.ts";
import { replicaset } from "../src/controllers/replicaset/replicaset.ts";
import { startEmbedded } from "../src/modes/run/embedded.ts";
import { realRandom } from "../src/platform/random.ts";
import { realTimeline } from "../src/platform/real-timeline.ts";
import { sleep } from "../src/platform/timeline.ts";
import { TraceBus } from "../src/trace/bus.ts";
import { RunReport } from "../src/views/run-report.ts";
import { summaryLine } from "../plugin/render/run-lines.ts";
import { styleOf } from "../plugin/cli/style.ts";
import { DemoLines, paragraph, textOf } from "./demo-lines.ts";

const longestStepMs = 60_000;
const timeToReadMs = 800;

const { out, onBroken } = openTerminal();
onBroken(({ is }) => process.exit(is === "closed" ? 0 : 2));
const { colour, columns } = styleOf(out);
const timeline = realTimeline();
const bus = new TraceBus({ now: () => timeline.now() });
const report = new RunReport();
const lines = new DemoLines();
const colours = { "+": colour.green, "-": colour.yellow, "!": colour.red, " ": (text: string) => text } as const;
const startedAt = timeline.now();
bus.listen((event) => {
  report.accept(event);
  for (const line of lines.accept(event)) {
    for (const text of textOf(line, columns)) out.write(`${colours[line.sign](text)}\n`);
  }
});

const introduction =
  "An embedded cluster in this process: a Kubernetes 1.36 API server, a scheduler, 3 simulated nodes, and three controllers " +
  "that `kubectl reconcile` runs: deployment, replicaset and garbage-collector.";
for (const text of paragraph(introduction, columns)) out.write(`${text}\n`);
const controllers = [deployment, replicaset, garbageCollector];
const cluster = await startEmbedded({ timeline, random: realRandom(), bus, controllers });
const you = cluster.clientFor("you");
const namespace = "default";
const web = { namespace, name: "web" };
let failed = false;

const livingPods = async (): Promise<readonly Pod[]> =>
  (await you.list(Pods, { namespace })).items.filter(({ metadata }) => metadata.deletionTimestamp === undefined);

/** One step: what you do, then its effects, until they are complete. */
async function step(title: string, act: () => Promise<unknown>, until: () => Promise<boolean>): Promise<void> {
  out.write("\n");
  for (const text of paragraph(title, columns)) out.write(`${colour.bold(text)}\n`);
  lines.begin(timeline.now());
  await act();
  const deadline = timeline.now() + longestStepMs;
  while (!(await until())) {
    if (timeline.now() > deadline) {
      failed = true;
      out.write("  this did not come about in time\n");
      return;
    }
    await sleep(timeline, 20, "demo");
  }
  await sleep(timeline, timeToReadMs, "demo");
}

const isAvailable = async (count: number): Promise<boolean> => {
  const pods = await you.list(Pods, { namespace });
  const { metadata, status } = await you.get(Deployments, web);
  return (
    pods.items.length === count &&
    pods.items.every(isPodReady) &&
    status?.observedGeneration === metadata.generation &&
    status?.updatedReplicas === count &&
    status.availableReplicas === count
  );
};
const setImage = (image: string): Promise<Deployment> =>
  you.patch(Deployments, web, {
    type: "strategic",
    body: { spec: { template: { spec: { containers: [{ name: "web", image }] } } } },
  });

await step(
  "1. You apply a Deployment that asks for 3 pods: a ReplicaSet is made for it, and pods for that.",
  () =>
    you.create(Deployments, {
      metadata: web,
      spec: {
        replicas: 3,
        selector: { matchLabels: { app: "web" } },
        template: { metadata: { labels: { app: "web" } }, spec: { containers: [{ name: "web", image: "web:1" }] } },
      },
    }),
  () => isAvailable(3),
);

const [first] = await livingPods();
await step(
  "2. A pod dies: the ReplicaSet's controller sees the delta, finds one missing, and replaces it.",
  () => you.delete(Pods, { namespace, name: first?.metadata.name ?? "" }),
  () => isAvailable(3),
);

await step(
  "3. You set another image: a second ReplicaSet grows as the first shrinks, never less than 3 pods available.",
  () => setImage("web:2"),
  () => isAvailable(3),
);

await step(
  "4. You undo it: the first ReplicaSet has that template, so it is the one that grows again.",
  () => setImage("web:1"),
  () => isAvailable(3),
);

await step(
  "5. You delete the Deployment: what it owned, and what that owned, goes with it.",
  () => you.delete(Deployments, web, { propagationPolicy: "Background" }),
  async () => {
    const [sets, pods] = [await you.list(ReplicaSets, { namespace }), await you.list(Pods, { namespace })];
    return sets.items.length === 0 && pods.items.length === 0;
  },
);

await cluster.stop();
out.write(`\n${summaryLine(report.summary, timeline.now() - startedAt)}\n`);
out.write("\nWith manifests of yours:  kubectl reconcile run deployment replicaset --sandbox -f web.yaml\n");
out.write("What a change would do:   kubectl reconcile dry-run -f web.yaml\n");
out.write("On a cluster of yours:    kubectl reconcile trace deployment replicaset -n NAMESPACE\n");
await out.flush();
process.exit(failed ? 1 : 0);
