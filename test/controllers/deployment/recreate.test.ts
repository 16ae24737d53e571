import { beforeEach, describe, expect, test } from "bun:test";
import { Deployments, Pods, ReplicaSets } from "../../../src/api/kinds.ts";
import type { Pod, ReplicaSet } from "../../../src/api/types.ts";
import { deployment } from "../../../src/controllers/deployment/deployment.ts";
import { type Scene, syncScene } from "../../support/sync-context.ts";
import { completeStatus, deploymentOf, podOfSet, setOf } from "./objects.ts";

const key = "shop/web";
let scene: Scene;
beforeEach(() => {
  scene = syncScene(deployment);
});

const scaled = (): string[] =>
  scene.calls
    .filter(({ verb }) => verb === "update" || verb === "create")
    .map(({ verb, because, body }) => `${verb} ${because?.rule} to ${(body as ReplicaSet).spec?.replicas}`);

async function sync(sets: readonly ReplicaSet[], pods: readonly Pod[] = []): Promise<void> {
  scene.put(Deployments, deploymentOf({ strategy: "Recreate" }));
  scene.put(ReplicaSets, ...sets);
  scene.put(Pods, ...pods);
  // A second status write in the same sync is rejected; this error is ignored.
  await scene.sync(key).catch(() => undefined);
}

describe("Recreate", () => {
  const annotated = { desired: 3, most: 3 };
  const empty = setOf("old", { size: 0, hoursOld: 2, ...annotated });

  test("scales all old ReplicaSets to 0 first, and creates no new one yet", async () => {
    await sync([
      setOf("old", { hoursOld: 2, ...annotated }),
      setOf("older", { size: 1, image: "web:0", hoursOld: 3, ...annotated }),
    ]);
    expect(scaled()).toEqual(["update stop-old to 0", "update stop-old to 0"]);
  });

  test("creates the new one with all pods when no old one is left", async () => {
    await sync([empty]);
    expect(scaled()).toEqual(["create new-replicaset to 3"]);
  });

  test("scales up an existing one", async () => {
    await sync([empty, setOf("new", { image: "web:2", size: 0, ...annotated })]);
    expect(scaled()).toEqual(["update start-new to 3"]);
  });

  const rows = [
    {
      name: "waits for pods that an old ReplicaSet still counts",
      set: setOf("old", { size: 0, has: 1, hoursOld: 2, ...annotated }),
      phases: [],
      waits: true,
    },
    { name: "waits for a running pod", set: empty, phases: ["Running"], waits: true },
    { name: "waits for a pending pod", set: empty, phases: ["Pending"], waits: true },
    { name: "waits for a pod without a phase", set: empty, phases: ["Unknown"], waits: true },
    { name: "does not wait for finished pods", set: empty, phases: ["Failed", "Succeeded"], waits: false },
    {
      name: "waits for the one of several that is not finished",
      set: empty,
      phases: ["Failed", "Running"],
      waits: true,
    },
  ];
  for (const { name, set, phases, waits } of rows) {
    test(name, async () => {
      await sync(
        [set],
        phases.map((phase, n) => podOfSet(`pod-${n}`, set, phase)),
      );
      expect(scaled()).toEqual(waits ? [] : ["create new-replicaset to 3"]);
      if (waits) expect(scene.decisions.map(({ sentence }) => sentence)).toContain("1 old pod has not ended → wait");
    });
  }

  test("does not wait for pods of the new ReplicaSet", async () => {
    const newReplicaSet = setOf("new", { image: "web:2", size: 1, has: 1, ...annotated });
    await sync([empty, newReplicaSet], [podOfSet("one", newReplicaSet)]);
    expect(scaled()).toEqual(["update start-new to 3"]);
  });
});

describe("a deleted pod", () => {
  const set = setOf("new", { image: "web:2" });
  const wakes = (strategy: "Recreate" | [number, number], left: readonly Pod[], gone: Pod): readonly string[] => {
    scene.put(Deployments, deploymentOf({ strategy, status: completeStatus(1) }));
    scene.put(ReplicaSets, set, setOf("orphan", { owner: "none" }));
    scene.put(Pods, ...left);
    scene.notify(Pods, { type: "deleted", object: gone, tombstone: false });
    return scene.woken;
  };
  const pod = podOfSet("pod", set);

  const rows = [
    {
      name: "enqueues a Recreate Deployment when it was the last one",
      strategy: "Recreate" as const,
      left: [],
      gone: pod,
      woken: [key],
    },
    {
      name: "does not if others are left",
      strategy: "Recreate" as const,
      left: [podOfSet("other", set)],
      gone: pod,
      woken: [],
    },
    {
      name: "does if the remaining ones are of another owner's ReplicaSet",
      strategy: "Recreate" as const,
      left: [podOfSet("other", setOf("orphan", { owner: "none" }))],
      gone: pod,
      woken: [key],
    },
    {
      name: "does not enqueue a RollingUpdate Deployment",
      strategy: [1, 0] as [number, number],
      left: [],
      gone: pod,
      woken: [],
    },
    {
      name: "without a ReplicaSet enqueues nothing",
      strategy: "Recreate" as const,
      left: [],
      gone: podOfSet("x", setOf("gone")),
      woken: [],
    },
    {
      name: "of an orphan enqueues nothing",
      strategy: "Recreate" as const,
      left: [],
      gone: podOfSet("x", setOf("orphan", { owner: "none" })),
      woken: [],
    },
  ];
  for (const { name, strategy, left, gone, woken } of rows) {
    test(name, () => expect(wakes(strategy, left, gone)).toEqual(woken));
  }

  test("and one that is added or changed enqueues nothing", () => {
    scene.put(Deployments, deploymentOf({ strategy: "Recreate" }));
    scene.put(ReplicaSets, set);
    scene.notify(Pods, { type: "added", object: pod, initial: false });
    scene.notify(Pods, { type: "updated", before: pod, object: pod });
    expect(scene.woken).toEqual([]);
  });
});
