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

const nodeAndPods = step("a node with pods", async (stage) => {
  await makeNode(stage, "n1");
  await somePods(stage);
});

export const scripts: readonly Script[] = [
  {
    name: "a taint comes, another one, and both go",
    steps: [
      nodeAndPods,
      step("a taint of another effect", (stage) => setTaints(stage, "n1", [{ key: "full", effect: "NoSchedule" }])),
      step("a taint", (stage) => setTaints(stage, "n1", [full])),
      step("another one", (stage) => setTaints(stage, "n1", [full, busy])),
      step("the first has a value", (stage) => setTaints(stage, "n1", [noExecute("full", "x"), busy])),
      step("none", (stage) => setTaints(stage, "n1", [])),
    ],
  },
  {
    name: "pods come to a tainted node",
    steps: [
      step("the node", (stage) => makeNode(stage, "n1", [full])),
      step("pods", somePods),
      step("one without a node", (stage) => makePod(stage, "late", { node: null })),
      step("it gets the node", (stage) => bindTo(stage, "late", "n1")),
    ],
  },
  {
    name: "tolerations end after a second or two, the shortest first",
    steps: [
      step("a node with pods", async (stage) => {
        await makeNode(stage, "n1");
        await makePod(stage, "one", { tolerations: [tolerating("full", 1), tolerating("busy")] });
        await makePod(stage, "two", { tolerations: [tolerating("full", 300), tolerating("busy", 2)] });
        await makePod(stage, "first-match", { tolerations: [tolerating("full", 300), tolerating("full", 1)] });
        await makePod(stage, "long", { tolerations: [tolerating("full", 300), tolerating("busy", 400)] });
      }),
      step("a taint", (stage) => setTaints(stage, "n1", [full]), { until: going("one") }),
      step("another one: the time that runs stays", (stage) => setTaints(stage, "n1", [full, busy]), { waitMs: 3000 }),
      step("the taints go", (stage) => setTaints(stage, "n1", [])),
      step("both come", (stage) => setTaints(stage, "n1", [full, busy]), { until: going("two") }),
    ],
  },
  {
    name: "what waits for its time is cancelled",
    steps: [
      step("a node with pods", async (stage) => {
        await makeNode(stage, "n1", [full]);
        for (const name of ["stays", "deleted", "changed", "worse", "shorter"])
          await makePod(stage, name, { tolerations: [tolerating("full", 300)] });
      }),
      step("a pod is deleted at once", (stage) => stage.remove("pods", "deleted", { gracePeriodSeconds: 0 })),
      step("one comes to tolerate everything", async (stage) => {
        const pod = await stage.get("pods", "changed");
        const { tolerations } = pod["spec"] as { readonly tolerations: readonly object[] };
        await stage.patch("pods", "changed", { spec: { tolerations: [...tolerations, { operator: "Exists" }] } });
      }),
      step("the taint has a value: nothing changes for them", (stage) =>
        setTaints(stage, "n1", [noExecute("full", "yes")]),
      ),
      step("a taint comes that they do not tolerate", (stage) => setTaints(stage, "n1", [full, busy])),
      step("no taint is left", (stage) => setTaints(stage, "n1", [])),
    ],
  },
  {
    name: "the taint goes in time",
    steps: [
      step("a node with pods", async (stage) => {
        await makeNode(stage, "n1", [full]);
        for (const name of ["one", "two"]) await makePod(stage, name, { tolerations: [tolerating("full", 300)] });
      }),
      step("the taint goes", (stage) => setTaints(stage, "n1", [])),
      step("it comes again", (stage) => setTaints(stage, "n1", [full])),
      step("and goes", (stage) => setTaints(stage, "n1", [])),
    ],
  },
  {
    name: "the node goes while a toleration runs",
    steps: [
      step(
        "a node with pods",
        async (stage) => {
          await makeNode(stage, "n1", [full]);
          await makePod(stage, "timed", { tolerations: [tolerating("full", 12)] });
          await makePod(stage, "for-long", { tolerations: [tolerating("full", 300)] });
          // Once this pod is deleted, the taint has been handled for the pods before it.
          await makePod(stage, "at-once");
        },
        { until: going("at-once") },
      ),
      step("the node goes", (stage) => removeNode(stage, "n1")),
      step("its time comes", async () => undefined, { until: going("timed") }),
      step("a pod for the node that is gone", (stage) => makePod(stage, "late")),
      step("the node comes again, without taints", (stage) => makeNode(stage, "n1")),
    ],
  },
  {
    name: "taints of the control plane are tolerated for five minutes, by default",
    steps: [
      step("a node with pods", async (stage) => {
        await makeNode(stage, "n1");
        await makePod(stage, "default");
        await makePod(stage, "at-once", { tolerations: [tolerating("node.kubernetes.io/unreachable", 0)] });
        await makePod(stage, "never", { tolerations: [tolerating("node.kubernetes.io/unreachable")] });
      }),
      step("it is unreachable", (stage) => setTaints(stage, "n1", [noExecute("node.kubernetes.io/unreachable")])),
      step("it is not ready", (stage) => setTaints(stage, "n1", [noExecute("node.kubernetes.io/not-ready")])),
      step("it is back", (stage) => setTaints(stage, "n1", [])),
    ],
  },
  {
    name: "a pod of the same name follows one that waited for its time",
    steps: [
      step("a node with a pod", async (stage) => {
        await makeNode(stage, "n1", [full]);
        await makePod(stage, "web", { tolerations: [tolerating("full", 300)] });
      }),
      step("it is gone", (stage) => stage.remove("pods", "web", { gracePeriodSeconds: 0 })),
      step("it comes again", (stage) => makePod(stage, "web", { tolerations: [tolerating("full", 300)] })),
      step("it is deleted, and waits for its kubelet", (stage) => stage.remove("pods", "web")),
      step("the taint goes", (stage) => setTaints(stage, "n1", [])),
    ],
  },
];
