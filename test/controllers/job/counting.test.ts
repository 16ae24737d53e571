import { describe, expect, test } from "bun:test";
import { Jobs, Pods } from "../../../src/api/kinds.ts";
import type { ApiRequest } from "../../../src/api/transport.ts";
import type { Pod } from "../../../src/api/types.ts";
import { wireStatus } from "../../../src/controllers/job/job-sync.ts";
import { isTracked } from "../../../src/controllers/job/spec.ts";
import { statusOf } from "../../support/refused.ts";
import { finalizer } from "./objects.ts";
import { type JobScene, jobScene, type SceneOptions } from "./scene.ts";

const second = 1000;

/** Runs without a kubelet: the test sets the status of the pods. */
async function withPods(
  spec: object,
  play: (scene: JobScene, pods: readonly Pod[]) => Promise<void>,
  options: SceneOptions = {},
): Promise<void> {
  const scene = await jobScene({ kubelet: false, ...options });
  await scene.create(spec);
  await scene.pass(3 * second);
  scene.forget();
  await play(scene, await scene.pods());
  await scene.stop();
}

const nameOf = (pod: Pod | undefined): string => pod?.metadata.name ?? "";
const isPatchOfPod = ({ method, path }: ApiRequest): boolean => method === "PATCH" && path.includes("/pods/");

interface Refusal {
  on: boolean;
  readonly wrap: NonNullable<SceneOptions["wrap"]>;
}

/** Rejects matching requests of the Job controller while `on` is true. */
function refusing(matches: (request: ApiRequest) => boolean): Refusal {
  const refusal: Refusal = {
    on: false,
    wrap: (inner, actor) => ({
      send: (request) =>
        refusal.on && actor.includes("job") && matches(request)
          ? Promise.resolve(statusOf(500, "InternalError"))
          : inner.send(request),
    }),
  };
  return refusal;
}

describe("a pod that ends", () => {
  test("is named in the status, loses its finalizer, and is counted: in this order", () =>
    withPods({ completions: 2, parallelism: 2 }, async (scene, [pod]) => {
      await scene.finish(nameOf(pod), "Succeeded");
      const uid = pod?.metadata.uid ?? "";
      await scene.pass(2 * second);
      expect(scene.writes().filter((write) => !write.includes("Event"))).toEqual([
        "update Job/data/status",
        `patch Pod/${nameOf(pod)}`,
        "update Job/data/status",
      ]);
      const updates = scene.events.flatMap((event) =>
        event.stage === "write" && event.controller === "job" && event.verb === "update" ? [event.changes ?? []] : [],
      );
      expect(JSON.stringify(updates.at(-2))).toContain(uid);
      expect(scene.sentences()).toEqual([
        "1 active pod, as many as wanted → nothing to do",
        "active 2 → 1, 1 pod to be counted",
        "1 pod accounted for → remove its finalizer",
        "succeeded 0 → 1, 0 pods to be counted",
        // The sync caused by its own writes.
        "1 active pod, as many as wanted → nothing to do",
      ]);
      expect((await scene.job()).status).toMatchObject({ active: 1, succeeded: 1, uncountedTerminatedPods: {} });
    }));

  test("leads to one sync with everything that happens within a second", () =>
    withPods({ completions: 9, parallelism: 3, backoffLimit: 9 }, async (scene, pods) => {
      for (const [n, pod] of pods.entries()) {
        await scene.pass(300);
        await scene.finish(nameOf(pod), n === 0 ? "Failed" : "Succeeded");
      }
      await scene.pass(1500);
      expect(scene.sentences().filter((sentence) => sentence.includes("to be counted"))).toEqual([
        "3 pods to be counted",
        "succeeded 0 → 2, failed 0 → 1, 0 pods to be counted",
      ]);
    }));

  test("whose finalizer is removed by others once the status names it is still counted, once", async () => {
    const refusal = refusing(isPatchOfPod);
    await withPods(
      { backoffLimit: 3 },
      async (scene, [pod]) => {
        const at = { namespace: "default", name: nameOf(pod) };
        refusal.on = true;
        await scene.finish(nameOf(pod), "Failed");
        await scene.pass(1500);
        expect((await scene.job()).status?.uncountedTerminatedPods).toEqual({ failed: [pod?.metadata.uid ?? ""] });
        const body = { metadata: { finalizers: null } };
        await scene.during(scene.you.patch(Pods, at, { type: "merge", body }, {}));
        await scene.during(scene.you.delete(Pods, at, { gracePeriodSeconds: 0 }));
        refusal.on = false;
        await scene.pass(20 * second);
        expect((await scene.job()).status).toMatchObject({ failed: 1, uncountedTerminatedPods: {} });
      },
      { wrap: refusal.wrap },
    );
  });

  test("because it is deleted is a failure, and is replaced at once", () =>
    withPods({ backoffLimit: 3 }, async (scene, [pod]) => {
      await scene.during(
        scene.you.delete(Pods, { namespace: "default", name: nameOf(pod) }, { gracePeriodSeconds: 0 }),
      );
      await scene.pass(12 * second);
      const pods = await scene.pods();
      expect(pods.map(nameOf)).not.toContain(nameOf(pod));
      expect(pods).toHaveLength(1);
      expect((await scene.job()).status).toMatchObject({ active: 1, failed: 1 });
    }));
});

