import { describe, expect, test } from "bun:test";
import { Pods } from "../../../src/api/kinds.ts";
import type { Job } from "../../../src/api/types.ts";
import { isTracked } from "../../../src/controllers/job/spec.ts";
import { failureCountAnnotation } from "./objects.ts";
import { type JobScene, jobScene } from "./scene.ts";

const second = 1000;
const exitCode = (code: number): { readonly annotations: Readonly<Record<string, string>> } => ({
  annotations: { "sandbox.kubectl-reconcile.io/exit-code": String(code) },
});
const conditions = ({ status }: Job): string[] =>
  (status?.conditions ?? []).map(({ type, status: is, reason }) => `${type} ${is} ${reason}`);
const lasting = { "sandbox.kubectl-reconcile.io/run-for": "1h" };

async function withScene(play: (scene: JobScene) => Promise<void>): Promise<void> {
  const scene = await jobScene();
  await play(scene);
  await scene.stop();
}

describe("a Job in the embedded cluster", () => {
  test("runs as many pods at a time as permitted, until enough have succeeded", () =>
    withScene(async (scene) => {
      await scene.create({ completions: 5, parallelism: 2 });
      let most = 0;
      for (let n = 0; n < 120; n++) {
        await scene.pass(250);
        most = Math.max(most, (await scene.pods()).filter(({ status }) => status?.phase !== "Succeeded").length);
      }
      expect(most).toBe(2);
      const job = await scene.job();
      expect(conditions(job)).toEqual([
        "SuccessCriteriaMet True CompletionsReached",
        "Complete True CompletionsReached",
      ]);
      expect(job.status).toMatchObject({ succeeded: 5, ready: 0, terminating: 0, uncountedTerminatedPods: {} });
      expect(job.status).not.toHaveProperty("failed");
      expect(job.status?.completionTime).toBe(job.status?.conditions?.[1]?.lastTransitionTime);
      const pods = await scene.pods();
      expect(pods).toHaveLength(5);
      expect(pods.filter(isTracked)).toEqual([]);
      expect(
        scene.eventTexts().filter((event) => event.startsWith("SuccessfulCreate: Created pod: data-")),
      ).toHaveLength(5);
    }));

  test("replaces failed pods with growing delays, and fails beyond its back-off limit", () =>
    withScene(async (scene) => {
      await scene.create({ backoffLimit: 2 }, exitCode(1));
      await scene.pass(300 * second);
      const job = await scene.job();
      expect(conditions(job)).toEqual(["FailureTarget True BackoffLimitExceeded", "Failed True BackoffLimitExceeded"]);
      expect(job.status).toMatchObject({ failed: 3 });
      expect(job.status).not.toHaveProperty("completionTime");
      const starts = (await scene.pods())
        .map(({ metadata }) => Date.parse(metadata.creationTimestamp))
        .sort((a, b) => a - b);
      // Each pod failed after about 1.2 s, followed by a backoff of 10 s and 20 s.
      const gaps = starts.slice(1).map((start, n) => Math.round((start - (starts[n] ?? 0)) / second));
      expect(gaps).toEqual([11, 21]);
      expect(scene.eventTexts().at(-1)).toBe("BackoffLimitExceeded: Job has reached the specified backoff limit");
    }));

  test("as a work queue waits for all pods once one has succeeded", () =>
    withScene(async (scene) => {
      await scene.create({ parallelism: 3 });
      await scene.pass(30 * second);
      const job = await scene.job();
      expect(conditions(job).at(-1)).toBe("Complete True CompletionsReached");
      expect(job.status?.succeeded).toBe(3);
    }));

  test("with 0 completions is complete at once", () =>
    withScene(async (scene) => {
      await scene.create({ completions: 0 });
      await scene.pass(5 * second);
      expect(conditions(await scene.job()).at(-1)).toBe("Complete True CompletionsReached");
      expect(await scene.pods()).toEqual([]);
    }));

  test("fails when its deadline has passed, and deletes its pods; the failed count includes them", () =>
    withScene(async (scene) => {
      await scene.create({ parallelism: 2, activeDeadlineSeconds: 10 }, { annotations: lasting });
      await scene.pass(9 * second);
      expect(conditions(await scene.job())).toEqual([]);
      await scene.pass(5 * second);
      const job = await scene.job();
      expect(conditions(job)).toEqual(["FailureTarget True DeadlineExceeded", "Failed True DeadlineExceeded"]);
      expect(job.status).toMatchObject({ failed: 2, terminating: 0 });
      expect(await scene.pods()).toEqual([]);
      expect(scene.eventTexts().at(-1)).toBe("DeadlineExceeded: Job was active longer than specified deadline");
    }));

  test("fails at once by its pod failure policy", () =>
    withScene(async (scene) => {
      const rules = [{ action: "FailJob", onExitCodes: { operator: "In", values: [42] } }];
      await scene.create({ backoffLimit: 9, podFailurePolicy: { rules } }, exitCode(42));
      await scene.pass(10 * second);
      const [pod] = await scene.pods();
      const message = `Container main for pod default/${pod?.metadata.name} failed with exit code 42 matching FailJob rule at index 0`;
      expect((await scene.job()).status?.conditions).toMatchObject([
        { type: "FailureTarget", reason: "PodFailurePolicy", message },
        { type: "Failed", reason: "PodFailurePolicy", message },
      ]);
    }));

  test("does not count failures that its policy ignores", () =>
    withScene(async (scene) => {
      const rules = [{ action: "Ignore", onExitCodes: { operator: "In", values: [7] } }];
      await scene.create({ backoffLimit: 0, podFailurePolicy: { rules } }, exitCode(7));
      await scene.pass(60 * second);
      const job = await scene.job();
      expect(conditions(job)).toEqual([]);
      expect(job.status?.failed).toBeUndefined();
      expect((await scene.pods()).length).toBeGreaterThan(2);
    }));

  test("of another manager is left alone", () =>
    withScene(async (scene) => {
      await scene.create({ managedBy: "example.com/queue" });
      await scene.pass(5 * second);
      expect((await scene.job()).status).toEqual({});
      expect(scene.sentences()).toEqual(["it is managed by example.com/queue → nothing is done here"]);
    }));

  test("deletes pods above a smaller parallelism; they are not failures", () =>
    withScene(async (scene) => {
      await scene.create({ parallelism: 3, completions: 9, backoffLimit: 0 }, { annotations: lasting });
      await scene.pass(5 * second);
      await scene.patch({ spec: { parallelism: 1 } });
      await scene.pass(5 * second);
      const job = await scene.job();
      expect(job.status).toMatchObject({ active: 1, ready: 1, terminating: 0 });
      expect(job.status?.failed).toBeUndefined();
      expect(await scene.pods()).toHaveLength(1);
    }));
});

