import { beforeEach, describe, expect, test } from "bun:test";
import { HorizontalPodAutoscalers } from "../../../src/api/kinds.ts";
import { StatusError } from "../../../src/api/status-error.ts";
import { defaultOptions } from "../../../src/controllers/horizontal-pod-autoscaler/options.ts";
import type { AutoscalerSpec, MetricSpec } from "../../../src/controllers/horizontal-pod-autoscaler/spec.ts";
import { autoscaler, type AutoscalerScene, autoscalerScene, key, pod, unavailable, usual } from "./scene.ts";

let it: AutoscalerScene;

function begin(spec: Partial<AutoscalerSpec> = {}): void {
  it = autoscalerScene({ ...usual, ...spec });
  twoPods();
}

function twoPods(): void {
  const { now } = it.scene;
  it.putPods(pod("a", { now }), pod("b", { now }));
}

beforeEach(() => begin());

/** Sets the same usage for both pods. */
function use(cpu: string): void {
  it.usage = [
    { pod: "a", cpu },
    { pod: "b", cpu },
  ];
}

/** A condition as `status reason: message`. */
function condition(type: string): string {
  const found = it.autoscaler().status?.conditions?.find((each) => each.type === type);
  return `${found?.status} ${found?.reason}: ${found?.message}`;
}

function events(): readonly string[] {
  return it.scene.events.map(({ type, reason, message }) => `${type} ${reason}: ${message}`);
}

const pass = (seconds: number): void => void (it.scene.now += seconds * 1000);

describe("an autoscaler", () => {
  test("scales up if pods use more than the target", async () => {
    use("120m");
    await it.sync();
    expect(it.scaled).toEqual([3]);
    expect(events()).toEqual([
      "Normal SuccessfulRescale: New size: 3; reason: cpu resource utilization (percentage of request) above target",
    ]);
    expect(condition("AbleToScale")).toBe(
      "True SucceededRescale: the HPA controller was able to update the target scale to 3",
    );
    expect(condition("ScalingActive")).toBe(
      "True ValidMetricFound: the HPA was able to successfully calculate a replica count from cpu resource utilization (percentage of request)",
    );
    const { status } = it.autoscaler();
    expect({ ...status, conditions: [] }).toEqual({
      lastScaleTime: "2026-11-21T10:00:00Z",
      currentReplicas: 2,
      desiredReplicas: 3,
      currentMetrics: [
        { type: "Resource", resource: { name: "cpu", current: { averageUtilization: 120, averageValue: "120m" } } },
      ],
      conditions: [],
    });
  });

  test("counts the pods that there are when their usage is known", async () => {
    const pods = ["a", "b", "c"];
    Object.defineProperty(it, "usage", {
      get() {
        it.putPods(...pods.map((name) => pod(name, { now: it.scene.now })));
        return pods.map((name) => ({ pod: name, cpu: "100m" }));
      },
    });
    await it.sync();
    expect(it.scaled).toEqual([4]);
  });

  test("does not scale within the tolerance", async () => {
    use("86m");
    await it.sync();
    expect(it.scaled).toEqual([]);
    expect(condition("AbleToScale")).toBe("True ReadyForNewScale: recommended size matches current size");
    expect(it.autoscaler().status?.lastScaleTime).toBeUndefined();
  });

  test("uses its own tolerances", async () => {
    begin({ behavior: { scaleUp: rules({ tolerance: "0.02" }), scaleDown: rules({ tolerance: "0.5" }) } });
    use("86m");
    await it.sync();
    expect(it.scaled).toEqual([3]);
  });

  test("at most doubles the replicas in one step, but 4 are always allowed", async () => {
    use("900m");
    await it.sync();
    expect(it.scaled).toEqual([4]);
    expect(condition("ScalingLimited")).toBe(
      "True ScaleUpLimit: the desired replica count is increasing faster than the maximum scale rate",
    );
  });

  test("scales down only if nothing more was recommended for five minutes", async () => {
    use("30m");
    await it.sync();
    expect(it.scaled).toEqual([]);
    expect(condition("AbleToScale")).toBe(
      "True ScaleDownStabilized: recent recommendations were higher than current one, applying the highest recent recommendation",
    );
    pass(300);
    await it.sync();
    expect(it.scaled).toEqual([]);
    pass(1);
    await it.sync();
    expect(it.scaled).toEqual([1]);
    expect(events()).toEqual(["Normal SuccessfulRescale: New size: 1; reason: All metrics below target"]);
  });

  test("stays within its bounds without looking at metrics", async () => {
    it.usage = unavailable;
    it.replicas = 12;
    await it.sync();
    expect(events()).toEqual([
      "Normal SuccessfulRescale: New size: 10; reason: Current number of replicas above Spec.MaxReplicas",
    ]);
    begin({ minReplicas: 3 });
    await it.sync();
    expect(events()).toEqual([
      "Normal SuccessfulRescale: New size: 3; reason: Current number of replicas below Spec.MinReplicas",
    ]);
    expect(it.autoscaler().status?.currentMetrics).toBeUndefined();
  });

  test("with unknown metrics stays within its bounds and writes nothing inside them", async () => {
    it = autoscalerScene(usual, { readsMetrics: false });
    expect(await it.sync()).toBeUndefined();
    expect(it.scene.calls).toEqual([]);
    it.replicas = 12;
    await it.sync();
    expect(it.scaled).toEqual([10]);
  });

  test("leaves a target alone that was scaled to 0", async () => {
    it.replicas = 0;
    await it.sync();
    expect(it.scaled).toEqual([]);
    expect(condition("ScalingActive")).toBe(
      "False ScalingDisabled: scaling is disabled since the replica count of the target is zero",
    );
  });

  test("writes its status only when it changes", async () => {
    use("80m");
    await it.sync();
    expect(it.scene.calls.map(({ verb }) => verb)).toEqual(["updateStatus"]);
    pass(15);
    await it.sync();
    expect(it.scene.calls).toEqual([]);
  });

  test("is requeued after 15 seconds, whatever happened, and each change waits as long", async () => {
    use("80m");
    await it.sync();
    expect(it.scene.requeues.map(({ ms }) => ms)).toEqual([15_000]);
    expect(it.scene.wokenLater).toContainEqual({ key, ms: 15_000 });
    expect(it.scene.woken).toEqual([]);
  });

  test("forgets its recommendations once it is deleted", async () => {
    use("80m");
    await it.sync();
    it.scene.deleteLive(HorizontalPodAutoscalers, key);
    it.scene.deliver();
    await it.sync();
    expect(it.scene.requeues).toEqual([]);
    it.scene.writeLive(HorizontalPodAutoscalers, autoscaler(usual));
    it.scene.deliver();
    it.replicas = 1;
    use("5m");
    await it.sync();
    // The deleted autoscaler had a recent recommendation of two replicas.
    expect(condition("AbleToScale")).toBe("True ReadyForNewScale: recommended size matches current size");
  });
});

