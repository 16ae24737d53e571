/**
 * Our side of the benchmarks, compiled as `dist/kubectl-reconcile` is: the same work as the programs in `scripts/bench-peers/`, done by the
 * layers below a controller. Prints one JSON line per phase; with `sync` and `watch` it runs until its standard input is closed, so its
 * memory can be read.
 *
 * `ours sync` · `ours watch N` · `ours queue N` · `ours emit N` · `ours delta N` · `ours remembered N` · `ours run on`
 */
import { SharedInformerFactory } from "../../src/cache/shared-informer-factory.ts";
import { Pods } from "../../src/api/kinds.ts";
import { loadRestConfig } from "../../src/client/config/load-rest-config.ts";
import { connect } from "../../src/client/connect.ts";
import { realHost } from "../../src/platform/host.ts";
import { releaseMemory } from "../../src/platform/memory.ts";
import { realRandom } from "../../src/platform/random.ts";
import { realTimeline } from "../../src/platform/real-timeline.ts";
import { TraceBus } from "../../src/trace/bus.ts";
import { deltaCost } from "./delta-cost.ts";
import { emitCost } from "./emit-cost.ts";
import { queueCycles } from "./queue-cycles.ts";
import { remembered } from "./remembered.ts";
import { tracedRun } from "./traced-run.ts";

const timeline = realTimeline();
const bus = new TraceBus({ now: () => timeline.now() });

function say(phase: string, figures: Readonly<Record<string, number>>): void {
  process.stdout.write(`${JSON.stringify({ peer: "ours", phase, ...figures })}\n`);
}

/** First sync of all pods; then `updates` updates are counted, from the first to the last. */
async function informer(updates: number): Promise<void> {
  const host = realHost();
  const access = await loadRestConfig(host, {});
  const { client } = connect(access, { host, timeline, bus, qps: 0 });
  const informers = new SharedInformerFactory({ client, timeline, random: realRandom(), bus });
  const pods = informers.forKind(Pods);
  let [seen, added, firstAt] = [0, 0, 0];
  pods.addHandler({
    name: "bench",
    on({ type }) {
      if (type === "added") added++;
      if (type !== "updated") return;
      seen++;
      if (seen === 1) firstAt = performance.now();
      if (seen !== updates) return;
      const ms = performance.now() - firstAt;
      say("watch", { events: seen, ms, events_s: (seen / ms) * 1000 });
    },
  });
  informers.start();
  await informers.waitForCacheSync();
  // As in a live run.
  timeline.after(2000, "memory", releaseMemory, { background: true });
  // Since the process started: Bun's startup time counts as ours.
  say("sync", { objects: pods.lister.size, ms: performance.now(), added });
}

const [mode, count] = process.argv.slice(2);
const n = Number(count ?? 0);
switch (mode ?? "") {
  case "sync":
  case "watch":
    await informer(n);
    process.stdin.on("data", () => undefined).on("end", () => process.exit(0));
    break;
  case "queue":
    say("queue", await queueCycles(n, timeline));
    break;
  case "emit":
    say("emit", emitCost(n));
    break;
  case "delta":
    say("delta", await deltaCost(n, timeline));
    break;
  case "remembered":
    say("remembered", remembered(n));
    break;
  case "run":
    await tracedRun(count === "on");
    break;
  default:
    process.stderr.write("usage: ours sync | watch N | queue N | emit N | delta N | remembered N | run on | run off\n");
    process.exit(2);
}
