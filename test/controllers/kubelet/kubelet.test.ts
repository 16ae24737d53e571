import { describe, expect, test } from "bun:test";
import { Events, Leases, Nodes, Pods } from "../../../src/api/kinds.ts";
import type { Pod } from "../../../src/api/types.ts";
import { embeddedScene, type EmbeddedScene } from "../../support/embedded-scene.ts";
import { annotation, podOf, type PodParts } from "../../support/pods.ts";

/** Creates one pod on one node and lets `ms` pass. */
async function podAfter(ms: number, parts: PodParts, name = "pod"): Promise<{ scene: EmbeddedScene; pod: Pod }> {
  const scene = await embeddedScene({ nodes: 1 });
  await scene.during(scene.you.create(Pods, podOf(name, parts)));
  await letPass(scene, ms);
  return { scene, pod: await podNamed(scene, name) };
}

/** Time passes even if only heartbeats remain. */
async function letPass(scene: EmbeddedScene, ms: number): Promise<void> {
  scene.timeline.after(ms, "test", () => undefined);
  await scene.run(ms);
}

async function podNamed(scene: EmbeddedScene, name = "pod"): Promise<Pod> {
  return scene.during(scene.you.get(Pods, { namespace: "default", name }));
}

function conditionsOf(pod: Pod): Record<string, string> {
  return Object.fromEntries((pod.status?.conditions ?? []).map(({ type, status }) => [type, status]));
}

const main = (pod: Pod): NonNullable<NonNullable<Pod["status"]>["containerStatuses"]>[number] => {
  const status = pod.status?.containerStatuses?.[0];
  if (status === undefined) throw new Error("the pod has no container status");
  return status;
};

const up = { PodReadyToStartContainers: "True", Initialized: "True", PodScheduled: "True" };

