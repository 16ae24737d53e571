/** Evictions, granted evictions that are not carried out, and pods with the condition DisruptionTarget. */
import { bind, timeAgo } from "../../acts.ts";
import type { Script, Step } from "../../suite.ts";
import type { Stage } from "../../stage.ts";
import { budget, evict, report, runPod } from "./acts.ts";

const three: Step = {
  name: "create three pods and a budget",
  async act(stage) {
    for (const name of ["a", "b", "c"]) await runPod(stage, name);
    await stage.create("poddisruptionbudgets", budget({ minAvailable: 2 }));
  },
};

async function grant(stage: Stage, disruptedPods: Readonly<Record<string, string>>): Promise<void> {
  await stage.patch("poddisruptionbudgets", "web/status", { status: { disruptedPods, disruptionsAllowed: 0 } });
}

const target = (stage: Stage, reason: string, agoMs: number): object => ({
  type: "DisruptionTarget",
  status: "True",
  reason,
  message: "it is to go",
  lastTransitionTime: timeAgo(stage, agoMs),
});

interface Condition {
  readonly type: string;
  readonly status: string;
}

async function targetIsFalse(stage: Stage, name: string): Promise<boolean> {
  const { status } = await stage.get("pods", name);
  const { conditions = [] } = status as { readonly conditions?: readonly Condition[] };
  return conditions.some((each) => each.type === "DisruptionTarget" && each.status === "False");
}

export const evictions: readonly Script[] = [
  {
    name: "an eviction is granted, the next one is rejected",
    steps: [
      three,
      {
        name: "request two evictions",
        async act(stage) {
          await evict(stage, "a");
          await evict(stage, "b");
        },
      },
      { name: "create a replacement", act: (stage) => runPod(stage, "d") },
    ],
  },
  {
    name: "an evicted bound pod terminates gracefully",
    steps: [
      three,
      {
        name: "evict a bound pod",
        async act(stage) {
          await bind(stage, { metadata: { name: "a", uid: "" }, spec: { containers: [] } }, "one");
          await evict(stage, "a");
        },
      },
      { name: "remove it", act: (stage) => stage.remove("pods", "a", { gracePeriodSeconds: 0 }) },
    ],
  },
  {
    name: "granted evictions that were not carried out",
    steps: [
      three,
      {
        name: "record an old eviction, and one of a missing pod",
        act: (stage) => grant(stage, { a: timeAgo(stage, 3_600_000), x: timeAgo(stage, 0) }),
      },
      { name: "record a new eviction", act: (stage) => grant(stage, { b: timeAgo(stage, 0) }) },
      { name: "its pod becomes unready", act: (stage) => report(stage, "b", { ready: false }) },
    ],
  },
  {
    name: "a stale DisruptionTarget condition is set to False",
    steps: [
      {
        name: "set an old condition",
        async act(stage) {
          await runPod(stage, "a");
          await report(stage, "a", { conditions: [target(stage, "PreemptionByScheduler", 3_600_000)] });
        },
        until: (stage) => targetIsFalse(stage, "a"),
      },
      {
        name: "set conditions of the kubelet, and of a failed pod",
        async act(stage) {
          await runPod(stage, "b");
          await report(stage, "b", { conditions: [target(stage, "TerminationByKubelet", 3_600_000)] });
          await runPod(stage, "c");
          await stage.patch("pods", "c/status", { status: { phase: "Failed" } });
          const conditions = [target(stage, "PreemptionByScheduler", 3_600_000)];
          await stage.patch("pods", "c/status", { status: { conditions } });
        },
      },
    ],
  },
];
