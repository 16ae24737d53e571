import { describe, expect, test } from "bun:test";
import { Nodes, Pods, ReplicaSets } from "../../src/api/kinds.ts";
import type { StoredObject } from "../../src/api/object.ts";
import { findingsOf } from "../../src/diagnosis/diagnosis.ts";
import { ConfigMaps, PersistentVolumeClaims, Secrets } from "../../src/api/kinds.ts";
import { ago, diagnose, type Json, objectOf, ownedBy } from "./world.ts";

const node = {
  kind: Nodes,
  object: objectOf("node-1", { status: { conditions: [{ type: "Ready", status: "True" }] } }),
};

function podOf(name: string, status: Json, rest: Json & { readonly meta?: Json } = {}): StoredObject {
  const container = rest["container"] as Json;
  const spec = { nodeName: "node-1", containers: [{ name: "web", ...container }], ...(rest["spec"] as Json) };
  return objectOf(name, { ...(rest.meta !== undefined && { meta: rest.meta }), spec, status });
}

const unready = (container: Json): Json => ({
  phase: "Running",
  conditions: [{ type: "Ready", status: "False", lastTransitionTime: ago(40) }],
  containerStatuses: [{ name: "web", ready: false, restartCount: 0, ...container }],
});
const ready: Json = { phase: "Running", conditions: [{ type: "Ready", status: "True", lastTransitionTime: ago(40) }] };

const backOff = (endedAgo: number): Json =>
  unready({
    restartCount: 5,
    state: { waiting: { reason: "CrashLoopBackOff", message: "back-off 2m40s restarting failed container=web" } },
    lastState: { terminated: { exitCode: 137, reason: "OOMKilled", finishedAt: ago(endedAgo) } },
  });

