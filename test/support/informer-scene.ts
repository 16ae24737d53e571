/** An informer of Widgets with a fake server and a virtual timeline; all its stage events are recorded. */
import type { EventHandler, Notification } from "../../src/cache/shared-informer.ts";
import { SharedInformer, type SharedInformerOptions } from "../../src/cache/shared-informer.ts";
import { seededRandom } from "../../src/platform/random.ts";
import { type VirtualTimeline, virtualTimeline } from "../../src/platform/virtual-timeline.ts";
import { TraceBus } from "../../src/trace/bus.ts";
import type { Stage, StageEvent } from "../../src/trace/events.ts";
import { FakeServer, type Widget } from "./fake-lister-watcher.ts";

export interface InformerScene {
  readonly timeline: VirtualTimeline;
  readonly server: FakeServer;
  readonly bus: TraceBus;
  readonly informer: SharedInformer<Widget>;
  readonly events: StageEvent[];
  /** The events of one stage. */
  readonly of: <S extends Stage>(stage: S) => (StageEvent & { readonly stage: S })[];
  readonly start: () => void;
  readonly stop: () => Promise<void>;
  readonly pass: (ms: number) => Promise<void>;
}

export interface InformerSceneOptions extends Partial<SharedInformerOptions<Widget>> {
  readonly seed?: number;
  /** No listener on the bus. */
  readonly quiet?: boolean;
}

export function informerScene({ seed = 1, quiet = false, ...options }: InformerSceneOptions = {}): InformerScene {
  const timeline = virtualTimeline(0, seededRandom(seed));
  const server = new FakeServer(timeline);
  const bus = new TraceBus({ now: () => timeline.now() });
  const events: StageEvent[] = [];
  if (!quiet) bus.listen((event) => events.push(event));
  const random = seededRandom(seed + 1);
  const informer = new SharedInformer<Widget>({
    listerWatcher: server,
    timeline,
    random,
    bus,
    freeze: true,
    ...options,
  });
  const abort = new AbortController();
  let running: Promise<void> | undefined;
  return {
    timeline,
    server,
    bus,
    informer,
    events,
    of: <S extends Stage>(stage: S) =>
      events.filter((event): event is StageEvent & { readonly stage: S } => event.stage === stage),
    start: () => {
      running = informer.run(abort.signal);
    },
    stop: async () => {
      abort.abort(new Error("enough"));
      await timeline.runUntil({ ms: 0 });
      await running;
    },
    pass: async (ms) => {
      timeline.after(ms, "test", () => undefined);
      await timeline.runUntil({ ms });
    },
  };
}

/** Formats a notification as one line: `added shop/a@5 initial`. */
function lineOf(notification: Notification<Widget>): string {
  const { type, object } = notification;
  const of = ({ metadata }: Widget): string => `${metadata.namespace}/${metadata.name}@${metadata.resourceVersion}`;
  switch (type) {
    case "added":
      return `added ${of(object)}${notification.initial ? " initial" : ""}`;
    case "updated":
      return `updated ${of(notification.before)} -> ${of(object)}`;
    case "deleted":
      return `deleted ${of(object)}${notification.tombstone ? " tombstone" : ""}`;
  }
}

/** A handler that records a line for each notification. */
export function recorder(name: string): EventHandler<Widget> & { readonly lines: string[] } {
  const lines: string[] = [];
  return { name, lines, on: (notification) => void lines.push(lineOf(notification)) };
}

/** A handler that ignores all notifications. */
export function idleHandler(name: string): EventHandler<Widget> {
  return { name, on: () => undefined };
}
