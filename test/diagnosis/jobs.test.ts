import { describe, expect, test } from "bun:test";
import { Jobs, Pods } from "../../src/api/kinds.ts";
import { ago, diagnose, type Json, objectOf, ownedBy } from "./world.ts";

const failedPod = (name: string, seconds: number): { kind: typeof Pods; object: ReturnType<typeof objectOf> } => ({
  kind: Pods,
  object: objectOf(name, {
    meta: { ...ownedBy("data", Jobs), labels: { job: "data" } },
    spec: { containers: [{ name: "main" }] },
    status: {
      phase: "Failed",
      containerStatuses: [
        { name: "main", state: { terminated: { exitCode: 3, reason: "Error", finishedAt: ago(seconds) } } },
      ],
    },
  }),
});

const job = (spec: Json, status: Json = {}): ReturnType<typeof objectOf> =>
  objectOf("data", {
    spec: { completions: 1, backoffLimit: 6, selector: { matchLabels: { job: "data" } }, ...spec },
    status,
  });

describe("a Job", () => {
  test("without an active pod after failures shows the maximum wait for the next one", () => {
    const status = { failed: 2, uncountedTerminatedPods: {} };
    const items = [failedPod("data-a", 60), failedPod("data-b", 5)];
    const text = JSON.stringify(diagnose(Jobs, job({}, status), { items }));
    expect(text).toContain("back-off after 2 failures: the next pod is created within 15 s");
    const active = JSON.stringify(diagnose(Jobs, job({}, { ...status, active: 1 }), { items }));
    expect(active).not.toContain("back-off");
    const long = JSON.stringify(diagnose(Jobs, job({}, status), { items: [failedPod("data-a", 60)] }));
    expect(long).not.toContain("back-off");
  });

  test("that waits for its back-off does not say that a pod would be created now", () => {
    const would = [{ controller: "job", sentence: "scale-up: 0 active pods, 1 wanted → create 1" }];
    const status = { failed: 1 };
    const waiting = diagnose(Jobs, job({}, status), { items: [failedPod("data-a", 5)], would });
    expect(waiting.next).toEqual([]);
    const due = diagnose(Jobs, job({}, status), { items: [failedPod("data-a", 60)], would });
    expect(due.next).toEqual(["our job would now: scale-up: 0 active pods, 1 wanted → create 1"]);
  });

  test("that is managed by another controller says so", () => {
    const diagnosis = diagnose(Jobs, job({ managedBy: "example.com/queue" }));
    expect(JSON.stringify(diagnosis)).toContain("it is managed by example.com/queue, and no pod is active");
    expect(diagnosis.is).toBe("waiting");
    expect(JSON.stringify(diagnose(Jobs, job({ managedBy: "kubernetes.io/job-controller" })))).not.toContain(
      "managed by",
    );
  });
});
