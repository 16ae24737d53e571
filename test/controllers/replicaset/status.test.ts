import { beforeEach, describe, expect, test } from "bun:test";
import { Pods, ReplicaSets } from "../../../src/api/kinds.ts";
import type { ReplicaSet } from "../../../src/api/types.ts";
import type { ReplicaCondition, ReplicaStatus } from "../../../src/controllers/replicaset/replica-owner.ts";
import { replicaset } from "../../../src/controllers/replicaset/replicaset.ts";
import { calculateStatus, isStatusCurrent, type Observed } from "../../../src/controllers/replicaset/status.ts";
import { rejection } from "../../support/rejection.ts";
import { refusal, type Scene, sceneStart, syncScene } from "../../support/sync-context.ts";
import { podOf, type PodParts, replicaSetOf } from "../../support/workloads.ts";

const observed: Observed = { active: [], terminating: [], failure: undefined, now: sceneStart };

function countsOf(object: ReplicaSet, pods: readonly PodParts[], terminating = 0): ReplicaStatus {
  return calculateStatus(object, {
    ...observed,
    active: pods.map((parts, index) => podOf(`p${index}`, parts)),
    terminating: Array.from({ length: terminating }, (_, index) => podOf(`t${index}`)),
  });
}

describe("calculateStatus", () => {
  const long = { app: "web", tier: "front" };
  const ready = { ready: true, readyAt: sceneStart - 3_600_000 };
  const longer = { metadata: { labels: long }, spec: { containers: [] } };
  const rows: readonly {
    name: string;
    spec?: object;
    pods: readonly PodParts[];
    terminating?: number;
    status: object;
  }[] = [
    { name: "no pods", pods: [], status: { replicas: 0 } },
    { name: "pods with all labels of the template", pods: [{}, {}], status: { replicas: 2, fullyLabeledReplicas: 2 } },
    {
      name: "pods that lack a label of the template",
      spec: { template: longer },
      pods: [{}, { labels: long }],
      status: { replicas: 2, fullyLabeledReplicas: 1 },
    },
    {
      name: "no pod with all labels of the template",
      spec: { template: longer },
      pods: [{}, {}],
      status: { replicas: 2 },
    },
    {
      name: "ready and available ones",
      pods: [ready, { ready: false }],
      status: { replicas: 2, fullyLabeledReplicas: 2, readyReplicas: 1, availableReplicas: 1 },
    },
    {
      name: "ready ones not yet available",
      spec: { minReadySeconds: 3600 + 1 },
      pods: [ready, ready],
      status: { replicas: 2, fullyLabeledReplicas: 2, readyReplicas: 2 },
    },
    {
      name: "terminating ones",
      pods: [ready],
      terminating: 2,
      status: { replicas: 1, fullyLabeledReplicas: 1, readyReplicas: 1, availableReplicas: 1, terminatingReplicas: 2 },
    },
  ];
  for (const { name, spec = {}, pods, terminating, status } of rows) {
    test(name, () => {
      expect(countsOf(replicaSetOf({ spec }), pods, terminating)).toEqual({
        terminatingReplicas: 0,
        ...status,
      } as ReplicaStatus);
    });
  }

  test("has the fields in Go's order, and omits zeros except replicas and terminatingReplicas", () => {
    const object = replicaSetOf({ status: { replicas: 9, availableReplicas: 9, observedGeneration: 3 } });
    expect(JSON.stringify(countsOf(object, [{ ready: true }], 0))).toBe(
      '{"replicas":1,"fullyLabeledReplicas":1,"readyReplicas":1,"availableReplicas":1,"terminatingReplicas":0,"observedGeneration":3}',
    );
  });

  test("omits terminating pods if they are not counted", () => {
    expect(calculateStatus(replicaSetOf(), { ...observed, terminating: undefined })).toStrictEqual({ replicas: 0 });
  });

  test("counts the pods of an object without spec and status, at generation 0", () => {
    const bare: ReplicaSet = { metadata: replicaSetOf({ meta: { generation: undefined } }).metadata };
    const status = calculateStatus(bare, { ...observed, active: [podOf("a", { ready: true })] });
    expect(status).toStrictEqual({
      replicas: 1,
      fullyLabeledReplicas: 1,
      readyReplicas: 1,
      availableReplicas: 1,
      terminatingReplicas: 0,
    });
    expect(isStatusCurrent(bare, { replicas: 0 })).toBeTrue();
    expect(isStatusCurrent(bare, status)).toBeFalse();
  });

  test.each([{}, { template: {} }, { template: { metadata: {} } }])(
    "requires no labels from a template without labels: %j",
    (spec) => {
      const bare = { metadata: replicaSetOf().metadata, spec } as ReplicaSet;
      expect(calculateStatus(bare, { ...observed, active: [podOf("a")] }).fullyLabeledReplicas).toBe(1);
    },
  );
});

