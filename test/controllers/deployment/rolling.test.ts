import { beforeEach, describe, expect, test } from "bun:test";
import { Deployments, ReplicaSets } from "../../../src/api/kinds.ts";
import { deployment } from "../../../src/controllers/deployment/deployment.ts";
import { refusal, type Scene, syncScene } from "../../support/sync-context.ts";
import { completeStatus, deploymentOf, setOf } from "./objects.ts";

let scene: Scene;
beforeEach(() => {
  scene = syncScene(deployment);
});

interface Sizes {
  readonly old: number;
  readonly new: number;
}

interface Row {
  readonly name: string;
  readonly strategy: readonly [maxSurge: number, maxUnavailable: number];
  readonly old: number;
  readonly new: number;
  readonly availableOld?: number;
  readonly availableNew?: number;
  readonly become: Sizes;
  readonly rules?: readonly string[];
}

async function step({ strategy, ...row }: Row): Promise<Sizes> {
  const annotated = { desired: 10, most: 10 + strategy[0] };
  scene.put(Deployments, deploymentOf({ replicas: 10, strategy }));
  const { availableOld = row.old, availableNew = row.new } = row;
  scene.put(
    ReplicaSets,
    setOf("old", { size: row.old, available: availableOld, hoursOld: 2, ...annotated }),
    setOf("new", { image: "web:2", size: row.new, available: availableNew, ...annotated }),
  );
  await scene.sync("shop/web");
  const size = (name: string): number =>
    scene.live(ReplicaSets).find(({ metadata }) => metadata.name === name)?.spec?.replicas ?? -1;
  return { old: size("old"), new: size("new") };
}

const sizeRules = ["scale-up-new", "scale-down-new", "cleanup-unhealthy", "scale-down-old"];
const decidedOnSizes = (): string[] => scene.decisions.map(({ rule }) => rule).filter((id) => sizeRules.includes(id));
const sentences = (): string[] => scene.decisions.map(({ sentence }) => sentence);

const rulesOfScaling = (): string[] =>
  scene.calls.filter(({ verb }) => verb === "update").map(({ because }) => because?.rule ?? "none");

