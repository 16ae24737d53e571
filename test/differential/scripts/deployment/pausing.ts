/** Pauses, progress deadlines, conditions. */
import { setPodState } from "../../acts.ts";
import type { Script } from "../../play.ts";
import type { Stage } from "../../stage.ts";
import {
  allReady,
  containersOf,
  create,
  image,
  patch,
  pause,
  podsThat,
  readyOneByOne,
  replicas,
  resume,
  spec,
} from "./acts.ts";

const forever = 2_147_483_647;

interface Progressing {
  readonly conditions?: readonly { readonly type: string; readonly reason: string }[];
}

async function deadlineHasPassed(stage: Stage): Promise<boolean> {
  const { status } = (await stage.get("deployments", "web")) as { readonly status?: Progressing };
  return status?.conditions?.some(({ reason }) => reason === "ProgressDeadlineExceeded") === true;
}

/** A rollout without progress. It sets the deadline itself, so that the rollout before it has all the time that a slow machine needs. */
const stuck = spec(
  "set image 2 and a progress deadline of 2 s",
  { progressDeadlineSeconds: 2, template: { spec: { containers: containersOf(2) } } },
  { until: deadlineHasPassed },
);

export const pausing: readonly Script[] = [
  {
    name: "paused, template changed, resumed",
    steps: [create(), allReady, pause, image(2), resume, ...readyOneByOne(3)],
  },
  {
    name: "paused from the beginning",
    steps: [create({ spec: { paused: true } }), replicas(5), image(2), resume, allReady],
  },
  {
    name: "paused without a progress deadline",
    steps: [
      create({ spec: { progressDeadlineSeconds: forever } }),
      allReady,
      pause,
      image(2),
      resume,
      ...readyOneByOne(3),
      spec("set a deadline", { progressDeadlineSeconds: 600 }),
    ],
  },
  {
    name: "a progress deadline is removed",
    steps: [create(), allReady, spec("remove the deadline", { progressDeadlineSeconds: forever })],
  },
  {
    name: "the deadline passes, and the rollout completes later",
    steps: [
      create(),
      allReady,
      stuck,
      spec("extend the deadline", { progressDeadlineSeconds: 600 }),
      ...readyOneByOne(3),
    ],
  },
  {
    name: "the deadline passes, then a pause, then another template",
    steps: [
      create(),
      allReady,
      stuck,
      pause,
      resume,
      spec("extend the deadline", { progressDeadlineSeconds: 600 }),
      image(3),
      ...readyOneByOne(3),
    ],
  },
  {
    name: "the deadline does not pass while the Deployment is paused",
    steps: [
      create({ replicas: 2 }),
      allReady,
      image(2),
      spec("pause, with a deadline of 3 s", { paused: true, progressDeadlineSeconds: 3 }, { waitMs: 4500 }),
      spec("extend the deadline", { progressDeadlineSeconds: 600 }),
      resume,
      ...readyOneByOne(2),
    ],
  },
  {
    name: "the Available condition is True, then False, then True again",
    steps: [
      create({ replicas: 4 }),
      allReady,
      {
        name: "2 pods become unready",
        async act(stage) {
          for (const pod of (await podsThat(stage, "ready")).slice(0, 2)) {
            await setPodState(stage, pod, { ready: false });
          }
        },
      },
      allReady,
    ],
  },
  {
    name: "the hash of a template with a sizeLimit, after a pause",
    race: "a sync that has written the Deployment's status computes another hash than one that has not: either can come first",
    steps: [
      create({ podSpec: { volumes: [{ name: "scratch", emptyDir: { sizeLimit: "128Mi" } }] } }),
      pause,
      spec("set a sizeLimit of 256Mi", {
        template: { spec: { volumes: [{ name: "scratch", emptyDir: { sizeLimit: "256Mi" } }] } },
      }),
      resume,
    ],
  },
  {
    name: "annotations of a Deployment are copied to its ReplicaSets, labels are not",
    steps: [
      create({
        metadata: { labels: { team: "a" }, annotations: { "kubernetes.io/change-cause": "first", note: "1" } },
      }),
      allReady,
      patch("change labels and annotations", {
        metadata: {
          annotations: { "kubernetes.io/change-cause": "second", note: null, more: "" },
          labels: { team: "b" },
        },
      }),
      patch("set the last-applied annotation", {
        metadata: { annotations: { "kubectl.kubernetes.io/last-applied-configuration": "{}" } },
      }),
      image(2),
    ],
  },
];