describe("the condition ReplicaFailure", () => {
  const old: ReplicaCondition = {
    type: "ReplicaFailure",
    status: "True",
    reason: "FailedCreate",
    message: "first",
    lastTransitionTime: "2026-11-21T08:00:00Z",
  };
  const foreign: ReplicaCondition = { type: "Odd", status: "True" };
  const failure = new Error("exceeded quota");
  const fresh = { type: "ReplicaFailure", status: "True", lastTransitionTime: "2026-11-21T10:00:00Z" };
  const rows: readonly {
    name: string;
    replicas?: number;
    had: readonly ReplicaCondition[];
    failure: Error | undefined;
    active?: number;
    conditions: readonly object[] | undefined;
  }[] = [
    {
      name: "is added with the first failure to create",
      had: [],
      failure,
      conditions: [{ ...fresh, reason: "FailedCreate", message: "exceeded quota" }],
    },
    {
      name: "is added with the first failure to delete",
      had: [],
      failure,
      active: 3,
      conditions: [{ ...fresh, reason: "FailedDelete", message: "exceeded quota" }],
    },
    {
      name: "has no reason when nothing had to be done",
      had: [],
      failure,
      active: 1,
      conditions: [{ ...fresh, message: "exceeded quota" }],
    },
    {
      name: "has no message if the failure has none",
      had: [],
      failure: new Error(""),
      conditions: [{ ...fresh, reason: "FailedCreate" }],
    },
    {
      name: "follows others",
      had: [foreign],
      failure,
      conditions: [foreign, { ...fresh, reason: "FailedCreate", message: "exceeded quota" }],
    },
    { name: "stays unchanged during further failures, whatever they are", had: [old], failure, conditions: [old] },
    {
      name: "keeps the reason of the first failure, also when another one follows",
      had: [{ ...old, reason: "FailedDelete" }],
      failure,
      conditions: [{ ...old, reason: "FailedDelete" }],
    },
    {
      name: "is removed with the first sync that succeeds, and others stay",
      had: [foreign, old],
      failure: undefined,
      conditions: [foreign],
    },
    { name: "is removed without leaving an empty list", had: [old], failure: undefined, conditions: undefined },
    { name: "does not exist without a failure", had: [], failure: undefined, conditions: undefined },
  ];
  for (const { name, had, failure: why, active = 0, conditions } of rows) {
    test(name, () => {
      const object = replicaSetOf({ status: { replicas: 0, conditions: had } });
      const pods = Array.from({ length: active }, (_, index) => podOf(`p${index}`));
      const status = calculateStatus(object, { ...observed, active: pods, failure: why });
      expect(status.conditions).toStrictEqual(conditions as ReplicaCondition[]);
    });
  }
});

describe("isStatusCurrent", () => {
  const status: ReplicaStatus = { replicas: 1, fullyLabeledReplicas: 1, terminatingReplicas: 0, observedGeneration: 1 };
  const rows: readonly {
    name: string;
    had: ReplicaStatus;
    wanted: ReplicaStatus;
    generation?: number;
    current: boolean;
  }[] = [
    { name: "equal", had: status, wanted: status, current: true },
    { name: "zeros written out", had: { ...status, readyReplicas: 0 }, wanted: status, current: true },
    { name: "another count", had: status, wanted: { ...status, readyReplicas: 1 }, current: false },
    {
      name: "no terminatingReplicas if there are 0",
      had: { ...status, terminatingReplicas: undefined } as unknown as ReplicaStatus,
      wanted: status,
      current: false,
    },
    { name: "a newer generation", had: status, wanted: status, generation: 2, current: false },
    {
      name: "an additional condition",
      had: status,
      wanted: { ...status, conditions: [{ type: "A", status: "True" }] },
      current: false,
    },
  ];
  for (const { name, had, wanted, generation = 1, current } of rows) {
    test(`${name}: ${current}`, () => {
      expect(isStatusCurrent(replicaSetOf({ status: had, meta: { generation } }), wanted)).toBe(current);
    });
  }
});

