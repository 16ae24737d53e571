/** Runs an embedded cluster until it has settled, for `why` to examine. */
import { readOnly } from "../../../src/client/http/read-only.ts";
import type { ControllerManager } from "../../../src/controller/runtime/controller-manager.ts";
import type { ControllerDefinition } from "../../../src/controller/api/definition.ts";
import { sleep } from "../../../src/platform/timeline.ts";
import { TraceBus } from "../../../src/trace/bus.ts";
import type { Connected } from "../../connections/connection.ts";
import type { Io } from "../../cli/io.ts";
import { maxFailures, waitUntilIdle } from "../../cli/idle.ts";
import { connectToSandbox } from "../../connections/sandbox-connection.ts";

/** The maximum wait for a sandbox to settle. */
const maxSettleMs = 10_000;
/** Events of the kubelet within this time, such as the crash of a container, are waited for. */
const soonMs = 3000;

/** The contents of the sandbox, and when to examine it. */
export interface SettlingFlags {
  readonly manifests?: readonly string[];
  readonly load?: string;
  readonly namespace?: string;
  /** Examine after this time, in ms, instead of waiting until it has settled. */
  readonly settleMs: number | undefined;
  readonly controllers: readonly ControllerDefinition[];
}

/** Starts an embedded cluster with the manifests and waits until it has settled. The returned connection is read-only. */
export async function settledSandbox(flags: SettlingFlags, io: Io): Promise<Connected> {
  const { manifests = [], load, namespace, settleMs, controllers } = flags;
  const { timeline } = io;
  const where = namespace === undefined ? {} : { namespace };
  const connected = await connectToSandbox({ manifests, load, ...where, controllers }, io);
  const { manager } = connected.cluster;
  const until = timeline.now() + maxSettleMs;
  const isIdle = (): boolean => manager.isIdle(maxFailures) && !isKubeletDue(manager, timeline.now() + soonMs);
  const isOver = (): boolean => timeline.now() >= until;
  if (settleMs === undefined) await waitUntilIdle(timeline, { who: "why --sandbox", isIdle, isOver });
  else await sleep(timeline, settleMs, "why --for");
  // A separate bus: the events of the sandbox's running controllers must not be mistaken for intentions of ours.
  const bus = new TraceBus({ now: () => timeline.now() });
  return { ...connected, bus, unlimited: readOnly(connected.unlimited) };
}

/** Whether a container will start, end or restart by then, because a pod that is ready now may crash. */
function isKubeletDue({ controllers }: ControllerManager, by: number): boolean {
  const kubelet = controllers.find(({ definition }) => definition.name === "kubelet");
  // A pod that lacks a ConfigMap or a Secret is looked at again and again, in the background.
  return (kubelet?.queue.nextDueAt ?? Number.POSITIVE_INFINITY) <= by;
}