describe("one step of a rolling update of 10 pods", () => {
  const rows: readonly Row[] = [
    {
      name: "no surge: the new one must wait for the old one",
      strategy: [0, 1],
      old: 10,
      new: 0,
      become: { old: 9, new: 0 },
    },
    { name: "a surge of 2", strategy: [2, 0], old: 10, new: 0, become: { old: 10, new: 2 } },
    { name: "a surge of 2 and free places", strategy: [2, 0], old: 5, new: 0, become: { old: 5, new: 7 } },
    {
      name: "all room used, new pods not available yet",
      strategy: [2, 0],
      old: 10,
      new: 2,
      availableNew: 0,
      become: { old: 10, new: 2 },
    },
    { name: "a new one that is too large", strategy: [2, 0], old: 2, new: 11, become: { old: 2, new: 10 } },
    { name: "2 may be unavailable", strategy: [0, 2], old: 10, new: 0, become: { old: 8, new: 0 } },
    {
      name: "2 that are not available are deleted first",
      strategy: [0, 2],
      old: 10,
      new: 0,
      availableOld: 8,
      become: { old: 8, new: 0 },
      rules: ["cleanup-unhealthy"],
    },
    {
      name: "one that is not available, and one that is",
      strategy: [0, 2],
      old: 10,
      new: 0,
      availableOld: 9,
      become: { old: 8, new: 0 },
      rules: ["cleanup-unhealthy", "scale-down-old"],
    },
    {
      name: "new pods that are not available cost no old ones",
      strategy: [0, 2],
      old: 8,
      new: 2,
      availableNew: 0,
      become: { old: 8, new: 2 },
    },
    {
      name: "too few are available: only unavailable ones can be deleted",
      strategy: [0, 2],
      old: 10,
      new: 0,
      availableOld: 1,
      become: { old: 8, new: 0 },
      rules: ["cleanup-unhealthy"],
    },
    {
      name: "5 new pods that are broken: none of 8 old ones can be deleted, not even broken ones",
      strategy: [3, 2],
      old: 8,
      availableOld: 4,
      new: 5,
      availableNew: 0,
      become: { old: 8, new: 5 },
    },
    {
      name: "an old one whose status has more than its spec, and new pods that are broken",
      strategy: [0, 2],
      old: 8,
      availableOld: 10,
      new: 2,
      availableNew: 0,
      become: { old: 8, new: 2 },
    },
    {
      name: "all new pods are available: the last old ones are deleted",
      strategy: [2, 0],
      old: 2,
      new: 10,
      become: { old: 0, new: 10 },
      rules: ["scale-down-old"],
    },
    {
      name: "new pods are available: as many old ones are deleted",
      strategy: [3, 2],
      old: 8,
      new: 5,
      become: { old: 3, new: 5 },
      rules: ["scale-down-old"],
    },
    {
      name: "an old one with fewer than its status shows is left for now",
      strategy: [3, 2],
      old: 7,
      new: 6,
      availableOld: 8,
      become: { old: 7, new: 6 },
    },
  ];
  for (const row of rows) {
    test(row.name, async () => {
      expect(await step(row)).toEqual(row.become);
      if (row.rules !== undefined) expect(rulesOfScaling()).toEqual([...row.rules]);
      // Every decision about a size is followed by a write, and every write has a decision: a sync either waits or writes.
      expect(decidedOnSizes()).toEqual(rulesOfScaling());
      if (rulesOfScaling().length > 0) expect(scene.decisions.map(({ rule }) => rule)).not.toContain("hold");
    });
  }

  test("explains why it waits", async () => {
    await step({ name: "", strategy: [2, 0], old: 10, new: 2, availableNew: 0, become: { old: 10, new: 2 } });
    expect(scene.decisions.map(({ sentence }) => sentence)).toContain(
      "2 pods of new not available; 10 are available in total and 10 must stay → 10 old pods stay for now",
    );
  });

  test("explains what it deleted and what must stay", async () => {
    await step({ name: "", strategy: [0, 2], old: 10, new: 0, become: { old: 8, new: 0 } });
    expect(scene.decisions.map(({ sentence }) => sentence)).toContain(
      "10 pods are available and 8 must stay (maxUnavailable 2) → old old 10 → 8",
    );
    expect(scene.events.map(({ message }) => message)).toEqual(["Scaled down replica set old from 10 to 8"]);
  });

  test("explains each step", async () => {
    await step({ name: "", strategy: [2, 0], old: 2, new: 11, become: { old: 2, new: 10 } });
    expect(sentences()).toContain("10 pods are desired → new 11 → 10");
    scene = syncScene(deployment);
    await step({ name: "", strategy: [2, 0], old: 5, new: 0, become: { old: 5, new: 7 } });
    expect(sentences()).toContain("5 pods where 10 are desired, maxSurge 2 → new 0 → 7");
    scene = syncScene(deployment);
    await step({ name: "", strategy: [0, 2], old: 10, new: 0, availableOld: 9, become: { old: 8, new: 0 } });
    expect(sentences()).toContain("1 of 10 pods of old old are not available, 2 may be removed → 10 → 9");
  });

  // Source: kubernetes v1.36 pkg/controller/deployment/rolling.go reconcileNewReplicaSet: it first checks if there is anything to scale.
  test("ignores an invalid surge if the new ReplicaSet has its size", async () => {
    scene.put(Deployments, deploymentOf({ replicas: 3, strategy: ["a lot", 1] }));
    scene.put(ReplicaSets, setOf("new", { image: "web:2", size: 3, desired: 3, most: 3 }));
    await scene.sync("shop/web");
    expect(scene.calls.map(({ verb }) => verb)).toEqual(["updateStatus"]);
  });
});