function rules(more: object = {}): NonNullable<NonNullable<AutoscalerSpec["behavior"]>["scaleUp"]> {
  const policies = [{ type: "Pods", value: 4, periodSeconds: 15 }];
  return { stabilizationWindowSeconds: 0, selectPolicy: "Max", policies, ...more };
}

describe("behavior", () => {
  test("limits the change per period, not per step", async () => {
    const scaleUp = rules({ policies: [{ type: "Pods", value: 1, periodSeconds: 60 }] });
    begin({ behavior: { scaleUp, scaleDown: rules() } });
    use("900m");
    for (let n = 0; n < 5; n++) {
      await it.sync();
      pass(15);
    }
    expect(it.scaled).toEqual([3, 4]);
  });

  test("uses the controller's window for scaling down by default", async () => {
    const { stabilizationWindowSeconds: _none, ...scaleDown } = rules();
    begin({ behavior: { scaleUp: rules(), scaleDown } });
    use("30m");
    await it.sync();
    pass(299);
    await it.sync();
    expect(it.scaled).toEqual([]);
    pass(2);
    await it.sync();
    expect(it.scaled).toEqual([1]);
  });

  test("can disable a direction", async () => {
    begin({ behavior: { scaleUp: rules({ selectPolicy: "Disabled" }), scaleDown: rules() } });
    use("900m");
    await it.sync();
    expect(it.scaled).toEqual([]);
    expect(condition("ScalingLimited")).toStartWith("True ScaleUpLimit");
  });
});