describe("what a pod waits for", () => {
  test.each([
    {
      name: "a node",
      pod: podOf(
        "a",
        {
          phase: "Pending",
          conditions: [
            { type: "PodScheduled", status: "False", reason: "Unschedulable", message: "0/3 nodes are available" },
          ],
        },
        { spec: { nodeName: "" } },
      ),
      why: "not scheduled: 0/3 nodes are available",
    },
    {
      name: "a scheduler",
      pod: podOf("a", { phase: "Pending" }, { spec: { nodeName: "" } }),
      why: "no scheduler has looked at it",
    },
    {
      name: "a scheduling gate",
      pod: podOf(
        "a",
        { phase: "Pending", conditions: [{ type: "PodScheduled", status: "False", reason: "SchedulingGated" }] },
        { spec: { nodeName: "", schedulingGates: [{ name: "example.com/hold" }] } },
      ),
      why: "held back by scheduling gates: example.com/hold",
    },
    { name: "its kubelet", pod: podOf("a", { phase: "Pending" }), why: "waits for the kubelet of node node-1" },
    {
      name: "an image",
      pod: podOf(
        "a",
        unready({ state: { waiting: { reason: "ImagePullBackOff", message: 'Back-off pulling image "nope"' } } }),
      ),
      why: 'container web: ImagePullBackOff: Back-off pulling image "nope"',
      advice: "describe pod a -n shop",
    },
    {
      name: "the end of a back-off",
      pod: podOf("a", backOff(30)),
      why: "container web: CrashLoopBackOff, ended with exit code 137 (OOMKilled), 5 restarts",
      next: "container web restarts in 2 m 10 s",
      advice: "logs a --previous -n shop",
    },
    {
      name: "the end of a back-off that has passed",
      pod: podOf("a", backOff(171)),
      why: "CrashLoopBackOff",
      next: "container web should have restarted 11 s ago",
    },
    {
      name: "a readiness probe",
      pod: podOf("a", unready({ state: { running: {} }, started: true }), { container: { readinessProbe: {} } }),
      why: "readiness probe of container web does not succeed",
    },
    {
      name: "a startup probe",
      pod: podOf("a", unready({ state: { running: {} }, started: false }), {
        container: { startupProbe: {}, readinessProbe: {} },
      }),
      why: "startup probe of container web has not succeeded",
    },
    {
      name: "an init container",
      pod: podOf("a", {
        ...unready({ state: { waiting: { reason: "PodInitializing" } } }),
        initContainerStatuses: [
          {
            name: "load",
            ready: false,
            restartCount: 2,
            state: { waiting: { reason: "CrashLoopBackOff" } },
            lastState: { terminated: { exitCode: 1, reason: "Error" } },
          },
        ],
      }),
      why: "init container load: CrashLoopBackOff, ended with exit code 1, 2 restarts",
    },
    {
      name: "a readiness gate",
      pod: podOf(
        "a",
        {
          phase: "Running",
          conditions: [{ type: "Ready", status: "False" }],
          containerStatuses: [{ name: "web", ready: true, restartCount: 0, state: { running: {} } }],
        },
        { spec: { readinessGates: [{ conditionType: "example.com/lb" }] } },
      ),
      why: "readiness gate example.com/lb is not True",
    },
    {
      name: "a node that was deleted",
      pod: podOf("a", { phase: "Pending" }, { spec: { nodeName: "nope" } }),
      why: "there is no such node",
    },
    {
      name: "a ConfigMap that is missing",
      pod: podOf("a", unready({ state: { waiting: { reason: "ContainerCreating" } } }), {
        container: { envFrom: [{ configMapRef: { name: "nope" } }] },
      }),
      why: "there is no such ConfigMap, but the pod refers to it",
    },
    {
      name: "a claim that is missing",
      pod: podOf(
        "a",
        { phase: "Pending" },
        {
          spec: { nodeName: "", volumes: [{ name: "v", persistentVolumeClaim: { claimName: "nope" } }] },
        },
      ),
      why: "there is no such claim",
    },
    {
      name: "a container that crashed a moment ago, and is ready between two crashes",
      pod: podOf("a", {
        ...ready,
        containerStatuses: [
          {
            name: "web",
            ready: true,
            restartCount: 3,
            state: { running: { startedAt: ago(2) } },
            lastState: { terminated: { exitCode: 1, startedAt: ago(20), finishedAt: ago(15) } },
          },
        ],
      }),
      why: "container web ended with exit code 1 after 5 s the last time, and has now run for 2 s, 3 restarts",
      advice: "logs a --previous -n shop",
    },
  ])("$name", ({ pod, why, next, advice }) => {
    const diagnosis = diagnose(Pods, pod, { items: [node] });
    expect(diagnosis.is).toBe("waiting");
    expect(findingsOf(diagnosis)[0]?.why).toContain(why);
    if (next !== undefined) expect(diagnosis.next).toEqual([next]);
    if (advice !== undefined) expect(findingsOf(diagnosis)[0]?.advice?.[0]?.words).toBe(advice);
  });

  test("is nothing if it is ready, has succeeded, or has recovered from its last crash", () => {
    expect(diagnose(Pods, podOf("a", ready)).is).toBe("well");
    expect(diagnose(Pods, podOf("a", { phase: "Succeeded" })).is).toBe("well");
    const outlived = {
      name: "web",
      ready: true,
      restartCount: 1,
      state: { running: { startedAt: ago(100) } },
      lastState: { terminated: { exitCode: 1, startedAt: ago(110), finishedAt: ago(105) } },
    };
    expect(diagnose(Pods, podOf("a", { ...ready, containerStatuses: [outlived] })).is).toBe("well");
  });

  test("includes the exit code if it has failed", () => {
    const terminated = { exitCode: 3, reason: "Error" };
    const status = { phase: "Failed", containerStatuses: [{ name: "web", state: { terminated } }] };
    const diagnosis = diagnose(Pods, podOf("a", status));
    expect(diagnosis.is).toBe("failed");
    expect(findingsOf(diagnosis)[0]?.why).toBe("container web ended with exit code 3");
  });

  test("does not include references that exist or are optional", () => {
    const creating = unready({ state: { waiting: { reason: "ContainerCreating" } } });
    const container = {
      envFrom: [{ configMapRef: { name: "there" } }, { configMapRef: { name: "nope", optional: true } }],
      env: [{ name: "A", valueFrom: { secretKeyRef: { name: "secret", key: "a" } } }],
    };
    const spec = { volumes: [{ name: "v", persistentVolumeClaim: { claimName: "bound" } }] };
    const items = [
      node,
      { kind: ConfigMaps, object: objectOf("there") },
      { kind: Secrets, object: objectOf("secret") },
      { kind: PersistentVolumeClaims, object: objectOf("bound", { spec: {}, status: { phase: "Bound" } }) },
    ];
    const diagnosis = diagnose(Pods, podOf("a", creating, { container, spec }), { items });
    expect(findingsOf(diagnosis).map(({ why }) => why)).toEqual(["container web: ContainerCreating"]);
  });
});

