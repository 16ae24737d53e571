/** Written scripts. Scans run every 20 s, and a node counts as gone after it is missing for 40 s: each script waits once. */
import type { Script } from "../../suite.ts";
import { keepOneAside, left, makePod, podNames, removeNode, setNode } from "./acts.ts";

const disrupted = { type: "DisruptionTarget", status: "True", reason: "Other", message: "before" };
const evicted = { phase: "Failed", reason: "Evicted" } as const;

export const scripts: readonly Script[] = [
  {
    name: "pods on missing and deleted nodes are deleted, pods on existing nodes are kept",
    steps: [
      {
        name: "create nodes and pods",
        async act(stage) {
          await keepOneAside(stage);
          await setNode(stage, "n1");
          await setNode(stage, "n2");
          await makePod(stage, "stays", { node: "n1" });
          await makePod(stage, "deleted-stays", { node: "n1", deleted: true });
          await makePod(stage, "running", { node: "gone" });
          await makePod(stage, "pending", { node: "gone", phase: "Pending" });
          await makePod(stage, "succeeded", { node: "gone", phase: "Succeeded" });
          await makePod(stage, "failed", { node: "gone", phase: "Failed" });
          await makePod(stage, "deleted", { node: "gone", deleted: true });
          await makePod(stage, "announced", { node: "gone", conditions: [disrupted] });
          await makePod(stage, "held", { node: "gone", held: true });
          await makePod(stage, "orphan", { node: "n2" });
          await removeNode(stage, "n2");
        },
        until: left("stays", "deleted-stays", "held"),
      },
    ],
  },
  {
    name: "terminating pods on unready, out-of-service nodes are deleted",
    steps: [
      {
        name: "create nodes and pods",
        async act(stage) {
          await setNode(stage, "down", { ready: "Unknown", outOfService: true });
          await setNode(stage, "late", { ready: "False" });
          await setNode(stage, "back", { outOfService: true });
          for (const node of ["down", "late", "back"]) {
            await makePod(stage, `${node}-deleted`, { node, deleted: true });
            await makePod(stage, `${node}-running`, { node });
          }
          await makePod(stage, "down-held", { node: "down", deleted: true, held: true });
        },
        waitMs: 25_000,
        until: left("down-held", "down-running", "late-deleted", "late-running", "back-deleted", "back-running"),
      },
    ],
  },
  {
    name: "terminating pods without a node are set to Failed",
    steps: [
      {
        name: "create pods",
        async act(stage) {
          await makePod(stage, "deleted", { phase: "Pending", held: true, deleted: true });
          await makePod(stage, "waits", { phase: "Pending" });
        },
        waitMs: 25_000,
      },
    ],
  },
  {
    name: "evicted pods beyond the threshold are deleted",
    steps: [
      {
        name: "create pods",
        async act(stage) {
          await keepOneAside(stage);
          await setNode(stage, "n1");
          await makePod(stage, "evicted", { node: "n1", ...evicted });
          await makePod(stage, "evicted-early", evicted);
          await makePod(stage, "stays", { node: "n1" });
        },
        until: async (stage) => (await podNames(stage)).join() === "stays",
      },
    ],
  },
];