describe("a pod on a simulated node", () => {
  test("reports its containers' resources, which a resize needs", async () => {
    const { pod } = await podAfter(5000, { requests: { cpu: "100m" } });
    expect(main(pod).resources).toEqual({ requests: { cpu: "100m" } });
  });

  test("is accepted at once: its containers are being created", async () => {
    const { scene, pod } = await podAfter(100, {});
    expect(pod.status?.phase).toBe("Pending");
    expect(main(pod).state).toEqual({ waiting: { reason: "ContainerCreating" } });
    expect(conditionsOf(pod)).toEqual({
      PodReadyToStartContainers: "False",
      Initialized: "True",
      Ready: "False",
      ContainersReady: "False",
      PodScheduled: "True",
    });
    expect(pod.status?.hostIP).toBe("172.20.0.3");
    expect(pod.status?.podIP).toBeUndefined();
    await scene.stop();
  });

  test("runs and is ready 200 ms later, with addresses and no reason in its conditions", async () => {
    const { scene, pod } = await podAfter(1000, {});
    expect(pod.status?.phase).toBe("Running");
    expect(conditionsOf(pod)).toEqual({ ...up, Ready: "True", ContainersReady: "True" });
    expect((pod.status?.conditions ?? []).filter(({ reason }) => reason !== undefined)).toEqual([]);
    expect(pod.status?.podIP).toBe("10.1.0.1");
    expect(pod.status?.podIPs).toEqual([{ ip: "10.1.0.1" }]);
    expect(main(pod)).toMatchObject({ ready: true, started: true, restartCount: 0 });
    await scene.stop();
  });

  test("starts after start-after, and is ready after ready-after", async () => {
    const { scene, pod } = await podAfter(4000, { annotations: { "start-after": "3s", "ready-after": "2s" } });
    expect(pod.status?.phase).toBe("Running");
    expect(conditionsOf(pod)["Ready"]).toBe("False");
    await letPass(scene, 2000);
    expect(conditionsOf(await podNamed(scene))["Ready"]).toBe("True");
    await scene.stop();
  });

  test("is ready after its readiness probe's delay, and not ready when the probe fails as often as its threshold", async () => {
    const readinessProbe = { tcpSocket: { port: 80 }, initialDelaySeconds: 3, periodSeconds: 5, failureThreshold: 2 };
    const spec = { containers: [{ name: "c", image: "i", readinessProbe }] };
    const { scene, pod } = await podAfter(2000, { spec, annotations: { "readiness-fails-after": "10s" } });
    expect(conditionsOf(pod)["Ready"]).toBe("False");
    await letPass(scene, 2000);
    expect(conditionsOf(await podNamed(scene))["Ready"]).toBe("True");
    await letPass(scene, 12_000);
    const later = await podNamed(scene);
    expect(later.status?.phase).toBe("Running");
    expect(later.status?.conditions?.find(({ type }) => type === "Ready")).toMatchObject({
      status: "False",
      reason: "ContainersNotReady",
      message: "containers with unready status: [c]",
    });
    await scene.stop();
  });

  test("crashes at once, then after 10 and after 20 seconds, with CrashLoopBackOff in between", async () => {
    const { scene } = await podAfter(1000, { annotations: { "run-for": "1s", "exit-code": "3" } });
    await letPass(scene, 3500);
    const backing = await podNamed(scene);
    expect(main(backing).restartCount).toBe(1);
    expect(main(backing).state?.waiting).toMatchObject({
      reason: "CrashLoopBackOff",
      message: `back-off 10s restarting failed container=c pod=pod_default(${backing.metadata.uid})`,
    });
    expect(main(backing).lastState?.terminated).toMatchObject({ exitCode: 3, reason: "Error" });
    expect(backing.status?.phase).toBe("Running");
    await letPass(scene, 11_000);
    const again = await podNamed(scene);
    expect(main(again).restartCount).toBe(2);
    expect(main(again).state?.waiting?.message).toContain("back-off 20s");
    await scene.stop();
  });

  test("crashes as often as its annotation says, then keeps running", async () => {
    const { scene } = await podAfter(1000, { annotations: { crashes: "2" } });
    await letPass(scene, 60_000);
    const pod = await podNamed(scene);
    expect(main(pod)).toMatchObject({ restartCount: 2, ready: true });
    expect(main(pod).lastState?.terminated?.exitCode).toBe(1);
    await scene.stop();
  });

  test("is killed and restarted when its liveness probe fails", async () => {
    const livenessProbe = { tcpSocket: { port: 80 }, periodSeconds: 2, failureThreshold: 3 };
    const spec = { containers: [{ name: "c", image: "i", livenessProbe }] };
    const { scene } = await podAfter(9000, { spec, annotations: { "liveness-fails-after": "4s" } });
    const pod = await podNamed(scene);
    expect(main(pod).restartCount).toBe(1);
    expect(main(pod).lastState?.terminated?.exitCode).toBe(137);
    const reasons = (await scene.list(Events)).map(({ reason }) => reason);
    expect(reasons).toContain("Unhealthy");
    expect(reasons).toContain("Killing");
    await scene.stop();
  });

  test("waits for an image that never comes", async () => {
    const { scene, pod } = await podAfter(5000, { annotations: { "pull-fails": "true" } });
    expect(pod.status?.phase).toBe("Pending");
    expect(main(pod).state?.waiting).toEqual({ reason: "ImagePullBackOff", message: 'Back-off pulling image "i"' });
    await scene.stop();
  });

  test("reports invalid annotations, and uses the default", async () => {
    const { scene, pod } = await podAfter(2000, { annotations: { "start-after": "soon", "strat-after": "1s" } });
    expect(pod.status?.phase).toBe("Running");
    const messages = (await scene.list(Events)).flatMap(({ reason, message }) =>
      reason === "InvalidAnnotation" ? [message] : [],
    );
    expect(new Set(messages)).toEqual(
      new Set([
        `${annotation("start-after")}: "soon" should be a duration such as 500ms, 2s or 1m30s`,
        `${annotation("strat-after")} is not known`,
      ]),
    );
    await scene.stop();
  });
});

