import { fieldChanges } from "../../api/field-changes.ts";
import { DaemonSets } from "../../api/kinds.ts";
import type { DaemonSet } from "../../api/types.ts";
import { podsByNode } from "./daemon-pods.ts";
import { type DaemonSync, noteWrite } from "./daemon-sync.ts";
import { availability, status as statusRule } from "./rules.ts";
import { type Counts, countNodes, isCurrent, withCounts } from "./status.ts";
import { minReadySeconds } from "./spec.ts";

/** What a status is based on. */
export interface StatusInput {
  readonly hash: string;
  /** Whether this sync has handled the spec; otherwise the observed generation stays. */
  readonly isObserved: boolean;
}

/**
 * Counts the pods as cached now and writes the status if it has changed. If the write fails for any reason, it is retried once on a
 * fresh copy of the set. While ready pods are not available yet, the key is requeued.
 *
 * Source: kubernetes v1.36 pkg/controller/daemon/daemon_controller.go updateDaemonSetStatus, storeDaemonSetStatus.
 *
 * @throws the error of the second write, or of the get before it.
 */
export async function updateStatus(sync: DaemonSync, { hash, isObserved }: StatusInput): Promise<void> {
  const { context, set, nodes, fitOf } = sync;
  const counts = countNodes({ set, nodes, pods: await podsByNode(sync), fitOf, hash, now: context.now() });
  if (!isCurrent(set, counts)) await write(sync, { counts, isObserved });
  const { numberReady: ready, numberAvailable: available } = counts;
  if (minReadySeconds(set) <= 0 || ready === available) return;
  const inMs = minReadySeconds(set) * 1000;
  const { sentence } = context.decide(availability, { ready, available, inMs });
  context.enqueueAfter(inMs, sentence);
}

async function write(
  sync: DaemonSync,
  { counts, isObserved }: { readonly counts: Counts; readonly isObserved: boolean },
): Promise<void> {
  const { context, set } = sync;
  const { namespace = "", name, generation = 0 } = set.metadata;
  const statusFor = ({ status }: DaemonSet): NonNullable<DaemonSet["status"]> =>
    withCounts(status, { counts, observedGeneration: isObserved ? generation : (status?.observedGeneration ?? 0) });
  const changes = fieldChanges(set.status ?? {}, statusFor(set));
  const because = context.decide(statusRule, { changes });
  const writeOn = async (basedOn: DaemonSet): Promise<void> => {
    const options = { because, basedOn, signal: context.signal };
    const written = await context.client.updateStatus(DaemonSets, { ...basedOn, status: statusFor(basedOn) }, options);
    noteWrite(sync, { kind: DaemonSets, written });
  };
  try {
    await writeOn(set);
  } catch {
    await writeOn(await context.client.get(DaemonSets, { namespace, name }, { signal: context.signal }));
  }
}