describe("writing the status", () => {
  let scene: Scene;
  beforeEach(() => {
    scene = syncScene(replicaset);
  });
  const verbs = (): string[] => scene.calls.map(({ verb }) => verb);
  const bodies = (): ReplicaSet[] =>
    scene.calls.filter(({ verb }) => verb === "updateStatus").map(({ body }) => body as ReplicaSet);

  test("is repeated once on the live object, with the observed generation of the sync", async () => {
    scene.put(ReplicaSets, replicaSetOf({ replicas: 1 }));
    scene.put(Pods, podOf("a"));
    scene.putLive(ReplicaSets, replicaSetOf({ replicas: 7, meta: { resourceVersion: "77", generation: 2 } }));
    let writes = 0;
    scene.refuse = ({ verb }) =>
      verb === "updateStatus" && ++writes === 1 ? refusal(409, "Conflict", "changed") : undefined;
    await scene.sync("shop/web");
    expect(verbs()).toEqual(["updateStatus", "get", "updateStatus"]);
    const [first, second] = bodies();
    expect([first?.metadata.resourceVersion, second?.metadata.resourceVersion]).toEqual(["10", "77"]);
    expect([first?.spec?.replicas, second?.spec?.replicas]).toEqual([1, 7]);
    expect(second?.status).toEqual(first?.status as ReplicaStatus);
    expect(second?.status?.observedGeneration).toBe(1);
    expect(scene.decisions.filter(({ rule }) => rule === "status")).toHaveLength(1);
  });

  test("is repeated after any error, and the second error ends the sync", async () => {
    scene.put(ReplicaSets, replicaSetOf({ replicas: 0 }));
    let writes = 0;
    scene.refuse = ({ verb }) => (verb === "updateStatus" ? new Error(`failed ${++writes}`) : undefined);
    expect((await rejection(scene.sync("shop/web"))).message).toContain("failed 2");
    expect(verbs()).toEqual(["updateStatus", "get", "updateStatus"]);
  });

  test("fails with the error of reading the live object", async () => {
    scene.put(ReplicaSets, replicaSetOf({ replicas: 0 }));
    scene.refuse = ({ verb }) => new Error(`${verb} failed`);
    expect((await rejection(scene.sync("shop/web"))).message).toContain("get failed");
    expect(verbs()).toEqual(["updateStatus", "get"]);
  });

  test("comes before a failure to create is thrown", async () => {
    scene.put(ReplicaSets, replicaSetOf({ replicas: 2 }));
    scene.refuse = ({ verb }) => (verb === "create" ? refusal(403, "Forbidden", "exceeded quota") : undefined);
    expect((await rejection(scene.sync("shop/web"))).message).toContain("exceeded quota");
    expect(verbs()).toEqual(["create", "updateStatus"]);
    expect(scene.decisions.map(({ rule, sentence }) => `${rule}: ${sentence}`)).toEqual([
      "scale-up: 2 of 2 pods are missing → create 2, in batches of 1 and 1",
      "replica-failure: FailedCreate: exceeded quota → ReplicaFailure is set",
      "status: observedGeneration 0 → 1, ReplicaFailure set",
    ]);
  });

  test("removes the condition when the next sync succeeds", async () => {
    scene.put(ReplicaSets, replicaSetOf({ replicas: 2 }));
    scene.refuse = ({ verb }) => (verb === "create" ? refusal(403, "Forbidden", "exceeded quota") : undefined);
    expect((await rejection(scene.sync("shop/web"))).message).toContain("exceeded quota");
    scene.refuse = () => undefined;
    scene.deliver();
    await scene.sync("shop/web");
    expect(bodies()[0]?.status?.conditions).toBeUndefined();
    expect(scene.decisions.map(({ rule }) => rule)).toEqual(["scale-up", "replica-failure", "status"]);
    expect(scene.decisions.at(-1)?.sentence).toBe("ReplicaFailure removed");
  });

  test("leaves the cached object unchanged", async () => {
    const object = replicaSetOf({ replicas: 1 });
    const before = JSON.stringify(object);
    scene.put(ReplicaSets, object);
    await scene.sync("shop/web");
    expect(JSON.stringify(object)).toBe(before);
    expect(bodies()[0]).not.toBe(object);
  });
});
