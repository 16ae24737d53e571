/** Written scripts. */
import { ownName, type Stage } from "../../stage.ts";
import type { Script } from "../../suite.ts";
import { bindTo, going, makeNode, makePod, noExecute, setTaints, step, tolerating } from "./acts.ts";

const full = noExecute("full");
const busy = noExecute("busy");
const removeNode = (stage: Stage, node: string): Promise<void> => stage.remove("nodes", ownName(stage, node));
const announced = {
  type: "DisruptionTarget",
  status: "True",
  reason: "DeletionByTaintManager",
  message: "Taint manager: deleting due to NoExecute taint",
};

/** Creates pods of every kind on one node. */
async function somePods(stage: Stage): Promise<void> {
  await makePod(stage, "plain");
  await makePod(stage, "tolerates", { tolerations: [tolerating("full")] });
  await makePod(stage, "tolerates-all", { tolerations: [{ operator: "Exists" }] });
  await makePod(stage, "other-value", {
    tolerations: [{ key: "full", operator: "Equal", value: "x", effect: "NoExecute" }],
  });
  await makePod(stage, "other-effect", { tolerations: [{ key: "full", operator: "Exists", effect: "NoSchedule" }] });
  await makePod(stage, "for-long", { tolerations: [tolerating("full", 300)] });
  await makePod(stage, "not-at-all", { tolerations: [tolerating("full", 0)] });
  await makePod(stage, "announced", { conditions: [{ ...announced, status: "True" }] });
  await makePod(stage, "said-otherwise", { conditions: [{ ...announced, reason: "Other" }] });
  await makePod(stage, "taken-back", { conditions: [{ ...announced, status: "False" }] });
  await makePod(stage, "held", { finalizers: ["example.com/hold"] });
}

const nodeAndPods = step("create a node with pods", async (stage) => {
  await makeNode(stage, "n1");
  await somePods(stage);
});

