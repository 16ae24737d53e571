/** An embedded cluster that is asked when it has come to rest. */
import { Pods } from "../../../src/api/kinds.ts";
import { keyOf } from "../../../src/api/key.ts";
import { readOnly } from "../../../src/client/http/read-only.ts";
import type { ControllerManager } from "../../../src/controller/runtime/controller-manager.ts";
import type { ControllerDefinition } from "../../../src/controller/api/definition.ts";
import { sleep } from "../../../src/platform/timeline.ts";
import { TraceBus } from "../../../src/trace/bus.ts";
import type { Connected } from "../../connections/connection.ts";
import type { Io } from "../../cli/io.ts";
import { maxFailures, waitUntilIdle } from "../../cli/idle.ts";
import { connectToSandbox } from "../../connections/sandbox-connection.ts";

/** So long is waited at most for a sandbox to come to rest. */
const longestMs = 10_000;
/** What the kubelet does within this time, a container that crashes for one, is waited for. */
const soonMs = 3000;

/** What is in it, and when it is asked. */
export interface SettlingFlags {
  readonly manifests?: readonly string[];
  readonly load?: string;
  readonly namespace?: string;
  /** Ask after this time, in ms, instead of at rest. */
  readonly settleMs: number | undefined;
  readonly controllers: readonly ControllerDefinition[];
}

/** An embedded cluster with the manifests in it, when nothing is left to do there. What is asked of it then writes nothing. */
export async function settledSandbox(flags: SettlingFlags, io: Io): Promise<Connected> {
  const { manifests = [], load, namespace, settleMs, controllers } = flags;
  const { timeline } = io;
  const where = namespace === undefined ? {} : { namespace };
  const connected = await connectToSandbox({ manifests, load, ...where, controllers }, io);
  const { manager } = connected.cluster;
  const until = timeline.now() + longestMs;
  const isIdle = (): boolean => manager.isIdle(maxFailures) && !isKubeletDue(manager, timeline.now() + soonMs);
  const isOver = (): boolean => timeline.now() >= until;
  if (settleMs === undefined) await waitUntilIdle(timeline, { who: "why --sandbox", isIdle, isOver });
  else await sleep(timeline, settleMs, "why --for");
  // The controllers there keep running: their events must not be mistaken for what ours would do.
  const bus = new TraceBus({ now: () => timeline.now() });
  return { ...connected, bus, unlimited: readOnly(connected.unlimited) };
}

/** Whether a container is to start, end or be started again by then: a pod that is ready may be one that crashes. */
function isKubeletDue({ controllers }: ControllerManager, by: number): boolean {
  const kubelet = controllers.find(({ definition }) => definition.name === "kubelet");
  if (kubelet === undefined) return false;
  return kubelet
    .cache(Pods)
    .list()
    .some((pod) => (kubelet.queue.dueAt(keyOf(pod)) ?? Number.POSITIVE_INFINITY) <= by);
}