describe("several old ReplicaSets", () => {
  const annotated = { desired: 10, most: 10 };
  const put = (availableOlder: number): void => {
    scene.put(Deployments, deploymentOf({ replicas: 10, strategy: [0, 4] }));
    scene.put(
      ReplicaSets,
      setOf("older", { size: 3, available: availableOlder, hoursOld: 3, ...annotated }),
      setOf("old", { size: 7, hoursOld: 2, image: "web:1b", ...annotated }),
      setOf("new", { image: "web:2", size: 0, ...annotated }),
    );
  };

  test("shrink, the oldest first", async () => {
    put(3);
    await scene.sync("shop/web");
    expect(scene.calls.filter(({ verb }) => verb === "update").map(({ name }) => name)).toEqual(["older", "old"]);
    expect(scene.live(ReplicaSets).map(({ spec }) => spec?.replicas)).toEqual([0, 6, 0]);
  });

  const sizesAfter = (): Record<string, number | undefined> =>
    Object.fromEntries(scene.live(ReplicaSets).map(({ metadata, spec }) => [metadata.name, spec?.replicas]));

  // Source: kubernetes v1.36 pkg/controller/deployment/rolling.go cleanupUnhealthyReplicas.
  test("together lose no more unavailable pods than permitted", async () => {
    scene.put(Deployments, deploymentOf({ replicas: 10, strategy: [5, 4] }));
    const broken = { size: 5, available: 2, ...annotated };
    scene.put(
      ReplicaSets,
      setOf("a", { ...broken, hoursOld: 4 }),
      setOf("b", { ...broken, hoursOld: 3, image: "web:1b" }),
      setOf("c", { ...broken, hoursOld: 2, image: "web:1c" }),
      setOf("new", { image: "web:2", size: 0, ...annotated }),
    );
    // Of 15 pods 6 must stay, so 9 may be deleted, which is exactly the number of unavailable ones.
    await scene.sync("shop/web");
    expect(sizesAfter()).toEqual({ a: 2, b: 2, c: 2, new: 0 });
    scene = syncScene(deployment);
    // The same with 10 pods of which 4 may be deleted: 3 of the oldest ReplicaSet, 1 of the next.
    scene.put(Deployments, deploymentOf({ replicas: 10, strategy: [0, 4] }));
    scene.put(
      ReplicaSets,
      setOf("a", { ...broken, hoursOld: 4 }),
      setOf("b", { ...broken, hoursOld: 3, image: "web:1b", size: 4, available: 1 }),
      setOf("c", { ...broken, hoursOld: 2, image: "web:1c", size: 1, available: 0 }),
      setOf("new", { image: "web:2", size: 0, ...annotated }),
    );
    await scene.sync("shop/web");
    expect(sizesAfter()).toEqual({ a: 2, b: 3, c: 1, new: 0 });
  });

  test("with an invalid status is not examined after the limit is reached", async () => {
    scene.put(Deployments, deploymentOf({ replicas: 10, strategy: [0, 2] }));
    scene.put(
      ReplicaSets,
      setOf("older", { size: 5, available: 3, hoursOld: 3, ...annotated }),
      setOf("odd", { size: 2, available: 3, hoursOld: 2, image: "web:1b", ...annotated }),
      setOf("new", { image: "web:2", size: 3, ...annotated }),
    );
    await scene.sync("shop/web");
    // The 2 unavailable ones, and 1 of the 9 available ones.
    expect(sizesAfter()).toEqual({ older: 2, odd: 2, new: 3 });
  });

  test("of which one cannot be scaled: the status is still written, then the sync fails and is retried", async () => {
    put(3);
    scene.refuse = ({ verb, name }) =>
      verb === "update" && name === "old" ? refusal(409, "Conflict", "x") : undefined;
    const failed = await scene.sync("shop/web").catch((error: unknown) => error);
    expect(String(failed)).toContain("x");
    expect(scene.calls.map(({ verb, name }) => `${verb} ${name}`)).toEqual([
      "update older",
      "update old",
      "updateStatus web",
    ]);
  });

  test("with an internal error fail the sync at once", async () => {
    put(3);
    scene.refuse = ({ name }) => (name === "older" ? new TypeError("a mistake") : undefined);
    const failed = await scene.sync("shop/web").catch((error: unknown) => error);
    expect(String(failed)).toBe("TypeError: a mistake");
    expect(scene.calls.map(({ verb }) => verb)).toEqual(["update"]);
  });
});

test("a complete Deployment needs no write, and only cleans up its history", async () => {
  scene.put(Deployments, deploymentOf({ status: completeStatus(3) }));
  scene.put(ReplicaSets, setOf("new", { image: "web:2" }), setOf("old", { size: 0, hoursOld: 2 }));
  await scene.sync("shop/web");
  expect(scene.calls).toEqual([]);
  expect(scene.decisions).toEqual([]);
});

// Source: kubernetes v1.36 pkg/controller/deployment/rolling.go rolloutRolling.
describe("the history of a Deployment whose status is complete", () => {
  const limited = (): void => {
    scene.put(Deployments, deploymentOf({ status: completeStatus(3), spec: { revisionHistoryLimit: 0 } }));
    scene.put(ReplicaSets, setOf("new", { image: "web:2" }), setOf("idle", { size: 0, hoursOld: 3 }));
  };
  const done = (): string[] => scene.calls.map(({ verb, name }) => `${verb} ${name}`);

  test("is cleaned up in a sync that changes no size", async () => {
    limited();
    await scene.sync("shop/web");
    expect(done()).toEqual(["delete idle"]);
  });

  test("is kept if an old ReplicaSet shrinks, or the new one grows", async () => {
    limited();
    scene.put(ReplicaSets, setOf("old", { size: 1, hoursOld: 2, image: "web:1b" }));
    await scene.sync("shop/web");
    expect(done()).toEqual(["update old", "updateStatus web"]);
    scene = syncScene(deployment);
    limited();
    scene.put(ReplicaSets, setOf("new", { image: "web:2", size: 2 }));
    await scene.sync("shop/web");
    expect(done()).toEqual(["update new", "updateStatus web"]);
  });

  test("is cleaned up if an old ReplicaSet cannot shrink", async () => {
    limited();
    scene.put(ReplicaSets, setOf("old", { size: 1, hoursOld: 2, image: "web:1b" }));
    scene.refuse = ({ name }) => (name === "old" ? refusal(500, "InternalError", "x") : undefined);
    await scene.sync("shop/web").catch((error: unknown) => expect(String(error)).toContain("x"));
    expect(done()).toEqual(["update old", "delete idle", "updateStatus web"]);
  });

  test("is kept if the rollout is not complete", async () => {
    scene.put(Deployments, deploymentOf({ spec: { revisionHistoryLimit: 0 } }));
    scene.put(ReplicaSets, setOf("new", { image: "web:2", available: 2 }), setOf("idle", { size: 0, hoursOld: 3 }));
    await scene.sync("shop/web");
    expect(done()).toEqual(["updateStatus web"]);
  });
});