describe("pods", () => {
  test("that are starting do not count for CPU, and limit scaling up", async () => {
    const { now } = it.scene;
    it.putPods(pod("a", { now }), pod("b", { now, ready: false, startedMsAgo: 20_000, changedMsAgo: 20_000 }));
    use("200m");
    await it.sync();
    // 250% of the target for one pod recommends 3; together with an idle pod it is 125% of the target for two.
    expect(it.scaled).toEqual([3]);
    expect(it.scene.decisions.find(({ rule }) => rule === "metric")?.sentence).toBe(
      "cpu: 200%, target 80% (1 pod: 1 not ready) → recommends 3 replicas",
    );
  });

  test("that never became ready count as idle after five minutes, too", async () => {
    const { now } = it.scene;
    const late = { now, ready: false, startedMsAgo: 3_600_000 };
    it.putPods(pod("a", { now }), pod("b", { ...late, changedMsAgo: 3_600_000 }));
    use("100m");
    await it.sync();
    expect(it.scaled).toEqual([]);
    // A pod that was ready and no longer is does count.
    it.putPods(pod("a", { now }), pod("b", { ...late, changedMsAgo: 60_000 }));
    await it.sync();
    expect(it.scaled).toEqual([3]);
  });

  test("without metrics limit both directions", async () => {
    it.usage = [{ pod: "a", cpu: "20m" }];
    await it.sync();
    pass(301);
    await it.sync();
    // 20% and an assumed 100% are 60% of the requests on average, so 2 are still needed.
    expect(it.scaled).toEqual([]);
  });

  test("without requests have no utilization", async () => {
    const { now } = it.scene;
    const bare = { ...pod("b", { now }), spec: { containers: [{ name: "web" }] } };
    it.putPods(pod("a", { now }), bare);
    use("80m");
    expect(await it.sync()).toBe(
      "failed to compute desired number of replicas based on listed metrics for Deployment/default/web: invalid metrics (1 invalid out of 1), first error is: failed to get cpu resource metric value: failed to get cpu utilization: missing request for cpu in container web of Pod b",
    );
    expect(condition("ScalingActive")).toBe(
      "False FailedGetResourceMetric: the HPA was unable to compute the replica count: failed to get cpu utilization: missing request for cpu in container web of Pod b",
    );
  });

  test("of two autoscalers are scaled by neither", async () => {
    use("120m");
    const other = autoscaler(usual, "other");
    it.scene.put(HorizontalPodAutoscalers, other);
    it.scene.notify(HorizontalPodAutoscalers, { type: "added", object: other, initial: false });
    await it.sync();
    // The other autoscaler has not been synced, so its pods are not known yet.
    expect(it.scaled).toEqual([3]);
    await it.scene.sync("default/other").catch(() => undefined);
    it.scene.deliver();
    await it.sync();
    const message = "pods by selector app=web are controlled by multiple HPAs: [default/other default/web]";
    expect(events()).toEqual([
      `Warning AmbiguousSelector: ${message}`,
      `Warning FailedComputeMetricsReplicas: ${message}`,
    ]);
    expect(condition("ScalingActive")).toBe(`False AmbiguousSelector: ${message}`);
    it.scene.deleteLive(HorizontalPodAutoscalers, "default/other");
    it.scene.deliver();
    await it.sync();
    expect(condition("ScalingActive")).toStartWith("True");
  });

  test("need a selector", async () => {
    it.selector = "";
    await it.sync();
    expect(condition("ScalingActive")).toBe("False InvalidSelector: the HPA target's scale is missing a selector");
    expect(events()[0]).toBe("Warning SelectorRequired: selector is required");
    it.selector = "a b";
    await it.sync();
    expect(condition("ScalingActive")).toStartWith(
      "False InvalidSelector: couldn't convert selector into a corresponding internal selector object: ",
    );
  });
});

