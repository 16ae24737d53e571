/** Jobs that are suspended and resumed. */
import { bind, removePod, setPodState } from "../../acts.ts";
import type { Script, Step } from "../../suite.ts";
import { create, endFirst, failed, jobIs, later, patchSpec, succeeded, toFirst } from "./acts.ts";

const suspend = patchSpec({ suspend: true });
const resume = patchSpec({ suspend: false });

const directives: Step = {
  name: "change the scheduling directives and the memory request",
  act: (stage) =>
    stage.patch("jobs", "data", {
      spec: {
        template: {
          metadata: { labels: { zone: "b" }, annotations: { note: "2" } },
          spec: {
            nodeSelector: { zone: "b" },
            tolerations: [{ key: "spot", operator: "Exists" }],
            containers: [{ name: "main", image: "main:1", resources: { requests: { memory: "1Gi" } } }],
          },
        },
      },
    }),
};

export const suspension: readonly Script[] = [
  {
    name: "a Job is created suspended, and resumed",
    steps: [create({ suspend: true, completions: 2, parallelism: 2 }), resume, endFirst(2, succeeded)],
  },
  {
    name: "a Job with unbound pods is suspended and resumed",
    steps: [
      create({ completions: 4, parallelism: 2 }),
      endFirst(1, succeeded),
      suspend,
      resume,
      endFirst(2, succeeded),
      endFirst(1, succeeded),
    ],
  },
  {
    name: "a Job with bound pods is suspended and resumed",
    steps: [
      create({ completions: 4, parallelism: 2, backoffLimit: 0 }),
      toFirst("one pod is bound and ready", async (stage, pod) => {
        await bind(stage, pod, "node-1");
        await setPodState(stage, pod, { ready: true });
      }),
      suspend,
      {
        name: "remove the terminating pods",
        async act(stage) {
          for (const pod of await stage.pods(({ metadata }) => metadata.deletionTimestamp !== undefined))
            await removePod(stage, pod, "at once");
        },
      },
      resume,
    ],
  },
  {
    name: "the scheduling directives change while the Job is suspended",
    steps: [create({ suspend: true, completions: 2 }), directives, resume, suspend, directives, resume],
  },
  {
    name: "pods that finished before the Job was suspended are counted",
    steps: [
      create({ completions: 4, parallelism: 2, backoffLimit: 3 }),
      {
        name: "a pod fails, then suspend the Job",
        async act(stage) {
          await endFirst(1, failed).act(stage);
          // The failure has been observed, but its sync is delayed by up to a second.
          await Bun.sleep(300);
          await suspend.act(stage);
        },
      },
      resume,
    ],
  },
  {
    name: "activeDeadlineSeconds does not pass while the Job is suspended",
    steps: [
      create({ suspend: true, activeDeadlineSeconds: 3 }),
      { ...later("wait", () => Promise.resolve(true)), waitMs: 4000 },
      { ...resume, until: (stage) => jobIs(stage, "Failed") },
    ],
  },
  {
    name: "a complete Job is suspended",
    steps: [create(), endFirst(1, succeeded), suspend],
  },
];