describe("a finalizer that cannot be removed", () => {
  test("keeps its pod in the status, uncounted, and the Job from finishing, until it can be removed", async () => {
    const refusal = refusing(isPatchOfPod);
    await withPods(
      { completions: 1 },
      async (scene, [pod]) => {
        refusal.on = true;
        await scene.finish(nameOf(pod), "Succeeded");
        await scene.pass(5 * second);
        const { status } = await scene.job();
        expect(status?.uncountedTerminatedPods).toEqual({ succeeded: [pod?.metadata.uid ?? ""] });
        expect(status?.succeeded).toBeUndefined();
        expect(status?.conditions?.map(({ type }) => type)).toEqual(["SuccessCriteriaMet"]);
        refusal.on = false;
        await scene.pass(70 * second);
        expect((await scene.job()).status).toMatchObject({ succeeded: 1, uncountedTerminatedPods: {} });
        expect((await scene.pods()).filter(isTracked)).toEqual([]);
        expect(scene.eventTexts()).toEqual(["Completed: Job completed"]);
      },
      { wrap: refusal.wrap },
    );
  });

  test("does not keep the other pods from being counted", async () => {
    let bad = "";
    const refusal = refusing((request) => isPatchOfPod(request) && request.path.endsWith(`/${bad}`));
    await withPods(
      { completions: 9, parallelism: 3, backoffLimit: 9 },
      async (scene, pods) => {
        bad = nameOf(pods[0]);
        refusal.on = true;
        for (const pod of pods) await scene.finish(nameOf(pod), "Succeeded");
        await scene.pass(1500);
        const { status } = await scene.job();
        expect(status).toMatchObject({
          succeeded: 2,
          uncountedTerminatedPods: { succeeded: [pods[0]?.metadata.uid ?? ""] },
        });
      },
      { wrap: refusal.wrap },
    );
  });
});

describe("a status that cannot be written", () => {
  test("keeps the finalizers: no pod is lost to the count", async () => {
    const refusal = refusing(({ method, path }) => method === "PUT" && path.endsWith("/status"));
    await withPods(
      { completions: 2, parallelism: 2 },
      async (scene, pods) => {
        refusal.on = true;
        await scene.finish(nameOf(pods[0]), "Succeeded");
        await scene.pass(5 * second);
        expect((await scene.pods()).filter(isTracked)).toHaveLength(2);
        refusal.on = false;
        await scene.pass(20 * second);
        expect((await scene.job()).status).toMatchObject({ active: 1, succeeded: 1 });
      },
      { wrap: refusal.wrap },
    );
  });

  test("is retried after 1, 2, 4, … seconds", async () => {
    const refusal = refusing(({ method, path }) => method === "PUT" && path.endsWith("/status"));
    await withPods(
      {},
      async (scene, [pod]) => {
        refusal.on = true;
        await scene.finish(nameOf(pod), "Failed");
        await scene.pass(10 * second);
        const delays = scene.events.flatMap((event) =>
          event.stage === "done" && event.controller === "job" && event.outcome.is === "rate-limited"
            ? [event.outcome.delayMs]
            : [],
        );
        expect(delays).toEqual([1000, 2000, 4000, 8000, 16_000].slice(0, delays.length));
        expect(delays.length).toBeGreaterThan(2);
      },
      { wrap: refusal.wrap },
    );
  });
});

