/** Rollouts with maxUnavailable, maxSurge or OnDelete; rollbacks; the revision history. */
import { removePod, setPodState } from "../../acts.ts";
import type { Script, Step } from "../../play.ts";
import {
  allEnd,
  allReady,
  create,
  deleted,
  each,
  gpu,
  image,
  nextRound,
  nodes,
  patch,
  revisionsOn,
  rolling,
  run,
  runSome,
  spec,
  tainted,
  threeNodes,
  toRevision,
  unready,
} from "./acts.ts";

const begin = (rollingUpdate: readonly [number | string, number | string], more: object = {}): readonly Step[] => [
  threeNodes,
  create({ rolling: rollingUpdate, ...more }),
  allReady,
];

const byHand = { updateStrategy: { type: "OnDelete", rollingUpdate: null } } as const;
const onDelete = spec("set OnDelete", byHand);

/** Rolls out these images one after the other. The new pods of each become ready immediately. */
const images = (...versions: readonly number[]): readonly Step[] =>
  versions.flatMap((version) => [image(version), ...nextRound]);

export const updating: readonly Script[] = [
  {
    name: "a rollout, one node at a time",
    steps: [...begin([1, 0]), image(2), ...nextRound, ...nextRound, ...nextRound],
  },
  { name: "a rollout on all nodes together", steps: [...begin(["100%", 0]), image(2), ...nextRound] },
  {
    name: "a rollout on half of the nodes at a time",
    steps: [...begin(["50%", 0]), image(2), ...nextRound, ...nextRound],
  },
  {
    name: "a rollout waits for pods that are not ready",
    steps: [...begin([1, 0]), image(2), allEnd, rolling(2, 0), allEnd, allReady, ...nextRound],
  },
  {
    name: "a rollout begins with pods that are not ready",
    steps: [...begin([1, 0]), unready(2), unready(3), image(2), ...nextRound, ...nextRound],
  },
  {
    name: "the template changes again during a rollout",
    steps: [...begin([1, 0]), image(2), allEnd, image(3), ...nextRound, ...nextRound, ...nextRound],
  },
  {
    name: "a rollout skips a node that its pods cannot run on",
    steps: [...begin([3, 0]), tainted(3, gpu), image(2), ...nextRound, tainted(3), allReady],
  },
  {
    name: "a surge, one node at a time",
    steps: [...begin([0, 1]), image(2), allReady, ...nextRound, ...nextRound, ...nextRound],
  },
  { name: "a surge on all nodes", steps: [...begin([0, "100%"]), image(2), allReady, allEnd] },
  {
    name: "a surge waits for the new pods, and continues on nodes whose pod is not ready",
    steps: [...begin([0, 1]), unready(2), image(2), runSome(1), allEnd, allReady, ...nextRound, ...nextRound],
  },
  {
    name: "a surge: an old pod becomes unready before the new one is ready",
    steps: [
      ...begin([0, "100%"]),
      image(2),
      each("the old pods become unready", "ready", (stage, pod) => setPodState(stage, pod, { ready: false })),
      allEnd,
      allReady,
    ],
  },
  {
    name: "a surge: a deleted pod is replaced immediately",
    steps: [...begin([0, 1]), deleted(2), allReady, allEnd],
  },
  {
    name: "a surge leaves nodes that its pods cannot run on, once others are available",
    steps: [
      nodes({}, {}, {}),
      create({ rolling: [0, "100%"] }),
      allReady,
      tainted(1, gpu),
      image(2),
      allReady,
      allEnd,
      tainted(1),
      allReady,
    ],
  },
  {
    name: "maxUnavailable is replaced by maxSurge during a rollout, and back",
    steps: [
      ...begin([1, 0]),
      image(2),
      ...nextRound,
      rolling(0, 1),
      ...nextRound,
      rolling(1, 0),
      ...nextRound,
      ...nextRound,
    ],
  },
  {
    name: "OnDelete: pods are kept until they are deleted",
    steps: [
      threeNodes,
      create({ spec: byHand }),
      allReady,
      image(2),
      deleted(2),
      allEnd,
      allReady,
      image(1),
      spec("set RollingUpdate", { updateStrategy: { type: "RollingUpdate", rollingUpdate: { maxUnavailable: 3 } } }),
      ...nextRound,
    ],
  },
  {
    name: "OnDelete is set during a rollout",
    steps: [...begin([1, 0]), image(2), onDelete, ...nextRound, image(3)],
  },
  {
    name: "back to an earlier template",
    steps: [...begin(["100%", 0]), ...images(2, 3), image(1), ...nextRound, image(2), ...nextRound],
  },
  {
    name: "back to the earlier template before a pod was replaced",
    steps: [...begin([1, 0]), image(2), image(1), ...nextRound, ...nextRound],
  },
  {
    name: "old revisions are deleted beyond the limit",
    steps: [
      ...begin(["100%", 0], {
        spec: { revisionHistoryLimit: 2 },
      }),
      ...images(2, 3, 4, 5),
      spec("set revisionHistoryLimit 0", { revisionHistoryLimit: 0 }),
      ...images(6),
    ],
  },
  {
    name: "revisions that pods have are kept beyond the limit",
    steps: [
      threeNodes,
      create({ spec: { revisionHistoryLimit: 0, ...byHand } }),
      allReady,
      image(2),
      image(3),
      image(4),
      deleted(1),
      allEnd,
      allReady,
      spec("set revisionHistoryLimit 1", { revisionHistoryLimit: 1 }),
      image(5),
    ],
  },
  {
    name: "a revision without its hash label gets its name as the label",
    steps: [
      ...begin(["100%", 0]),
      image(2),
      ...nextRound,
      toRevision("remove the label of the first revision", 0, (stage, { metadata }) =>
        stage.patch("controllerrevisions", metadata.name, {
          metadata: { labels: { "controller-revision-hash": null } },
        }),
      ),
      image(1),
      ...nextRound,
    ],
  },
  {
    name: "a copy of the current revision is kept, and the pods are relabelled",
    steps: [
      ...begin([1, 0]),
      toRevision("copy the revision", 0, (stage, { metadata, data, revision }) =>
        stage.create("controllerrevisions", {
          metadata: {
            name: "copy",
            labels: { ...metadata.labels, "controller-revision-hash": "copied" },
            ownerReferences: metadata.ownerReferences,
          },
          data,
          revision: revision + 1,
        }),
      ),
      image(2),
      ...nextRound,
    ],
  },
  {
    name: "a deleted revision is created again",
    steps: [
      ...begin([1, 0]),
      toRevision("delete the revision", 0, (stage, { metadata }) => stage.remove("controllerrevisions", metadata.name)),
    ],
  },
  {
    name: "an existing revision with the name of a new one is counted as a collision",
    steps: [
      ...begin(["100%", 0]),
      {
        name: "delete the set, and replace its revision with another one of the same name",
        async act(stage) {
          await stage.remove("daemonsets", "agent", { propagationPolicy: "Background" });
          for (const pod of await stage.pods()) await removePod(stage, pod, "at once");
          for (const { metadata, revision } of await revisionsOn(stage)) {
            await stage.remove("controllerrevisions", metadata.name);
            const other = {
              metadata: { name: metadata.name, labels: { app: "aside" } },
              data: { other: true },
              revision,
            };
            await stage.create("controllerrevisions", other);
          }
        },
      },
      create({ rolling: ["100%", 0] }),
      allReady,
      image(2),
      ...nextRound,
    ],
  },
  {
    name: "minReadySeconds: a rollout waits until pods are available",
    steps: [
      threeNodes,
      create({ rolling: ["100%", 0], spec: { minReadySeconds: 3600 } }),
      each("all pods have been ready for long", "not ready", (stage, pod) =>
        run(stage, pod, { readyForMs: 7_200_000 }),
      ),
      rolling(1, 0),
      image(2),
      allEnd,
      each("the pod has been ready for a short time", "not ready", (stage, pod) =>
        run(stage, pod, { readyForMs: 60_000 }),
      ),
      spec("set minReadySeconds 0", { minReadySeconds: 0 }),
      allEnd,
    ],
  },
  {
    name: "minReadySeconds with a surge: the old pod is kept until the new one is available",
    steps: [
      threeNodes,
      create({ rolling: [0, "100%"], spec: { minReadySeconds: 3600 } }),
      each("all pods have been ready for long", "not ready", (stage, pod) =>
        run(stage, pod, { readyForMs: 7_200_000 }),
      ),
      image(2),
      each("all pods have been ready for a short time", "not ready", (stage, pod) =>
        run(stage, pod, { readyForMs: 60_000 }),
      ),
      spec("set minReadySeconds 30", { minReadySeconds: 30 }),
      allEnd,
    ],
  },
  {
    name: "annotations and labels of the set and its template",
    steps: [
      ...begin(["100%", 0], { metadata: { annotations: { note: "1" } } }),
      patch("change an annotation", { metadata: { annotations: { note: "2" } } }),
      spec("add an annotation to the template", { template: { metadata: { annotations: { pod: "1" } } } }),
      ...nextRound,
      spec("add a label to the template", { template: { metadata: { labels: { tier: "back" } } } }),
      ...nextRound,
    ],
  },
];