test("the ConfigMap that is published in every namespace is not looked for", () => {
  const volumes = [
    { projected: { sources: [{ configMap: { name: "kube-root-ca.crt" } }, { configMap: { name: "cfg" } }] } },
  ];
  const status = {
    phase: "Pending",
    containerStatuses: [{ name: "web", state: { waiting: { reason: "ContainerCreating" } } }],
  };
  const diagnosis = diagnose(Pods, podOf("a", status, { spec: { volumes } }), { items: [node] });
  expect(findingsOf(diagnosis).map(({ at }) => at.name)).toEqual(["cfg", "a"]);
});

describe("what cannot be read for a pod", () => {
  const creating = podOf(
    "web-a",
    {
      phase: "Pending",
      conditions: [{ type: "Ready", status: "False" }],
      containerStatuses: [{ name: "web", ready: false, state: { waiting: { reason: "ContainerCreating" } } }],
    },
    {
      meta: { ...ownedBy("web", ReplicaSets), labels: { app: "web" } },
      spec: { volumes: [{ secret: { secretName: "tls" } }] },
    },
  );
  const set = objectOf("web", {
    spec: { replicas: 1, selector: { matchLabels: { app: "web" } } },
    status: { replicas: 1 },
  });
  const unreadOf = ({ verdict }: ReturnType<typeof diagnose>): string[] =>
    verdict.evidence.unseen.map(({ what, why, isDecisive }) => `${what}: ${why}${isDecisive ? "!" : ""}`);

  test.each([
    { of: "it", kind: Pods, object: creating },
    { of: "its owner", kind: ReplicaSets, object: set },
  ])("is part of the verdict on $of", ({ kind, object }) => {
    const items = [
      { kind: Pods, object: creating },
      { kind: ReplicaSets, object: set },
    ];
    const diagnosis = diagnose(kind, object, { items, forbidden: [Secrets, Nodes] });
    expect(unreadOf(diagnosis).sort()).toEqual(["Node node-1: no right to get", "Secret tls: no right to get"]);
    expect(diagnosis.unread.map(({ what }) => what).sort()).toEqual(["Node node-1", "Secret tls"]);
  });
});

describe("containers that are not ready", () => {
  const crashing = { name: "b", ready: false, restartCount: 2, state: { waiting: { reason: "ImagePullBackOff" } } };
  const waiting = { name: "a", ready: false, restartCount: 0, state: { running: {} } };
  const why = (status: Json): string | undefined =>
    findingsOf(diagnose(Pods, podOf("two", status), { items: [node] })).at(-1)?.why;
  const conditions = [{ type: "Ready", status: "False" }];

  test("are all named", () => {
    expect(why({ phase: "Running", conditions, containerStatuses: [waiting, crashing] })).toBe(
      "container b: ImagePullBackOff; a is not ready either",
    );
  });

  test("an init container that runs has not finished", () => {
    expect(why({ phase: "Pending", conditions, initContainerStatuses: [waiting], containerStatuses: [] })).toBe(
      "init container a has not finished",
    );
  });
});