describe("a status in its serialized form", () => {
  test("has Go's order, and omits the zeros and empty lists that Go omits", () => {
    const status = { active: 0, succeeded: 0, failed: 0, completedIndexes: "", conditions: [] };
    expect(JSON.stringify(wireStatus(status))).toBe('{"uncountedTerminatedPods":{}}');
    const uncountedTerminatedPods = { succeeded: [], failed: ["a"] };
    const counted = { ready: 0, terminating: 0, failedIndexes: "", active: 2, startTime: "t", uncountedTerminatedPods };
    expect(JSON.stringify(wireStatus(counted))).toBe(
      '{"startTime":"t","active":2,"terminating":0,"failedIndexes":"","uncountedTerminatedPods":{"failed":["a"]},"ready":0}',
    );
  });
});

describe("refused deletions", () => {
  const refusal = refusing(({ method, path }) => method === "DELETE" && path.includes("/pods/"));

  test("leave a suspended Job's pods active, are reported, and retried", () =>
    withPods(
      { parallelism: 2, completions: 2 },
      async (scene) => {
        refusal.on = true;
        await scene.patch({ spec: { suspend: true } });
        await scene.pass(1500);
        expect((await scene.job()).status).toMatchObject({ active: 2, terminating: 0 });
        expect(scene.eventTexts().filter((event) => event.startsWith("FailedDelete: Error deleting: "))).not.toEqual(
          [],
        );
        const failures = scene.events.filter(
          (event) => event.stage === "done" && event.controller === "job" && event.outcome.is === "rate-limited",
        );
        expect(failures.length).toBeGreaterThan(0);
        refusal.on = false;
        await scene.pass(10 * second);
        expect(await scene.pods()).toEqual([]);
        expect((await scene.job()).status).not.toHaveProperty("active");
      },
      { wrap: refusal.wrap },
    ));

  test("keep a Job that fails from being announced as failed", () =>
    withPods(
      { parallelism: 2, completions: 2, backoffLimit: 0 },
      async (scene, [pod]) => {
        refusal.on = true;
        await scene.finish(nameOf(pod), "Failed");
        await scene.pass(3 * second);
        expect((await scene.job()).status).toMatchObject({ active: 1, failed: 1 });
        expect((await scene.job()).status).not.toHaveProperty("conditions");
        refusal.on = false;
        await scene.pass(10 * second);
        expect((await scene.job()).status?.conditions?.map(({ type }) => type)).toEqual(["FailureTarget", "Failed"]);
        expect((await scene.job()).status).toMatchObject({ failed: 2 });
      },
      { wrap: refusal.wrap },
    ));
});

describe("refused creations", () => {
  test("are reported in an Event, stop further ones, and are retried", async () => {
    const refusal = refusing(({ method, path }) => method === "POST" && path.endsWith("/pods"));
    refusal.on = true;
    await withPods(
      { parallelism: 9, completions: 9 },
      async (scene) => {
        expect((await scene.job()).status).toMatchObject({ ready: 0 });
        const posts = scene.events.filter(
          (event) => event.stage === "write" && event.verb === "create" && event.of.kind === "Pod",
        );
        // One creation per sync.
        expect(posts.length).toBeLessThan(5);
        refusal.on = false;
        await scene.pass(20 * second);
        expect(await scene.pods()).toHaveLength(9);
      },
      { wrap: refusal.wrap },
    );
  });
});

