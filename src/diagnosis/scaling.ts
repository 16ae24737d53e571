/** PodDisruptionBudgets and ResourceQuotas. */
import { PodDisruptionBudgets, Pods } from "../api/kinds.ts";
import { matches, selectorOf } from "../api/labels.ts";
import { compareQuantities, parseQuantity } from "../api/quantity.ts";
import type { Pod, PodDisruptionBudget, ResourceQuota } from "../api/types.ts";
import { type Examined, type Finding, inNamespace, type Item, kubectl, refOf } from "./diagnosis.ts";
import { unseenGeneration } from "./generations.ts";
import { aside, type Listed, type Look } from "./look.ts";
import { podFindings } from "./pods.ts";
import { pluralize } from "../api/pluralize.ts";

/** Whether it allows an eviction. */
export function examineBudget(look: Look, item: Item<PodDisruptionBudget>): Examined {
  const { spec, status, metadata } = item.object;
  const at = refOf(item);
  const unseenSpec = unseenGeneration(look, item);
  const { disruptionsAllowed = 0, currentHealthy = 0, desiredHealthy = 0, expectedPods = 0 } = status ?? {};
  const says = `${pluralize(disruptionsAllowed, "pod")} may be evicted: ${currentHealthy} of ${expectedPods} healthy, ${desiredHealthy} required`;
  const pods = look.list(Pods, metadata.namespace ?? "", selectorOf(spec?.selector));
  const findings: Finding[] = [...unseenSpec];
  const advice = [kubectl(`get pods --show-labels${inNamespace(metadata.namespace)}`)];
  const failure = status?.conditions?.find(({ type }) => type === "DisruptionAllowed");
  if (unseenSpec.length > 0) {
    // Its counts are for an earlier spec.
  } else if (failure?.reason === "SyncFailed") {
    findings.push({ at, why: `it allows no eviction, because its pods cannot be counted: ${failure.message}`, advice });
  } else if (expectedPods === 0)
    findings.push({ at, why: "it protects nothing: no pod with a controller matches its selector", advice });
  else if (disruptionsAllowed === 0) {
    if (currentHealthy < desiredHealthy) findings.push(...podFindings(look, pods.objects));
    const why =
      desiredHealthy >= expectedPods
        ? `it never allows an eviction: it requires ${desiredHealthy} of ${expectedPods} healthy, so draining a node never completes`
        : `it allows no eviction until ${desiredHealthy + 1} are healthy`;
    findings.push({ at, why });
  }
  const others = budgetsOfSamePods(look, { item, pods: pods.objects });
  if (others.objects.length > 0) findings.push({ at, why: severalText(others.objects) });
  return {
    says,
    reached: findings.length === 0,
    findings,
    seen: ["its status", pluralize(pods.objects.length, "Pod")],
    unseen: aside([...pods.unseen, ...others.unseen]),
  };
}

/** Source: kubernetes v1.36 pkg/registry/core/pod/storage/eviction.go Create. */
function severalText(others: readonly PodDisruptionBudget[]): string {
  const names = others.map(({ metadata }) => metadata.name).join(", ");
  const also =
    others.length === 1 ? `PodDisruptionBudget ${names} also selects` : `PodDisruptionBudgets ${names} also select`;
  return `${also} pods of it: the API server refuses to evict a pod that has several budgets`;
}

/** The other budgets that select one of these pods. */
function budgetsOfSamePods(
  look: Look,
  { item, pods }: { readonly item: Item<PodDisruptionBudget>; readonly pods: readonly Pod[] },
): Listed<PodDisruptionBudget> {
  const { namespace = "", uid } = item.object.metadata;
  const { objects, unseen } = look.list(PodDisruptionBudgets, namespace);
  const selects = ({ spec }: PodDisruptionBudget): boolean => {
    const selector = selectorOf(spec?.selector);
    return pods.some(({ metadata }) => matches(selector, metadata.labels));
  };
  return { objects: objects.filter((other) => other.metadata.uid !== uid && selects(other)), unseen };
}

/** Whether it is counted, and not used up. */
export function examineQuota(_look: Look, item: Item<ResourceQuota>): Examined {
  const { spec, status, metadata } = item.object;
  const at = refOf(item);
  const hard = spec?.hard ?? {};
  const counts = Object.keys(hard).every(
    (name) => status?.used?.[name] !== undefined && status?.hard?.[name] === hard[name],
  );
  if (!counts) {
    const why = "its usage has not been counted for the limits of its spec: is kube-controller-manager running?";
    return { says: "not counted yet", reached: false, findings: [{ at, why }], seen: ["its status"], unseen: [] };
  }
  const full = Object.entries(hard).filter(([name, limit]) => isUsedUp(limit, status?.used?.[name] ?? "0"));
  const findings = full.map(([name, limit]): Finding => {
    const why = `${name}: ${status?.used?.[name]} of ${limit} used, so further use is refused`;
    return { at, why, advice: [kubectl(`describe quota ${metadata.name}${inNamespace(metadata.namespace)}`)] };
  });
  const most = Object.entries(hard)
    .slice(0, 4)
    .map(([name, limit]) => `${name} ${status?.used?.[name]} of ${limit}`);
  return {
    says: full.length === 0 ? most.join(", ") : `${pluralize(full.length, "limit is", "limits are")} used up`,
    reached: full.length === 0,
    findings,
    seen: ["its status"],
    unseen: [],
  };
}

/** A limit of 0 without usage is a ban that works as intended. */
function isUsedUp(limit: string, used: string): boolean {
  const [most, now] = [parseQuantity(limit), parseQuantity(used)];
  if (most === undefined || now === undefined) return false;
  const zero = parseQuantity("0");
  if (zero !== undefined && compareQuantities(most, zero) === 0 && compareQuantities(now, zero) === 0) return false;
  return compareQuantities(now, most) >= 0;
}
