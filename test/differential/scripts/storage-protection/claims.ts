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
const make: Step = { name: "a claim", act: (stage) => stage.create("persistentvolumeclaims", claim("data")) };
const remove: Step = { name: "the claim is deleted", act: (stage) => stage.remove(...data) };
const end: Step = { name: "the pod ends", act: (stage) => endPod(stage, "a") };
const pod = (parts: PodParts): Step => ({
  name: `a pod ${JSON.stringify(parts)}`,
  act: (stage) => makePod(stage, "a", parts),
});
const using = pod({ claims: ["data"] });

const finalizers: readonly Script[] = [
  {
    name: "a claim that has lost its finalizer gets it back, behind the others",
    steps: [
      make,
      { name: "without any", act: (stage) => setFinalizers(stage, data, []) },
      { name: "with another", act: (stage) => setFinalizers(stage, data, [foreign]) },
      remove,
      { name: "the other goes", act: (stage) => setFinalizers(stage, data, []) },
    ],
  },
  {
    name: "a claim that is being deleted gets none any more",
    steps: [
      make,
      using,
      { name: "with another", act: (stage) => setFinalizers(stage, data, [foreign]) },
      remove,
      { name: "without its own, while a pod uses it", act: (stage) => setFinalizers(stage, data, [foreign]) },
      { name: "without any", act: (stage) => setFinalizers(stage, data, []) },
    ],
  },
];

const uses: readonly Script[] = [
  { name: "a claim that nothing uses goes at once", steps: [make, remove] },
  { name: "a claim waits for the pod on a node, until it is gone", steps: [make, using, remove, end] },
  {
    name: "a claim waits for a pod that has ended, until it is deleted",
    steps: [
      make,
      using,
      { name: "it fails", act: (stage) => report(stage, "a", { phase: "Failed", runs: false }) },
      remove,
      end,
    ],
  },
  {
    name: "a claim waits while its pod is given time to end",
    steps: [
      make,
      using,
      { name: "its container runs", act: (stage) => report(stage, "a", { phase: "Running", runs: true }) },
      remove,
      { name: "the pod is deleted", act: (stage) => stage.remove("pods", "a") },
      { name: "its container has ended", act: (stage) => report(stage, "a", { phase: "Running", runs: false }) },
      end,
    ],
  },
  {
    name: "a claim does not wait for a pod without a node",
    steps: [
      make,
      pod({ claims: ["data"], bound: false }),
      remove,
      { name: "it gets one", act: (stage) => bindPod(stage, "a") },
    ],
  },
  {
    name: "a claim waits for the last of its pods, and for none of others",
    steps: [
      make,
      using,
      {
        name: "two more",
        act: async (stage) => {
          await makePod(stage, "b", { claims: ["data", "logs"] });
          await makePod(stage, "c", { claims: ["logs"] });
        },
      },
      remove,
      end,
      { name: "the last ends", act: (stage) => endPod(stage, "b") },
    ],
  },
  {
    name: "a claim waits for the pods of its own namespace alone",
    steps: [
      make,
      {
        name: "the same names in another",
        async act(stage) {
          const other = await stage.beside("other");
          await other.create("persistentvolumeclaims", claim("data"));
          await makePod(other, "a", { claims: ["data"] });
        },
      },
      remove,
      { name: "the other is deleted", act: async (stage) => (await stage.beside("other")).remove(...data) },
    ],
  },
  {
    name: "many claims are deleted together, some of them used",
    steps: [
      {
        name: "twelve claims",
        async act(stage) {
          for (let n = 0; n < 12; n++) await stage.create("persistentvolumeclaims", claim(`data-${n}`));
          await makePod(stage, "a", { claims: ["data-3", "data-7"] });
        },
      },
      {
        name: "all are deleted",
        act: (stage) => Promise.all(Array.from({ length: 12 }, (_, n) => stage.remove(data[0], `data-${n}`))),
      },
      end,
    ],
  },
];

const withEphemeral = pod({ ephemeral: ["tmp"], finalizers: [foreign] });
const own: Step = {
  name: "its claim",
  act: async (stage) => stage.create("persistentvolumeclaims", await ephemeralClaim(stage, "a", "tmp")),
};
const removeOwn: Step = { name: "its claim is deleted", act: (stage) => stage.remove(data[0], "a-tmp") };
const release: Step = { name: "the pod's finalizer goes", act: (stage) => setFinalizers(stage, ["pods", "a"], []) };

const ephemeral: readonly Script[] = [
  {
    name: "the claim of an ephemeral volume goes once its pod is shut down, which a finalizer holds",
    steps: [
      withEphemeral,
      own,
      { name: "the pod is deleted", act: (stage) => stage.remove("pods", "a") },
      removeOwn,
      end,
      release,
    ],
  },
  {
    name: "a claim that a pod names waits for it, although it is shut down",
    steps: [make, pod({ claims: ["data"], finalizers: [foreign] }), end, remove, release],
  },
  {
    name: "a claim of the name of an ephemeral volume's, which is not the pod's",
    steps: [
      withEphemeral,
      { name: "a claim", act: (stage) => stage.create("persistentvolumeclaims", claim("a-tmp")) },
      removeOwn,
    ],
  },
];

export const claims: readonly Script[] = [...finalizers, ...uses, ...ephemeral];