describe("an Indexed Job in the embedded cluster", () => {
  test("completes each index once", () =>
    withScene(async (scene) => {
      await scene.create({ completions: 3, parallelism: 2, completionMode: "Indexed" });
      await scene.pass(30 * second);
      const job = await scene.job();
      expect(job.status).toMatchObject({ succeeded: 3, completedIndexes: "0-2" });
      expect(job.status).not.toHaveProperty("failedIndexes");
      const names = (await scene.pods()).map(({ metadata, spec }) => `${metadata.name.slice(0, 7)} ${spec?.hostname}`);
      expect(names.sort()).toEqual(["data-0- data-0", "data-1- data-1", "data-2- data-2"]);
      expect(scene.sentences()[0]).toBe("0 active pods, 2 wanted → create 2 of indexes 0,1, in 2 batches");
    }));

  test("replaces a failed pod of an index with one that has the failure count, and fails with its index", () =>
    withScene(async (scene) => {
      await scene.create(
        { completions: 2, parallelism: 2, completionMode: "Indexed", backoffLimitPerIndex: 1 },
        exitCode(1),
      );
      await scene.pass(60 * second);
      const job = await scene.job();
      expect(conditions(job)).toEqual(["FailureTarget True FailedIndexes", "Failed True FailedIndexes"]);
      expect(job.status).toMatchObject({ failed: 4, failedIndexes: "0,1" });
      const counts = (await scene.pods()).map(({ metadata }) => metadata.annotations?.[failureCountAnnotation]);
      expect(counts.map(Number).sort((a, b) => a - b)).toEqual([0, 0, 1, 1]);
      expect((await scene.pods()).filter(isTracked)).toEqual([]);
    }));

  test("succeeds by its success policy, and deletes the remaining pods", () =>
    withScene(async (scene) => {
      const successPolicy = { rules: [{ succeededIndexes: "0", succeededCount: 1 }] };
      await scene.create(
        { completions: 3, parallelism: 3, completionMode: "Indexed", successPolicy },
        { annotations: lasting },
      );
      await scene.pass(3 * second);
      const first = (await scene.pods()).find(({ metadata }) => metadata.name.startsWith("data-0-"));
      await scene.during(
        scene.you.patch(
          Pods,
          { namespace: "default", name: first?.metadata.name ?? "" },
          { type: "merge", body: { metadata: { annotations: { "sandbox.kubectl-reconcile.io/run-for": "1s" } } } },
          {},
        ),
      );
      await scene.pass(10 * second);
      const job = await scene.job();
      expect(conditions(job)).toEqual(["SuccessCriteriaMet True SuccessPolicy", "Complete True SuccessPolicy"]);
      expect(job.status?.conditions?.[1]?.message).toBe("Matched rules at index 0");
      expect(job.status).toMatchObject({ succeeded: 1, completedIndexes: "0" });
      expect(job.status?.failed).toBeUndefined();
      expect(await scene.pods()).toHaveLength(1);
    }));

  test("shrinks and grows with its completions", () =>
    withScene(async (scene) => {
      await scene.create({ completions: 3, parallelism: 3, completionMode: "Indexed" }, { annotations: lasting });
      await scene.pass(3 * second);
      await scene.patch({ spec: { completions: 1, parallelism: 1 } });
      await scene.pass(3 * second);
      expect((await scene.pods()).map(({ spec }) => spec?.hostname)).toEqual(["data-0"]);
      await scene.patch({ spec: { completions: 2, parallelism: 2 } });
      await scene.pass(3 * second);
      expect((await scene.pods()).map(({ spec }) => String(spec?.hostname)).sort()).toEqual(["data-0", "data-1"]);
    }));
});

