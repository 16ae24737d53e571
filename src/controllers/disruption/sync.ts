/** One sync of a PodDisruptionBudget. Source: kubernetes v1.36 pkg/controller/disruption/disruption.go sync, trySync. */
import { messageOf } from "../../api/error-message.ts";
import { goSelector } from "../../api/go-selector.ts";
import type { ObjectKey } from "../../api/key.ts";
import { Pods, PodDisruptionBudgets } from "../../api/kinds.ts";
import { selectorOf } from "../../api/labels.ts";
import { isConflict } from "../../api/status-error.ts";
import type { Pod, PodDisruptionBudget } from "../../api/types.ts";
import type { Decision } from "../../controller/api/rule.ts";
import type { EventToRecord, SyncContext } from "../../controller/api/sync-context.ts";
import { scaledValue } from "../../controller/workload/int-or-percent.ts";
import { countHealthy, pendingEvictions } from "./healthy.ts";
import { expired as expiredRule, status as statusRule, syncFailed, unmanaged as unmanagedRule } from "./rules.ts";
import { type ExpectedScale, expectedScale } from "./scale.ts";
import { allowedDisruptions, type BudgetStatus, failedStatus, nextStatus } from "./status.ts";

const namedInFacts = 8;
/** At its deadline, an eviction still counts. Upstream then adds the key rate-limited, which is 5 ms later for a key that did not fail. */
const pastDeadlineMs = 5;

/** One sync of one budget: what its steps share. */
interface BudgetSync {
  readonly context: SyncContext;
  /** As cached. */
  readonly budget: PodDisruptionBudget;
}

/**
 * Counts the budget's pods and writes how many may be evicted. If they cannot be counted, it writes that none may: the eviction API must
 * not allow unsafe evictions.
 * @throws a conflict; whatever made that last write fail.
 */
export async function syncBudget(key: ObjectKey, context: SyncContext): Promise<void> {
  const budget = context.cache(PodDisruptionBudgets).get(key);
  if (budget === undefined) return;
  const sync = { context, budget };
  try {
    await count(sync);
  } catch (error) {
    context.signal.throwIfAborted();
    if (isConflict(error)) throw error;
    const message = messageOf(error);
    const because = context.decide(syncFailed, { error: message });
    await write(sync, { status: failedStatus(budget, { message, now: context.now() }), because });
  }
}

async function count(sync: BudgetSync): Promise<void> {
  const { context, budget } = sync;
  const pods = selectedPods(sync);
  const { expected, desired, unmanaged } = await required(sync, pods);
  if (unmanaged.length > 0) {
    context.decide(unmanagedRule, { names: unmanaged.slice(0, namedInFacts), count: unmanaged.length });
    report(sync, { type: "Warning", reason: "UnmanagedPods", message: unmanagedMessage(budget) });
  }
  const now = context.now();
  const pending = pendingEvictions(pods, { granted: budget.status?.disruptedPods ?? {}, now });
  reportExpired(sync, pending.expired);
  const disruptedPods = pending.pods;
  const counts = { healthy: countHealthy(pods, { granted: disruptedPods, now }), desired, expected, disruptedPods };
  const because = context.decide(statusRule, {
    healthy: counts.healthy,
    desired,
    expected,
    disrupted: Object.keys(disruptedPods).length,
    allowed: allowedDisruptions(counts),
  });
  const status = nextStatus(budget, { ...counts, now });
  if (status !== undefined) await write(sync, { status, because });
  if (pending.recheckInMs !== undefined)
    context.enqueueAfter(pending.recheckInMs + pastDeadlineMs, "a granted eviction expires");
}

/** @throws RangeError for an invalid selector, after recording an Event. */
function selectedPods(sync: BudgetSync): readonly Pod[] {
  const { metadata, spec } = sync.budget;
  let pods: readonly Pod[];
  try {
    pods = sync.context.cache(Pods).listSelected(metadata.namespace, selectorOf(spec?.selector));
  } catch (error) {
    report(sync, { type: "Warning", reason: "NoPods", message: `Failed to get pods: ${messageOf(error)}` });
    throw error;
  }
  if (pods.length === 0) report(sync, { type: "Normal", reason: "NoPods", message: "No matching pods found" });
  return pods;
}

interface Required {
  /** How many pods there should be. */
  readonly expected: number;
  /** How many of them must be healthy. */
  readonly desired: number;
  readonly unmanaged: readonly string[];
}

/** What the spec requires, in pods: percentages round up. @throws whatever keeps the controllers' replicas from being known. */
async function required(sync: BudgetSync, pods: readonly Pod[]): Promise<Required> {
  const { maxUnavailable, minAvailable } = sync.budget.spec ?? {};
  if (maxUnavailable !== undefined) {
    const { pods: expected, unmanaged } = await scaleFor(sync, pods);
    const desired = Math.max(0, expected - scaledValue(maxUnavailable, expected, "up"));
    return { expected, desired, unmanaged };
  }
  if (typeof minAvailable === "string") {
    const { pods: expected, unmanaged } = await scaleFor(sync, pods);
    return { expected, desired: scaledValue(minAvailable, expected, "up"), unmanaged };
  }
  if (minAvailable !== undefined) return { expected: pods.length, desired: minAvailable, unmanaged: [] };
  return { expected: 0, desired: 0, unmanaged: [] };
}

/** @throws whatever keeps the scale from being known, after recording an Event. */
async function scaleFor(sync: BudgetSync, pods: readonly Pod[]): Promise<ExpectedScale> {
  try {
    return await expectedScale(sync.context, pods);
  } catch (error) {
    sync.context.signal.throwIfAborted();
    const message = `Failed to calculate the number of expected pods: ${messageOf(error)}`;
    report(sync, { type: "Warning", reason: "CalculateExpectedPodCountFailed", message });
    throw error;
  }
}

function unmanagedMessage({ spec }: PodDisruptionBudget): string {
  return (
    `Pods selected by this PodDisruptionBudget (selector: ${goSelector(spec?.selector)}) were found to be unmanaged. ` +
    "As a result, the status of the PDB cannot be calculated correctly, which may result in undefined behavior. " +
    'To account for these pods please set ".spec.minAvailable" field of the PDB to an integer value.'
  );
}

function reportExpired({ context, budget }: BudgetSync, pods: readonly Pod[]): void {
  if (pods.length === 0) return;
  context.decide(expiredRule, { names: pods.slice(0, namedInFacts).map(({ metadata }) => metadata.name) });
  // Upstream prints the namespace twice; the second should be the budget's name.
  const { namespace = "" } = budget.metadata;
  const message = `Pod was expected by PDB ${namespace}/${namespace} to be deleted but it wasn't`;
  for (const pod of pods) context.event(Pods, pod, { type: "Warning", reason: "NotDeleted", message });
}

function report({ context, budget }: BudgetSync, event: EventToRecord): void {
  context.event(PodDisruptionBudgets, budget, event);
}

function write(
  { context, budget }: BudgetSync,
  { status, because }: { readonly status: BudgetStatus; readonly because: Decision },
): Promise<PodDisruptionBudget> {
  const options = { because, basedOn: budget, signal: context.signal };
  return context.client.updateStatus(PodDisruptionBudgets, { ...budget, status }, options);
}
