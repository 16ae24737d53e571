/**
 * The demo: an embedded cluster in which a ReplicaSet is applied, its controller creates pods, the scheduler places them, the
 * simulated kubelet runs them, one crashes, one is deleted and replaced. Told step by step as it happens. Needs no cluster, ends
 * by itself within 20 seconds; exits 1 if the story went otherwise.
 */
import { openTerminal } from "../src/platform/terminal.ts";
import { Pods, ReplicaSets } from "../src/api/kind.ts";
import type { Pod } from "../src/api/types.ts";
import { isPodReady } from "../src/controller/pod-status.ts";
import { replicaset } from "../src/controllers/replicaset/replicaset.ts";
import { startEmbedded } from "../src/modes/embedded.ts";
import { realRandom } from "../src/platform/random.ts";
import { realTimeline } from "../src/platform/real-timeline.ts";
import { sleep } from "../src/platform/timeline.ts";
import { TraceBus } from "../src/trace/bus.ts";
import { RunReport } from "../src/views/run-report.ts";
import { summaryLine } from "../plugin/render/run-lines.ts";
import { styleOf } from "../plugin/render/style.ts";
import { DemoLines } from "./demo-lines.ts";

const longestStepMs = 4000;
const timeToReadMs = 800;

const { out, onBroken } = openTerminal();
onBroken(() => process.exit(0));
const { colour } = styleOf(out);
const timeline = realTimeline();
const bus = new TraceBus({ now: () => timeline.now() });
const report = new RunReport();
const lines = new DemoLines();
const colours = { "+": colour.green, "-": colour.yellow, "!": colour.red, " ": colour.cyan } as const;
const startedAt = timeline.now();
bus.listen((event) => {
  report.accept(event);
  for (const line of lines.accept(event)) {
    const sign = line[2] as keyof typeof colours;
    out.write(`${line.slice(0, 2)}${colours[sign](line.slice(2, 4))}${line.slice(4)}\n`);
  }
});

out.write("An embedded cluster in this process: a Kubernetes 1.36 API server, a scheduler, 3 simulated nodes,\n");
out.write("and the ReplicaSet controller that `kubectl reconcile` runs.\n");
const cluster = await startEmbedded({ timeline, random: realRandom(), bus, controllers: [replicaset] });
const you = cluster.clientFor("you");
const namespace = "default";
const web = { namespace, name: "web" };
let failed = false;

const livingPods = async (): Promise<readonly Pod[]> =>
  (await you.list(Pods, { namespace })).items.filter(({ metadata }) => metadata.deletionTimestamp === undefined);

/** One step: what you do, then what comes of it, until it has come about. */
async function step(title: string, act: () => Promise<unknown>, until: () => Promise<boolean>): Promise<void> {
  out.write(`\n${colour.bold(title)}\n`);
  lines.startedAt = timeline.now();
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

const areReady = async (count: number): Promise<boolean> => {
  const pods = await livingPods();
  const known = await you.get(ReplicaSets, web);
  return pods.length === count && pods.every(isPodReady) && (known.status?.readyReplicas ?? 0) === count;
};

await step(
  "1. You apply a ReplicaSet that asks for 3 pods: the controller creates them, the scheduler places them.",
  () =>
    you.create(ReplicaSets, {
      metadata: web,
      spec: {
        replicas: 3,
        selector: { matchLabels: { app: "web" } },
        template: { metadata: { labels: { app: "web" } }, spec: { containers: [{ name: "web", image: "nginx" }] } },
      },
    }),
  () => areReady(3),
);

const [first, second] = await livingPods();
const restarts = async (): Promise<number> => {
  const pod = await you.get(Pods, { namespace, name: first?.metadata.name ?? "" });
  return pod.status?.containerStatuses?.[0]?.restartCount ?? 0;
};
await step(
  "2. The program in one pod crashes: that is the kubelet's to mend, the pod stays.",
  () => {
    const annotations = { "sandbox.kubectl-reconcile.io/crashes": "1" };
    const body = { metadata: { annotations } };
    return you.patch(Pods, { namespace, name: first?.metadata.name ?? "" }, { type: "merge", body });
  },
  async () => (await restarts()) === 1 && (await areReady(3)),
);

await step(
  "3. A pod dies: the controller sees the delta, finds one missing, and replaces it.",
  () => you.delete(Pods, { namespace, name: second?.metadata.name ?? "" }),
  async () => (await you.list(Pods, { namespace })).items.length === 3 && (await areReady(3)),
);

await step(
  "4. You scale it down to 1: the pods go whose loss is felt least.",
  () => you.patch(ReplicaSets, web, { type: "merge", body: { spec: { replicas: 1 } } }),
  async () => (await you.list(Pods, { namespace })).items.length === 1 && (await areReady(1)),
);

await cluster.stop();
out.write(`\n${summaryLine(report.summary, timeline.now() - startedAt)}\n`);
out.write("\nWith manifests of yours:  kubectl reconcile run replicaset --sandbox -f web.yaml\n");
out.write("On a cluster of yours:    kubectl reconcile run replicaset -n NAMESPACE\n");
await out.flush();
process.exit(failed ? 1 : 0);
