/**
 * A pod's usage of a ResourceQuota. Source: kubernetes v1.36 pkg/quota/v1/evaluator/core/pods.go; component-helpers
 * v0.36 resource/helpers.go PodRequests, PodLimits.
 */
import { parseTime } from "../time.ts";
import type { Container, ContainerStatus, Pod } from "../types.ts";
import { addAmounts, type Amounts, amountsOf, raiseAmounts, wholeAmount } from "./amounts.ts";
import { amountsTogether } from "./together.ts";

type List = "requests" | "limits";

const plain: ReadonlySet<string> = new Set(
  ["cpu", "memory", "ephemeral-storage"].flatMap((name) => [name, `requests.${name}`, `limits.${name}`]),
);
const implicitExtended = "deviceclass.resource.kubernetes.io/";

/** Not a resource of Kubernetes itself: `example.com/gpu`. */
function isForeign(name: string): boolean {
  return name.includes("/") && !name.includes("kubernetes.io/");
}

/** Whether a quota on this name counts pods or their resources. */
export function countsPods(name: string): boolean {
  if (name === "pods" || name === "count/pods" || plain.has(name)) return true;
  if (name.startsWith("hugepages-") || name.startsWith("requests.hugepages-")) return true;
  return name.startsWith("requests.") && (isForeign(name) || name.startsWith(`requests.${implicitExtended}`));
}

/**
 * Whether the pod's resources are charged: it is not terminal, and not stuck in its deletion. `now` in ms since 1970.
 */
export function isCharged({ metadata, status }: Pod, now: number): boolean {
  if (status?.phase === "Failed" || status?.phase === "Succeeded") return false;
  const { deletionTimestamp, deletionGracePeriodSeconds: grace } = metadata;
  if (deletionTimestamp === undefined || grace === undefined) return true;
  return now <= parseTime(deletionTimestamp) + grace * 1000;
}

/** `count/pods` always, everything else as long as the pod is charged. */
export function podUsage(pod: Pod, now: number): Amounts {
  const usage: Amounts = new Map([["count/pods", wholeAmount(1)]]);
  if (!isCharged(pod, now)) return usage;
  usage.set("pods", wholeAmount(1));
  for (const [name, quantity] of requestsOf(pod)) {
    if (name === "cpu" || name === "memory" || name === "ephemeral-storage" || name.startsWith("hugepages-")) {
      usage.set(name, quantity);
      usage.set(`requests.${name}`, quantity);
    } else if (name.startsWith(implicitExtended) || (isForeign(name) && !name.startsWith("requests."))) {
      usage.set(`requests.${name}`, quantity);
    }
  }
  for (const [name, quantity] of limitsOf(pod)) if (plain.has(`limits.${name}`)) usage.set(`limits.${name}`, quantity);
  return usage;
}

function requestsOf(pod: Pod): Amounts {
  const requests = togetherOf(pod, "requests");
  wholePod(pod, "requests", requests);
  addAmounts(requests, amountsOf(pod.spec?.overhead));
  return requests;
}

function limitsOf(pod: Pod): Amounts {
  const limits = togetherOf(pod, "limits");
  wholePod(pod, "limits", limits);
  // Overhead raises an existing limit; it does not create one.
  const overhead = [...amountsOf(pod.spec?.overhead)].filter(([name]) => (limits.get(name)?.nano ?? 0n) !== 0n);
  addAmounts(limits, new Map(overhead));
  return limits;
}

/** Pod-level resources replace the sum of the containers'. */
function wholePod({ spec }: Pod, list: List, sum: Amounts): void {
  for (const [name, quantity] of amountsOf(spec?.resources?.[list])) {
    if (name === "cpu" || name === "memory" || name.startsWith("hugepages-")) sum.set(name, quantity);
  }
}

function togetherOf(pod: Pod, list: List): Amounts {
  const { spec, status } = pod;
  const statuses = new Map(
    [...(status?.containerStatuses ?? []), ...(status?.initContainerStatuses ?? [])].map((each) => [each.name, each]),
  );
  const needOf = (container: Container): Amounts => effective(pod, list, container, statuses.get(container.name));
  const initContainers = (spec?.initContainers ?? []).map((container) => {
    const isSidecar = container.restartPolicy === "Always";
    return { isSidecar, amounts: isSidecar ? needOf(container) : amountsOf(container.resources?.[list]) };
  });
  return amountsTogether((spec?.containers ?? []).map(needOf), initContainers);
}

/** While a container is being resized, the larger of desired and actual; actual if the resize is infeasible. */
function effective(pod: Pod, list: List, container: Container, status: ContainerStatus | undefined): Amounts {
  const wanted = amountsOf(container.resources?.[list]);
  if (status?.resources === undefined) return wanted;
  const pending = pod.status?.conditions?.find(({ type }) => type === "PodResizePending");
  const amounts = pending?.reason === "Infeasible" ? new Map() : wanted;
  raiseAmounts(amounts, amountsOf(status.resources[list]));
  if (list === "requests") raiseAmounts(amounts, amountsOf(status.allocatedResources));
  return amounts;
}
