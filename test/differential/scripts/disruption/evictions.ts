/** Evictions, granted evictions that are not carried out, and pods with the condition DisruptionTarget. */
import { bind, timeAgo } from "../../acts.ts";
import type { Script, Step } from "../../suite.ts";
import type { Stage } from "../../stage.ts";
import { budget, evict, report, runPod } from "./acts.ts";

const three: Step = {
  name: "three pods and a budget",
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
    name: "an eviction is granted, the next is not",
    steps: [
      three,
      {
        name: "two are asked for",
        async act(stage) {
          await evict(stage, "a");
          await evict(stage, "b");
        },
      },
      { name: "a pod in its place", act: (stage) => runPod(stage, "d") },
    ],
  },
  {
    name: "an evicted pod on a node ends slowly",
    steps: [
      three,
      {
        name: "it is evicted",
        async act(stage) {
          await bind(stage, { metadata: { name: "a", uid: "" }, spec: { containers: [] } }, "one");
          await evict(stage, "a");
        },
      },
      { name: "it ends", act: (stage) => stage.remove("pods", "a", { gracePeriodSeconds: 0 }) },
    ],
  },
  {
    name: "granted evictions that nobody carried out",
    steps: [
      three,
      {
        name: "long ago, and of a pod that is gone",
        act: (stage) => grant(stage, { a: timeAgo(stage, 3_600_000), x: timeAgo(stage, 0) }),
      },
      { name: "just now", act: (stage) => grant(stage, { b: timeAgo(stage, 0) }) },
      { name: "it is not ready any more", act: (stage) => report(stage, "b", { ready: false }) },
    ],
  },
  {
    name: "the condition DisruptionTarget of a pod that stays",
    steps: [
      {
        name: "announced long ago",
        async act(stage) {
          await runPod(stage, "a");
          await report(stage, "a", { conditions: [target(stage, "PreemptionByScheduler", 3_600_000)] });
        },
        until: (stage) => targetIsFalse(stage, "a"),
      },
      {
        name: "by the kubelet, and of a pod that has ended",
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