describe("metrics", () => {
  const metric = { name: "qps" };
  const pods: MetricSpec = { type: "Pods", pods: { metric, target: { type: "AverageValue", averageValue: "20" } } };
  const custom = "/apis/custom.metrics.k8s.io/v1beta1/namespaces/default";
  const external = "/apis/external.metrics.k8s.io/v1beta1/namespaces/default";
  const podsPath = `${custom}/pods/*/qps?labelSelector=app%3Dweb`;
  const value = (name: string, amount: string): object => ({
    describedObject: { name },
    timestamp: "2026-11-21T10:00:00Z",
    value: amount,
  });

  test("of pods", async () => {
    begin({ metrics: [pods] });
    it.values.set(podsPath, [value("a", "50"), value("b", "30")]);
    await it.sync();
    expect(it.scaled).toEqual([4]);
    expect(it.autoscaler().status?.currentMetrics).toEqual([
      { type: "Pods", pods: { metric, current: { averageValue: "40" } } },
    ]);
  });

  test("of memory are written in binary units", async () => {
    const target = { type: "AverageValue", averageValue: "100Mi" };
    begin({ metrics: [{ type: "Resource", resource: { name: "memory", target } }] });
    it.usage = ["a", "b"].map((name) => ({ pod: name, cpu: "1m", memory: "150Mi" }));
    await it.sync();
    expect(it.scaled).toEqual([3]);
    expect(it.autoscaler().status?.currentMetrics?.[0]?.resource?.current).toEqual({ averageValue: "150Mi" });
  });

  test("of one container", async () => {
    const target = { type: "Utilization", averageUtilization: 50 };
    const containerResource = { name: "cpu", container: "web", target };
    begin({ metrics: [{ type: "ContainerResource", containerResource }] });
    use("100m");
    await it.sync();
    expect(it.scaled).toEqual([4]);
    expect(events()[0]).toEndWith("cpu container resource utilization (percentage of request) above target");
  });

  test("of an object, as a value and divided among the pods", async () => {
    const describedObject = { apiVersion: "v1", kind: "Service", name: "web" };
    const object = (target: object): MetricSpec =>
      // The type does not matter: the form of the target is under test.
      ({ type: "Object", object: { describedObject, metric, target } }) as MetricSpec;
    begin({ metrics: [object({ type: "Value", value: "20" })] });
    it.values.set(`${custom}/services/web/qps`, [value("web", "30")]);
    await it.sync();
    expect(it.scaled).toEqual([3]);
    begin({ metrics: [object({ type: "AverageValue", averageValue: "5" })] });
    expect(await it.sync()).toEndWith(
      "first error is: failed to get object metric value: failed to get qps object metric: unable to get metric qps: unable to fetch metrics from custom metrics API: the server could not find the requested resource (get services.custom.metrics.k8s.io web) on Service default/web",
    );
    it.values.set(`${custom}/services/web/qps`, [value("web", "30")]);
    await it.sync();
    expect(events()[0]).toEndWith("reason: external metric qps(nil) above target");
    expect(it.autoscaler().status?.currentMetrics).toEqual([
      { type: "Object", object: { describedObject, metric, current: { averageValue: "15" } } },
    ]);
  });

  test("of a namespace are requested from it", async () => {
    const describedObject = { kind: "Namespace", name: "elsewhere" };
    const target = { type: "Value", value: "20" };
    begin({ metrics: [{ type: "Object", object: { describedObject, metric, target } }] });
    it.values.set(`${custom}/metrics/qps`, [value("default", "30")]);
    await it.sync();
    expect(it.scaled).toEqual([3]);
  });

  test("from outside, whose series are added up", async () => {
    const selector = { matchLabels: { queue: "mail" } };
    const target = { type: "AverageValue", averageValue: "10" };
    begin({ metrics: [{ type: "External", external: { metric: { name: "depth", selector }, target } }] });
    it.values.set(`${external}/depth?labelSelector=queue%3Dmail`, [value("", "18"), value("", "17")]);
    await it.sync();
    expect(it.scaled).toEqual([4]);
    expect(events()[0]).toBe(
      "Normal SuccessfulRescale: New size: 4; reason: external metric depth(&LabelSelector{MatchLabels:map[string]string{queue: mail,},MatchExpressions:[]LabelSelectorRequirement{},}) above target",
    );
  });

  test("are divided among the replicas in the target's status", async () => {
    const target = { type: "AverageValue", averageValue: "10" };
    begin({ metrics: [{ type: "External", external: { metric: { name: "depth" }, target } }] });
    it.statusReplicas = 5;
    it.values.set(`${external}/depth`, [value("", "52")]);
    await it.sync();
    // 10.4 for each of the status's five replicas is within the tolerance, so five are desired. From the spec's two, one step reaches
    // at most max(2 × 2, 4).
    expect(it.scaled).toEqual([4]);
    expect(it.autoscaler().status?.currentMetrics?.[0]?.external?.current).toEqual({ averageValue: "10400m" });
  });

  test("without any target have a name, too", async () => {
    use("0");
    await it.sync();
    expect(condition("ScalingActive")).toEndWith("from cpu resource utilization (percentage of request)");
  });

  test("with the highest result decide", async () => {
    begin({ metrics: [...(usual.metrics ?? []), pods] });
    use("120m");
    it.values.set(podsPath, [value("a", "50"), value("b", "30")]);
    await it.sync();
    expect(it.scaled).toEqual([4]);
    expect(events()[0]).toEndWith("reason: pods metric qps above target");
  });

  test("that fail prevent scaling down, but not up", async () => {
    begin({ metrics: [...(usual.metrics ?? []), pods] });
    use("120m");
    expect(await it.sync()).toBe(
      "invalid metrics (1 invalid out of 2), first error is: failed to get pods metric value: unable to get metric qps: unable to fetch metrics from custom metrics API: the server could not find the requested resource (get pods.custom.metrics.k8s.io *)",
    );
    expect(it.scaled).toEqual([3]);
    expect(it.autoscaler().status?.currentMetrics?.[1]).toEqual({ type: "" });
    use("80m");
    it.replicas = 2;
    pass(301);
    await it.sync();
    // The other metric recommends the current number, which makes scaling active.
    expect(condition("ScalingActive")).toStartWith("True ValidMetricFound");
    use("10m");
    pass(600);
    await it.sync();
    expect(it.scaled).toEqual([3]);
    expect(it.autoscaler().status?.desiredReplicas).toBe(2);
    expect(condition("ScalingActive")).toStartWith("False FailedGetPodsMetric: the HPA was unable to compute");
  });

  test("that are not served are reported as by client-go", async () => {
    it.usage = unavailable;
    await it.sync();
    const problem =
      "failed to get cpu utilization: unable to get metrics for resource cpu: unable to fetch metrics from resource metrics API: the server is currently unable to handle the request (get pods.metrics.k8s.io)";
    expect(events()).toEqual([
      `Warning FailedGetResourceMetric: ${problem}`,
      `Warning FailedComputeMetricsReplicas: invalid metrics (1 invalid out of 1), first error is: failed to get cpu resource metric value: ${problem}`,
    ]);
    it.usage = [];
    await it.sync();
    expect(events()[0]).toEndWith("resource cpu: no metrics returned from resource metrics API");
  });
});