const endings = [
  { name: "Never and exit code 0", restartPolicy: "Never", exitCode: "0", phase: "Succeeded", restarts: 0 },
  { name: "Never and exit code 1", restartPolicy: "Never", exitCode: "1", phase: "Failed", restarts: 0 },
  { name: "OnFailure and exit code 0", restartPolicy: "OnFailure", exitCode: "0", phase: "Succeeded", restarts: 0 },
  { name: "OnFailure and exit code 1", restartPolicy: "OnFailure", exitCode: "1", phase: "Running", restarts: 1 },
  { name: "Always and exit code 0", restartPolicy: "Always", exitCode: "0", phase: "Running", restarts: 1 },
];

describe("a container that ends, with restartPolicy", () => {
  test.each(endings)("$name", async ({ restartPolicy, exitCode, phase, restarts }) => {
    const annotations = { "run-for": "1s", "exit-code": exitCode };
    const { scene, pod } = await podAfter(4000, { annotations, spec: { restartPolicy } });
    expect(pod.status?.phase).toBe(phase);
    expect(main(pod).restartCount).toBe(restarts);
    await scene.stop();
  });
});

describe("the purpose of a pod", () => {
  test("a Job's pod completes on its own", async () => {
    const ownerReferences = [{ apiVersion: "batch/v1", kind: "Job", name: "job", uid: "u", controller: true }];
    const { scene, pod } = await podAfter(3000, { ownerReferences, spec: { restartPolicy: "Never" } });
    expect(pod.status?.phase).toBe("Succeeded");
    expect(main(pod).state?.terminated).toMatchObject({ exitCode: 0, reason: "Completed" });
    expect(pod.status?.conditions?.find(({ type }) => type === "Ready")?.reason).toBe("PodCompleted");
    await scene.stop();
  });

  test("init containers run one after the other, a sidecar keeps running, then the containers start", async () => {
    const spec = {
      initContainers: [
        { name: "one", image: "i" },
        { name: "side", image: "i", restartPolicy: "Always" },
        { name: "two", image: "i" },
      ],
      containers: [{ name: "c", image: "i" }],
    };
    const { scene, pod } = await podAfter(300, { spec });
    const states = (of: Pod): string[] =>
      [...(of.status?.initContainerStatuses ?? []), ...(of.status?.containerStatuses ?? [])].map(
        ({ name, state }) => `${name} ${Object.keys(state ?? {}).join()}`,
      );
    expect(states(pod)).toEqual(["one running", "side waiting", "two waiting", "c waiting"]);
    expect(pod.status?.conditions?.find(({ type }) => type === "Initialized")).toMatchObject({
      status: "False",
      message: "containers with incomplete status: [one side two]",
    });
    await letPass(scene, 450);
    expect(states(await podNamed(scene))).toEqual(["one terminated", "side running", "two waiting", "c waiting"]);
    await letPass(scene, 1000);
    const done = await podNamed(scene);
    expect(states(done)).toEqual(["one terminated", "side running", "two terminated", "c running"]);
    expect(done.status?.phase).toBe("Running");
    expect(conditionsOf(done)).toEqual({ ...up, Ready: "True", ContainersReady: "True" });
    await scene.stop();
  });

  test("an init container that fails, with restartPolicy Never, fails the pod", async () => {
    const spec = {
      restartPolicy: "Never",
      initContainers: [{ name: "one", image: "i" }],
      containers: [{ name: "c", image: "i" }],
    };
    const { scene, pod } = await podAfter(3000, { spec, annotations: { "exit-code.one": "7" } });
    expect(pod.status?.phase).toBe("Failed");
    expect(pod.status?.initContainerStatuses?.[0]?.state?.terminated?.exitCode).toBe(7);
    expect(main(pod).state?.waiting?.reason).toBe("PodInitializing");
    await scene.stop();
  });

  test("a sidecar ends after the containers of a pod that completes", async () => {
    const spec = {
      restartPolicy: "Never",
      initContainers: [{ name: "side", image: "i", restartPolicy: "Always" }],
      containers: [{ name: "c", image: "i" }],
    };
    const { scene, pod } = await podAfter(4000, { spec, annotations: { "run-for.c": "1s" } });
    expect(pod.status?.phase).toBe("Succeeded");
    expect(pod.status?.initContainerStatuses?.[0]?.state?.terminated?.exitCode).toBe(0);
    await scene.stop();
  });

  test("activeDeadlineSeconds ends it", async () => {
    const { scene, pod } = await podAfter(4000, { spec: { activeDeadlineSeconds: 2 } });
    expect(pod.status).toMatchObject({
      phase: "Failed",
      reason: "DeadlineExceeded",
      message: "Pod was active on the node longer than the specified deadline",
    });
    await scene.stop();
  });
});

