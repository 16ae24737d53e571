import { describe, expect, test } from "bun:test";
import { isPodReady } from "../../../src/controller/workload/pod-status.ts";
import { Deployments } from "../../../src/api/kinds.ts";
import { statusOf } from "../../support/refused.ts";
import { rolloutScene } from "./scene.ts";

const minute = 60_000;

describe("a Deployment in the embedded cluster", () => {
  test("becomes available, with a ReplicaSet that has upstream's hash", async () => {
    const scene = await rolloutScene();
    await scene.create();
    await scene.run(minute);
    const web = await scene.web();
    expect(web.status).toMatchObject({
      observedGeneration: 1,
      replicas: 3,
      updatedReplicas: 3,
      readyReplicas: 3,
      availableReplicas: 3,
      terminatingReplicas: 0,
    });
    expect(web.status?.conditions?.map(({ type, status, reason }) => `${type} ${status} ${reason}`)).toEqual([
      "Available True MinimumReplicasAvailable",
      "Progressing True NewReplicaSetAvailable",
    ]);
    expect(web.metadata.annotations).toEqual({ "deployment.kubernetes.io/revision": "1" });
    const [replicaSet, ...others] = await scene.replicaSets();
    expect(others).toEqual([]);
    expect(replicaSet?.metadata).toMatchObject({
      labels: { app: "web", "pod-template-hash": replicaSet?.metadata.name.slice("web-".length) },
      annotations: {
        "deployment.kubernetes.io/revision": "1",
        "deployment.kubernetes.io/desired-replicas": "3",
        "deployment.kubernetes.io/max-replicas": "4",
      },
    });
    await scene.stop();
  });

  test("rolls out another template with at least 3 pods available and at most 4", async () => {
    const scene = await rolloutScene();
    await scene.create();
    await scene.run(minute);
    const counts: { readonly all: number; readonly ready: number }[] = [];
    await scene.setImage("web:2");
    for (let n = 0; n < 400 && (await scene.sizes()).join() !== "web:1 × 0,web:2 × 3"; n++) {
      const alive = (await scene.pods()).filter(({ metadata }) => metadata.deletionTimestamp === undefined);
      counts.push({ all: alive.length, ready: alive.filter(isPodReady).length });
      await scene.pass(20);
    }
    await scene.run(minute);
    expect(await scene.sizes()).toEqual(["web:1 × 0", "web:2 × 3"]);
    expect(Math.max(...counts.map(({ all }) => all))).toBe(4);
    expect(Math.min(...counts.map(({ ready }) => ready))).toBe(3);
    expect((await scene.web()).status).toMatchObject({ updatedReplicas: 3, availableReplicas: 3, replicas: 3 });
    await scene.stop();
  });

  for (const [code, reason] of [
    [500, "InternalError"],
    [409, "Conflict"],
  ] as const) {
    test(`finishes after 20 s in which old ReplicaSets could not be scaled: ${code}`, async () => {
      let old = "";
      let refused = 0;
      const scene = await rolloutScene(1, (inner) => ({
        send(request) {
          if (old === "" || request.method !== "PUT" || !request.path.endsWith(`/replicasets/${old}`)) {
            return inner.send(request);
          }
          refused++;
          return Promise.resolve(statusOf(code, reason));
        },
      }));
      await scene.create({ replicas: 5 });
      await scene.run(minute);
      old = (await scene.replicaSets())[0]?.metadata.name ?? "";
      await scene.setImage("web:2");
      await scene.pass(20_000);
      expect({ pods: (await scene.pods()).length, refused: refused > 2 }).toEqual({ pods: 7, refused: true });
      old = "";
      await scene.pass(45_000);
      expect(await scene.sizes()).toEqual(["web:1 × 0", "web:2 × 5"]);
      expect((await scene.pods()).length).toBe(5);
      await scene.stop();
    });
  }

  test("goes back to an earlier template under a new revision, and keeps the old one in the history", async () => {
    const scene = await rolloutScene();
    await scene.create({ metadata: { annotations: { "kubernetes.io/change-cause": "first" } } });
    await scene.run(minute);
    await scene.setImage("web:2");
    await scene.run(minute);
    await scene.setImage("web:1");
    await scene.run(minute);
    expect(await scene.sizes()).toEqual(["web:2 × 0", "web:1 × 3"]);
    const [, again] = await scene.replicaSets();
    expect(again?.metadata.annotations).toMatchObject({
      "deployment.kubernetes.io/revision": "3",
      "deployment.kubernetes.io/revision-history": "1",
    });
    expect((await scene.web()).metadata.annotations?.["deployment.kubernetes.io/revision"]).toBe("3");
    await scene.stop();
  });

  test("with Recreate has no old pod beside a new one", async () => {
    const scene = await rolloutScene();
    await scene.create({ strategy: { type: "Recreate" } });
    await scene.run(minute);
    await scene.setImage("web:2");
    let mixed = 0;
    for (let n = 0; n < 400 && (await scene.web()).status?.updatedReplicas !== 3; n++) {
      const images = (await scene.pods()).map(({ spec }) => spec?.containers[0]?.image);
      if (new Set(images).size > 1) mixed++;
      await scene.pass(200);
    }
    await scene.run(minute);
    expect(mixed).toBe(0);
    expect(await scene.sizes()).toEqual(["web:1 × 0", "web:2 × 3"]);
    await scene.stop();
  });

  test("is scaled but not rolled out while it is paused, and continues when it is resumed", async () => {
    const scene = await rolloutScene();
    await scene.create();
    await scene.run(minute);
    await scene.patch({ spec: { paused: true } });
    await scene.setImage("web:2");
    await scene.patch({ spec: { replicas: 5 } });
    await scene.run(minute);
    expect(await scene.sizes()).toEqual(["web:1 × 5"]);
    expect((await scene.web()).status?.conditions?.find(({ type }) => type === "Progressing")).toMatchObject({
      status: "Unknown",
      reason: "DeploymentPaused",
    });
    await scene.patch({ spec: { paused: null } });
    await scene.run(minute);
    expect(await scene.sizes()).toEqual(["web:1 × 0", "web:2 × 5"]);
    await scene.stop();
  });

  test("whose new pods never become ready keeps its old ones, and reports the passed deadline", async () => {
    const scene = await rolloutScene();
    await scene.create({ spec: { progressDeadlineSeconds: 30 } });
    await scene.run(minute);
    await scene.patch({
      spec: {
        template: {
          metadata: { annotations: { "sandbox.kubectl-reconcile.io/ready-after": "9000s" } },
          spec: { containers: [{ name: "web", image: "web:broken" }] },
        },
      },
    });
    await scene.pass(29_000);
    expect(await scene.sizes()).toEqual(["web:1 × 3", "web:broken × 1"]);
    const progressing = async (): Promise<string | undefined> =>
      (await scene.web()).status?.conditions?.find(({ type }) => type === "Progressing")?.reason;
    expect(await progressing()).not.toBe("ProgressDeadlineExceeded");
    await scene.pass(5_000);
    expect(await progressing()).toBe("ProgressDeadlineExceeded");
    expect((await scene.web()).status?.conditions?.find(({ type }) => type === "Available")?.status).toBe("True");
    await scene.stop();
  });

  test("keeps the newest revisionHistoryLimit old ReplicaSets", async () => {
    const scene = await rolloutScene();
    await scene.create({ replicas: 1, spec: { revisionHistoryLimit: 2 } });
    for (const version of [2, 3, 4, 5]) {
      await scene.run(minute);
      await scene.setImage(`web:${version}`);
    }
    await scene.run(minute);
    expect(await scene.sizes()).toEqual(["web:3 × 0", "web:4 × 0", "web:5 × 1"]);
    await scene.stop();
  });

  test("is scaled proportionally during a rollout", async () => {
    const scene = await rolloutScene();
    await scene.create({ replicas: 10, strategy: { rollingUpdate: { maxSurge: 3, maxUnavailable: 2 } } });
    await scene.run(minute);
    await scene.patch({
      spec: {
        template: {
          metadata: { annotations: { "sandbox.kubectl-reconcile.io/ready-after": "9000s" } },
          spec: { containers: [{ name: "web", image: "web:2" }] },
        },
      },
    });
    await scene.pass(minute);
    expect(await scene.sizes()).toEqual(["web:1 × 8", "web:2 × 5"]);
    await scene.patch({ spec: { replicas: 15 } });
    await scene.pass(minute);
    expect(await scene.sizes()).toEqual(["web:1 × 11", "web:2 × 7"]);
    expect(scene.sentences()).toContainEqual(expect.stringContaining("15 pods are desired and 3 more allowed"));
    await scene.stop();
  });

  test("that is deleted is left alone", async () => {
    const scene = await rolloutScene();
    await scene.create();
    await scene.run(minute);
    scene.sentences();
    await scene.during(
      scene.you.delete(Deployments, { namespace: "default", name: "web" }, { propagationPolicy: "Foreground" }),
    );
    await scene.run(minute);
    expect(await scene.sizes()).toEqual(["web:1 × 3"]);
    expect(scene.sentences()).toContain("it is being deleted → only its status is updated");
    await scene.stop();
  });
});