describe("the target", () => {
  test("must exist", async () => {
    begin({ scaleTargetRef: { apiVersion: "apps/v1", kind: "Deployment", name: "gone" } });
    expect(await it.sync()).toBe(
      'failed to query scale subresource for Deployment/default/gone: deployments.apps "gone" not found',
    );
    expect(events()).toEqual(['Warning FailedGetScale: deployments.apps "gone" not found']);
    expect(condition("AbleToScale")).toBe(
      `False FailedGetScale: the HPA controller was unable to get the target's current scale: deployments.apps "gone" not found`,
    );
  });

  test("must have an existing kind", async () => {
    begin({ scaleTargetRef: { apiVersion: "example.com/v1", kind: "Widget", name: "web" } });
    await it.sync();
    expect(events()).toEqual(['Warning FailedGetScale: no matches for kind "Widget" in group "example.com"']);
  });

  test("is written again after a conflict, in its current state", async () => {
    use("120m");
    const conflict = new StatusError(409, { kind: "Status", code: 409, reason: "Conflict", message: "changed" });
    it.refuseScale = [conflict, conflict];
    await it.sync();
    expect(it.scaled).toEqual([3]);
    expect(it.sentVersions).toEqual(["0", "1", "2"]);
  });

  test("that cannot be scaled is reported", async () => {
    use("120m");
    it.refuseScale = [new StatusError(403, { kind: "Status", code: 403, reason: "Forbidden", message: "no" })];
    expect(await it.sync()).toBe("failed to rescale Deployment/default/web: no");
    expect(events()).toEqual([
      "Warning FailedRescale: New size: 3; reason: cpu resource utilization (percentage of request) above target; error: no",
    ]);
    expect(condition("AbleToScale")).toBe(
      "False FailedUpdateScale: the HPA controller was unable to update the target scale: no",
    );
    expect(it.autoscaler().status?.desiredReplicas).toBe(0);
  });

  test("a status that cannot be written is reported", async () => {
    use("80m");
    it.scene.refuse = () => new StatusError(409, { kind: "Status", code: 409, reason: "Conflict", message: "changed" });
    expect(await it.sync()).toBe("changed");
    expect(events()).toEqual(["Warning FailedUpdateStatus: changed"]);
  });
});

test("kube-controller-manager's defaults", () => {
  expect(defaultOptions).toEqual({
    syncPeriodMs: 15_000,
    downscaleStabilizationMs: 300_000,
    tolerance: 0.1,
    readsMetrics: true,
    cpuInitializationPeriodMs: 300_000,
    initialReadinessDelayMs: 30_000,
  });
});