describe("a pod that is deleted", () => {
  test("ends within its grace period and is then removed from the API", async () => {
    const { scene } = await podAfter(1000, { annotations: { "stop-after": "3s" } });
    await scene.during(scene.you.delete(Pods, { namespace: "default", name: "pod" }));
    await letPass(scene, 2000);
    const stopping = await podNamed(scene);
    expect(stopping.metadata.deletionTimestamp).toBeDefined();
    expect(main(stopping).state?.running).toBeDefined();
    await letPass(scene, 2000);
    expect(await scene.list(Pods)).toEqual([]);
    await scene.stop();
  });

  test("is killed after its grace period", async () => {
    const { scene } = await podAfter(1000, {
      annotations: { "stop-after": "1h" },
      spec: { terminationGracePeriodSeconds: 5 },
    });
    await scene.during(scene.you.delete(Pods, { namespace: "default", name: "pod" }));
    await letPass(scene, 4000);
    expect(await scene.list(Pods)).toHaveLength(1);
    await letPass(scene, 2000);
    expect(await scene.list(Pods)).toEqual([]);
    const last = scene.events.findLast((event) => event.stage === "decision" && event.rule === "report");
    expect(last).toMatchObject({ facts: { phase: "Failed" } });
    await scene.stop();
  });

  test("releases its address", async () => {
    const { scene } = await podAfter(1000, {});
    await scene.during(scene.you.create(Pods, podOf("other")));
    await letPass(scene, 1000);
    const addresses = (await scene.list(Pods)).map(({ status }) => status?.podIP);
    expect(addresses).toEqual(["10.1.0.2", "10.1.0.1"]);
    await scene.stop();
  });
});

describe("a node", () => {
  test("renews its Lease every 10 seconds, except while it is silent", async () => {
    const { scene } = await podAfter(25_000, {});
    const renewals = (): number =>
      scene.events.filter((event) => event.stage === "write" && event.of.kind === "Lease").length;
    expect(renewals()).toBe(3);
    const [lease] = await scene.list(Leases, "kube-node-lease");
    expect(lease?.spec).toMatchObject({ holderIdentity: "node-1", leaseDurationSeconds: 40 });
    const body = { metadata: { annotations: { [annotation("silent")]: "true" } } };
    await scene.during(scene.you.patch(Nodes, { namespace: "", name: "node-1" }, { type: "merge", body }));
    await letPass(scene, 60_000);
    expect(renewals()).toBe(3);
    await scene.stop();
  });

  test("that is silent leaves its pods unchanged, and catches up afterwards", async () => {
    const { scene } = await podAfter(1000, {});
    const silent = async (value: string | null): Promise<void> => {
      const body = { metadata: { annotations: { [annotation("silent")]: value } } };
      await scene.during(scene.you.patch(Nodes, { namespace: "", name: "node-1" }, { type: "merge", body }));
    };
    await silent("true");
    await scene.during(scene.you.delete(Pods, { namespace: "default", name: "pod" }));
    await letPass(scene, 120_000);
    expect(await scene.list(Pods)).toHaveLength(1);
    await silent(null);
    await letPass(scene, 60_000);
    expect(await scene.list(Pods)).toEqual([]);
    await scene.stop();
  });
});
