/** Claims: what their deletion waits for. */
import type { Script, Step } from "../../suite.ts";
import {
  bindPod,
  claim,
  endPod,
  ephemeralClaim,
  foreign,
  makePod,
  type PodParts,
  report,
  setFinalizers,
} from "./acts.ts";

const data = ["persistentvolumeclaims", "data"] as const;
const make: Step = { name: "create a claim", act: (stage) => stage.create("persistentvolumeclaims", claim("data")) };
const remove: Step = { name: "delete the claim", act: (stage) => stage.remove(...data) };
const end: Step = { name: "remove the pod", act: (stage) => endPod(stage, "a") };
const pod = (parts: PodParts): Step => ({
  name: `create a pod with ${JSON.stringify(parts)}`,
  act: (stage) => makePod(stage, "a", parts),
});
const using = pod({ claims: ["data"] });

const finalizers: readonly Script[] = [
  {
    name: "a removed finalizer is added again, after the others",
    steps: [
      make,
      { name: "remove all finalizers", act: (stage) => setFinalizers(stage, data, []) },
      { name: "set only another finalizer", act: (stage) => setFinalizers(stage, data, [foreign]) },
      remove,
      { name: "remove the other finalizer", act: (stage) => setFinalizers(stage, data, []) },
    ],
  },
  {
    name: "a terminating claim gets no finalizer",
    steps: [
      make,
      using,
      { name: "set only another finalizer", act: (stage) => setFinalizers(stage, data, [foreign]) },
      remove,
      {
        name: "set only the other finalizer while a pod uses the claim",
        act: (stage) => setFinalizers(stage, data, [foreign]),
      },
      { name: "remove all finalizers", act: (stage) => setFinalizers(stage, data, []) },
    ],
  },
];

const uses: readonly Script[] = [
  { name: "an unused claim is removed immediately", steps: [make, remove] },
  { name: "a claim waits for a bound pod until it is removed", steps: [make, using, remove, end] },
  {
    name: "a claim waits for a finished pod until it is deleted",
    steps: [
      make,
      using,
      { name: "the pod fails", act: (stage) => report(stage, "a", { phase: "Failed", runs: false }) },
      remove,
      end,
    ],
  },
  {
    name: "a claim waits during the grace period of its pod",
    steps: [
      make,
      using,
      { name: "its container runs", act: (stage) => report(stage, "a", { phase: "Running", runs: true }) },
      remove,
      { name: "delete the pod", act: (stage) => stage.remove("pods", "a") },
      { name: "its container has terminated", act: (stage) => report(stage, "a", { phase: "Running", runs: false }) },
      end,
    ],
  },
  {
    name: "a claim does not wait for a pod without a node",
    steps: [
      make,
      pod({ claims: ["data"], bound: false }),
      remove,
      { name: "bind the pod", act: (stage) => bindPod(stage, "a") },
    ],
  },
  {
    name: "a claim waits for the last of its pods, and for no other pods",
    steps: [
      make,
      using,
      {
        name: "create two more pods",
        act: async (stage) => {
          await makePod(stage, "b", { claims: ["data", "logs"] });
          await makePod(stage, "c", { claims: ["logs"] });
        },
      },
      remove,
      end,
      { name: "remove the last pod", act: (stage) => endPod(stage, "b") },
    ],
  },
  {
    name: "a claim waits only for pods in its namespace",
    steps: [
      make,
      {
        name: "create the same names in another namespace",
        async act(stage) {
          const other = await stage.beside("other");
          await other.create("persistentvolumeclaims", claim("data"));
          await makePod(other, "a", { claims: ["data"] });
        },
      },
      remove,
      { name: "delete the other claim", act: async (stage) => (await stage.beside("other")).remove(...data) },
    ],
  },
  {
    name: "many claims are deleted together, some of them in use",
    steps: [
      {
        name: "create twelve claims and a pod",
        async act(stage) {
          for (let n = 0; n < 12; n++) await stage.create("persistentvolumeclaims", claim(`data-${n}`));
          await makePod(stage, "a", { claims: ["data-3", "data-7"] });
        },
      },
      {
        name: "delete all claims",
        act: (stage) => Promise.all(Array.from({ length: 12 }, (_, n) => stage.remove(data[0], `data-${n}`))),
      },
      end,
    ],
  },
];

const withEphemeral = pod({ ephemeral: ["tmp"], finalizers: [foreign] });
const own: Step = {
  name: "create its claim",
  act: async (stage) => stage.create("persistentvolumeclaims", await ephemeralClaim(stage, "a", "tmp")),
};
const removeOwn: Step = { name: "delete its claim", act: (stage) => stage.remove(data[0], "a-tmp") };
const release: Step = {
  name: "remove the finalizer of the pod",
  act: (stage) => setFinalizers(stage, ["pods", "a"], []),
};

const ephemeral: readonly Script[] = [
  {
    name: "the claim of an ephemeral volume is removed when its pod is shut down, although a finalizer holds the pod",
    steps: [
      withEphemeral,
      own,
      { name: "delete the pod", act: (stage) => stage.remove("pods", "a") },
      removeOwn,
      end,
      release,
    ],
  },
  {
    name: "a claim that a pod names waits for the pod to be removed, although it is shut down",
    steps: [make, pod({ claims: ["data"], finalizers: [foreign] }), end, remove, release],
  },
  {
    name: "a claim has the name of an ephemeral volume's, but not its owner",
    steps: [
      withEphemeral,
      { name: "create a claim", act: (stage) => stage.create("persistentvolumeclaims", claim("a-tmp")) },
      removeOwn,
    ],
  },
];

export const claims: readonly Script[] = [...finalizers, ...uses, ...ephemeral];