describe("a suspended Job", () => {
  test("starts no pods and has no start time", () =>
    withScene(async (scene) => {
      await scene.create({ suspend: true });
      await scene.pass(5 * second);
      const { status } = await scene.job();
      expect(status).toMatchObject({ ready: 0, terminating: 0 });
      expect(status).not.toHaveProperty("startTime");
      expect(status?.conditions).toMatchObject([
        { type: "Suspended", status: "True", reason: "JobSuspended", message: "Job suspended" },
      ]);
      expect(await scene.pods()).toEqual([]);
      expect(scene.eventTexts()).toEqual(["Suspended: Job suspended"]);
    }));

  test("loses its pods, uncounted, and its start time; it starts again when it is resumed", () =>
    withScene(async (scene) => {
      await scene.create({ parallelism: 2, backoffLimit: 0, activeDeadlineSeconds: 20 }, { annotations: lasting });
      await scene.pass(5 * second);
      await scene.patch({ spec: { suspend: true } });
      await scene.pass(60 * second);
      const between = await scene.job();
      expect(between.status).toMatchObject({ ready: 0, terminating: 0 });
      expect([between.status?.active, between.status?.failed, between.status?.startTime]).toEqual([
        undefined,
        undefined,
        undefined,
      ]);
      expect(await scene.pods()).toEqual([]);
      const resumedAt = scene.timeline.now();
      await scene.patch({ spec: { suspend: false } });
      await scene.pass(3 * second);
      const after = await scene.job();
      expect(after.status?.conditions).toMatchObject([
        { type: "Suspended", status: "False", reason: "JobResumed", message: "Job resumed" },
      ]);
      expect(Date.parse(after.status?.startTime ?? "") - resumedAt).toBeLessThan(second);
      expect(after.status?.active).toBe(2);
      // The deadline starts when the Job is resumed.
      await scene.pass(15 * second);
      expect(conditions(await scene.job())).toEqual(["Suspended False JobResumed"]);
      await scene.pass(10 * second);
      expect(conditions(await scene.job()).at(-1)).toBe("Failed True DeadlineExceeded");
      expect(scene.eventTexts().filter((event) => /^(Suspended|Resumed)/.test(event))).toEqual([
        "Suspended: Job suspended",
        "Resumed: Job resumed",
      ]);
    }));
});
