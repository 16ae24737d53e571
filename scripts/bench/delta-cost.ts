import { Pods } from "../../src/api/kinds.ts";
import type { ApiBody, ApiRequest, Transport } from "../../src/api/transport.ts";
import { SharedInformer } from "../../src/cache/shared-informer.ts";
import { createListerWatcher } from "../../src/client/api/lists.ts";
import { realRandom } from "../../src/platform/random.ts";
import type { Timeline } from "../../src/platform/timeline.ts";
import { TraceBus } from "../../src/trace/bus.ts";

const frames = 100;
const encoder = new TextEncoder();

/**
 * What a delta costs from its bytes to one handler while nobody listens to the bus, and how many stage events it causes when somebody does.
 * The pods are small (about 1 KB), so the emit sites' share of a delta is larger than in practice.
 */
export async function deltaCost(n: number, timeline: Timeline): Promise<Readonly<Record<string, number>>> {
  await pass(n, timeline, false);
  const { ms } = await pass(n, timeline, false);
  const { events } = await pass(frames, timeline, true);
  return { n, ns: (ms * 1e6) / n, events: events / frames };
}

async function pass(n: number, timeline: Timeline, listens: boolean): Promise<{ ms: number; events: number }> {
  const bus = new TraceBus({ now: () => timeline.now() });
  let events = 0;
  if (listens) {
    bus.listen((event) => {
      if (event.stage !== "list" && event.stage !== "watch") events++;
    });
  }
  const sender = { transport: oneWatchOf(n), bus, timeline, fieldManager: "bench" };
  const listerWatcher = createListerWatcher(sender, Pods, {});
  const informer = new SharedInformer({ listerWatcher, timeline, random: realRandom(), bus });
  const stop = new AbortController();
  const start = performance.now();
  await new Promise<void>((resolve) => {
    let seen = 0;
    const one = (): void => {
      if (++seen === n) resolve();
    };
    informer.addHandler({ name: "bench", on: one });
    void informer.run(stop.signal);
  });
  const ms = performance.now() - start;
  stop.abort(new Error("measured"));
  return { ms, events };
}

/** A server with no objects, whose watch sends `n` events in chunks of 100. */
function oneWatchOf(n: number): Transport {
  const chunk = encoder.encode(Array.from({ length: frames }, (_, i) => frameNumber(i)).join(""));
  return {
    send(request: ApiRequest) {
      const watch = request.query?.some(([name]) => name === "watch") === true;
      const pieces = watch ? Array.from({ length: n / frames }, () => chunk) : [encoder.encode(emptyList)];
      return Promise.resolve({ status: 200, header: () => undefined, body: bodyOf(pieces, watch, request.signal) });
    },
  };
}

const emptyList = JSON.stringify({ kind: "PodList", apiVersion: "v1", metadata: { resourceVersion: "1" }, items: [] });

function bodyOf(pieces: readonly Uint8Array[], open: boolean, signal: AbortSignal): ApiBody {
  let at = 0;
  return {
    next() {
      if (at < pieces.length) return Promise.resolve(pieces[at++]);
      if (!open) return Promise.resolve(undefined);
      return new Promise((_, reject) => {
        signal.addEventListener("abort", () => reject(signal.reason as Error), { once: true });
      });
    },
    cancel: () => undefined,
  };
}

function frameNumber(i: number): string {
  const object = {
    kind: "Pod",
    apiVersion: "v1",
    metadata: {
      name: `pod-${i}`,
      namespace: "bench",
      uid: `00000000-0000-0000-0000-${String(i).padStart(12, "0")}`,
      resourceVersion: String(100 + i),
      labels: { app: "bench", "pod-template-hash": "7d9c8b6f5d" },
    },
    spec: {
      containers: [{ name: "main", image: "registry.example.com/main:1.0.0", env: [{ name: "A", value: "b" }] }],
    },
    status: { phase: "Running", conditions: [{ type: "Ready", status: "True" }] },
  };
  return `${JSON.stringify({ type: "MODIFIED", object })}\n`;
}