export const scripts: readonly Script[] = [
  {
    name: "a taint is added, another one, and both are removed",
    steps: [
      nodeAndPods,
      step("add a NoSchedule taint", (stage) => setTaints(stage, "n1", [{ key: "full", effect: "NoSchedule" }])),
      step("add a NoExecute taint", (stage) => setTaints(stage, "n1", [full])),
      step("add another taint", (stage) => setTaints(stage, "n1", [full, busy])),
      step("set a value of the first taint", (stage) => setTaints(stage, "n1", [noExecute("full", "x"), busy])),
      step("remove the taints", (stage) => setTaints(stage, "n1", [])),
    ],
  },
  {
    name: "pods are created on a tainted node",
    steps: [
      step("create the node", (stage) => makeNode(stage, "n1", [full])),
      step("create pods", somePods),
      step("create a pod without a node", (stage) => makePod(stage, "late", { node: null })),
      step("bind it to the node", (stage) => bindTo(stage, "late", "n1")),
    ],
  },
  {
    name: "tolerations expire after one or two seconds, the shortest first",
    steps: [
      step("create a node with pods", async (stage) => {
        await makeNode(stage, "n1");
        await makePod(stage, "one", { tolerations: [tolerating("full", 1), tolerating("busy")] });
        await makePod(stage, "two", { tolerations: [tolerating("full", 300), tolerating("busy", 2)] });
        await makePod(stage, "first-match", { tolerations: [tolerating("full", 300), tolerating("full", 1)] });
        await makePod(stage, "long", { tolerations: [tolerating("full", 300), tolerating("busy", 400)] });
      }),
      step("add a taint", (stage) => setTaints(stage, "n1", [full]), { until: going("one") }),
      step(
        "add another taint, which does not restart running timers",
        (stage) => setTaints(stage, "n1", [full, busy]),
        { waitMs: 3000 },
      ),
      step("remove the taints", (stage) => setTaints(stage, "n1", [])),
      step("add both taints", (stage) => setTaints(stage, "n1", [full, busy]), { until: going("two") }),
    ],
  },
  {
    name: "pending evictions are cancelled",
    steps: [
      step("create a node with pods", async (stage) => {
        await makeNode(stage, "n1", [full]);
        for (const name of ["stays", "deleted", "changed", "worse", "shorter"])
          await makePod(stage, name, { tolerations: [tolerating("full", 300)] });
      }),
      step("remove a pod", (stage) => stage.remove("pods", "deleted", { gracePeriodSeconds: 0 })),
      step("add a toleration of everything to a pod", async (stage) => {
        const pod = await stage.get("pods", "changed");
        const { tolerations } = pod["spec"] as { readonly tolerations: readonly object[] };
        await stage.patch("pods", "changed", { spec: { tolerations: [...tolerations, { operator: "Exists" }] } });
      }),
      step("set a value of the taint, which changes nothing for the pods", (stage) =>
        setTaints(stage, "n1", [noExecute("full", "yes")]),
      ),
      step("add a taint that they do not tolerate", (stage) => setTaints(stage, "n1", [full, busy])),
      step("remove the taints", (stage) => setTaints(stage, "n1", [])),
    ],
  },
  {
    name: "the taint is removed before the toleration expires",
    steps: [
      step("create a node with pods", async (stage) => {
        await makeNode(stage, "n1", [full]);
        for (const name of ["one", "two"]) await makePod(stage, name, { tolerations: [tolerating("full", 300)] });
      }),
      step("remove the taint", (stage) => setTaints(stage, "n1", [])),
      step("add the taint again", (stage) => setTaints(stage, "n1", [full])),
      step("remove the taint again", (stage) => setTaints(stage, "n1", [])),
    ],
  },
  {
    name: "the node is deleted while a toleration runs",
    steps: [
      step(
        "create a node with pods",
        async (stage) => {
          await makeNode(stage, "n1", [full]);
          await makePod(stage, "timed", { tolerations: [tolerating("full", 12)] });
          await makePod(stage, "for-long", { tolerations: [tolerating("full", 300)] });
          // Once this pod is deleted, the taint has been handled for the pods before it.
          await makePod(stage, "at-once");
        },
        { until: going("at-once") },
      ),
      step("delete the node", (stage) => removeNode(stage, "n1")),
      step("the toleration expires", async () => undefined, { until: going("timed") }),
      step("create a pod on the deleted node", (stage) => makePod(stage, "late")),
      step("recreate the node without taints", (stage) => makeNode(stage, "n1")),
    ],
  },
  {
    name: "taints of the control plane are tolerated for five minutes by default",
    steps: [
      step("create a node with pods", async (stage) => {
        await makeNode(stage, "n1");
        await makePod(stage, "default");
        await makePod(stage, "at-once", { tolerations: [tolerating("node.kubernetes.io/unreachable", 0)] });
        await makePod(stage, "never", { tolerations: [tolerating("node.kubernetes.io/unreachable")] });
      }),
      step("taint the node as unreachable", (stage) =>
        setTaints(stage, "n1", [noExecute("node.kubernetes.io/unreachable")]),
      ),
      step("taint the node as not ready", (stage) =>
        setTaints(stage, "n1", [noExecute("node.kubernetes.io/not-ready")]),
      ),
      step("remove the taints", (stage) => setTaints(stage, "n1", [])),
    ],
  },
  {
    name: "a pod with a pending eviction is recreated with the same name",
    steps: [
      step("create a node with a pod", async (stage) => {
        await makeNode(stage, "n1", [full]);
        await makePod(stage, "web", { tolerations: [tolerating("full", 300)] });
      }),
      step("remove the pod", (stage) => stage.remove("pods", "web", { gracePeriodSeconds: 0 })),
      step("recreate the pod", (stage) => makePod(stage, "web", { tolerations: [tolerating("full", 300)] })),
      step("delete the pod, which waits for its kubelet", (stage) => stage.remove("pods", "web")),
      step("remove the taint", (stage) => setTaints(stage, "n1", [])),
    ],
  },
];
