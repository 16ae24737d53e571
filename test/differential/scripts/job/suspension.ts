/** Jobs that are suspended and resumed. */
import { bind, removePod, setPodState } from "../../acts.ts";
import type { Script, Step } from "../../suite.ts";
import { create, endFirst, failed, jobIs, later, patchSpec, succeeded, toFirst } from "./acts.ts";

const suspend = patchSpec({ suspend: true });
const resume = patchSpec({ suspend: false });

const directives: Step = {
  name: "other nodes, and more memory",
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
    name: "it is created suspended, and resumed",
    steps: [create({ suspend: true, completions: 2, parallelism: 2 }), resume, endFirst(2, succeeded)],
  },
  {
    name: "it is suspended and resumed while pods run",
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
    name: "it is suspended while pods run on nodes",
    steps: [
      create({ completions: 4, parallelism: 2, backoffLimit: 0 }),
      toFirst("one runs", async (stage, pod) => {
        await bind(stage, pod, "node-1");
        await setPodState(stage, pod, { ready: true });
      }),
      suspend,
      {
        name: "it ends",
        async act(stage) {
          for (const pod of await stage.pods(({ metadata }) => metadata.deletionTimestamp !== undefined))
            await removePod(stage, pod, "at once");
        },
      },
      resume,
    ],
  },
  {
    name: "scheduling directives change while it is suspended",
    steps: [create({ suspend: true, completions: 2 }), directives, resume, suspend, directives, resume],
  },
  {
    name: "pods that have ended when it is suspended are counted",
    steps: [
      create({ completions: 4, parallelism: 2, backoffLimit: 3 }),
      {
        name: "one fails, and it is suspended",
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
    name: "a deadline does not pass while it is suspended",
    steps: [
      create({ suspend: true, activeDeadlineSeconds: 3 }),
      { ...later("time passes", () => Promise.resolve(true)), waitMs: 4000 },
      { ...resume, until: (stage) => jobIs(stage, "Failed") },
    ],
  },
  {
    name: "it is complete before it is suspended",
    steps: [create(), endFirst(1, succeeded), suspend],
  },
];