describe("pods without a Job that counts them", () => {
  const inShop = (name: string, metadata: object): object => ({
    metadata: { namespace: "default", name, finalizers: [finalizer], ...metadata },
    spec: { containers: [{ name: "main", image: "x" }] },
  });

  test("lose the finalizer without a controller, and keep it with another one", async () => {
    const scene = await jobScene({ kubelet: false });
    const other = [{ apiVersion: "example.com/v1", kind: "Batch", name: "b", uid: "1", controller: true }];
    for (const pod of [inShop("orphan", {}), inShop("owned", { ownerReferences: other })]) {
      await scene.during(scene.you.create(Pods, pod as unknown as Pod));
    }
    await scene.pass(second);
    const pods = await scene.pods();
    expect(pods.filter(isTracked).map(nameOf)).toEqual(["owned"]);
    await scene.stop();
  });

  test("of a Job that is deleted and orphans them lose it, too", () =>
    withPods({ parallelism: 2 }, async (scene, pods) => {
      expect(pods.filter(isTracked)).toHaveLength(2);
      await scene.during(
        scene.you.delete(Jobs, { namespace: "default", name: "data" }, { propagationPolicy: "Background" }),
      );
      await scene.pass(3 * second);
      expect((await scene.pods()).filter(isTracked)).toEqual([]);
    }));

  for (const managedBy of [undefined, "example.com/queue"]) {
    test(`of a finished Job ${managedBy === undefined ? "lose it" : "of another manager keep it"} when they are deleted`, async () => {
      const scene = await jobScene({ kubelet: false });
      const job = await scene.create({ completions: 0, ...(managedBy !== undefined && { managedBy }) });
      await scene.pass(3 * second);
      if (managedBy !== undefined) {
        const time = "2026-01-01T00:00:00Z";
        const end = (type: string): object => ({ type, status: "True", lastTransitionTime: time, reason: "Test" });
        const status = {
          startTime: time,
          conditions: [end("FailureTarget"), end("Failed")],
          uncountedTerminatedPods: {},
        };
        const at = { namespace: "default", name: "data" };
        await scene.during(scene.you.patch(Jobs, at, { type: "merge", body: { status } }, { subresource: "status" }));
      }
      const owner = { apiVersion: "batch/v1", kind: "Job", name: "data", uid: job.metadata.uid, controller: true };
      await scene.during(scene.you.create(Pods, inShop("left", { ownerReferences: [owner] }) as unknown as Pod));
      await scene.during(scene.you.delete(Pods, { namespace: "default", name: "left" }, { gracePeriodSeconds: 0 }));
      await scene.pass(5 * second);
      expect((await scene.pods()).map(nameOf)).toEqual(managedBy === undefined ? [] : ["left"]);
      await scene.stop();
    });
  }

  test("of a Job of another manager keep it", async () => {
    const scene = await jobScene({ kubelet: false });
    const job = await scene.create({ managedBy: "example.com/queue" });
    const owner = { apiVersion: "batch/v1", kind: "Job", name: "data", uid: job.metadata.uid, controller: true };
    await scene.during(scene.you.create(Pods, inShop("theirs", { ownerReferences: [owner] }) as unknown as Pod));
    await scene.during(scene.you.delete(Pods, { namespace: "default", name: "theirs" }, { gracePeriodSeconds: 0 }));
    await scene.pass(5 * second);
    expect((await scene.pods()).filter(isTracked).map(nameOf)).toEqual(["theirs"]);
    await scene.stop();
  });

  test("are adopted by a Job that selects them, with the finalizer", async () => {
    const scene = await jobScene({ kubelet: false });
    const labels = { app: "mine" };
    const pod = {
      metadata: { namespace: "default", name: "lone", labels },
      spec: { containers: [{ name: "main", image: "x" }] },
    };
    await scene.during(scene.you.create(Pods, pod as unknown as Pod));
    const template = {
      metadata: { labels },
      spec: { restartPolicy: "Never", containers: [{ name: "main", image: "x" }] },
    };
    const job = {
      metadata: { namespace: "default", name: "data" },
      spec: { manualSelector: true, selector: { matchLabels: labels }, template },
    };
    await scene.during(scene.you.create(Jobs, job as never));
    await scene.pass(3 * second);
    const [adopted, ...others] = await scene.pods();
    expect(others).toEqual([]);
    expect(adopted?.metadata).toMatchObject({
      ownerReferences: [{ kind: "Job", controller: true }],
      finalizers: [finalizer],
    });
    await scene.finish("lone", "Succeeded");
    await scene.pass(5 * second);
    expect((await scene.job()).status).toMatchObject({ succeeded: 1 });
    await scene.stop();
  });
});
