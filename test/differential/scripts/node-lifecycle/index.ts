/** Written scripts. The grace period of a node is 10 s, and all nodes are checked every second. */
import { long } from "../../../support/long.ts";
import type { Script } from "../../suite.ts";
import {
  allOf,
  beat,
  comeBack,
  endOf,
  fallSilent,
  makeNode,
  makePod,
  nodeIs,
  removeNode,
  report,
  step,
} from "./acts.ts";
import { clearOthers } from "./heartbeats.ts";
import { ownName } from "../../stage.ts";

const pressures = ["MemoryPressure", "DiskPressure", "PIDPressure", "NetworkUnavailable"] as const;
const os = { "kubernetes.io/os": "linux" };

const noNodeIsReady: Script = {
  name: "no node of the cluster is ready",
  alone: true,
  race: "the last node that stops reporting may be tainted within the pass that detects it",
  steps: [
    step("create three nodes, and remove all others", async (stage) => {
      for (const node of ["n1", "n2", "n3"]) await makeNode(stage, node);
      await clearOthers(stage.cluster, stage.namespace.slice(0, -"-one".length));
    }),
    step("n1 stops reporting", (stage) => fallSilent(stage, "n1"), { until: nodeIs("n1", "Unknown", "unreachable") }),
    step("n2 becomes unready", (stage) => report(stage, "n2", ["False"]), {
      until: nodeIs("n2", "False", "not-ready"),
    }),
    step("n3 stops reporting: NoExecute taints are removed", (stage) => fallSilent(stage, "n3"), {
      until: allOf(nodeIs("n1", "Unknown"), nodeIs("n2", "False"), nodeIs("n3", "Unknown")),
      waitMs: 5000,
    }),
    step("n3 resumes reporting: the others are tainted", (stage) => comeBack(stage, "n3"), {
      until: allOf(nodeIs("n1", "Unknown", "unreachable"), nodeIs("n2", "False", "not-ready"), nodeIs("n3", "True")),
    }),
    endOf("n2", "n3"),
  ],
};

export const scripts: readonly Script[] = [
  {
    name: "a node stops reporting and resumes",
    steps: [
      step("create two nodes with pods", async (stage) => {
        await makeNode(stage, "n1");
        await makeNode(stage, "n2");
        await makePod(stage, "ready", "n1", { ready: "True" });
        await makePod(stage, "unready", "n1", { ready: "False" });
        await makePod(stage, "unclear", "n1", { ready: "Unknown" });
        await makePod(stage, "says-nothing", "n1", {});
        await makePod(stage, "elsewhere", "n2", { ready: "True" });
      }),
      step("n1 stops reporting", (stage) => fallSilent(stage, "n1"), { until: nodeIs("n1", "Unknown", "unreachable") }),
      step("create another pod on n1", (stage) => makePod(stage, "late", "n1", { ready: "True" })),
      step("n1 resumes reporting", (stage) => comeBack(stage, "n1"), { until: nodeIs("n1", "True") }),
      endOf("n1", "n2"),
    ],
  },
  {
    name: "taints follow the conditions and the spec",
    steps: [
      step("create a node", (stage) => makeNode(stage, "n1")),
      ...pressures.map((type) =>
        step(`set ${type} to True`, (stage) => report(stage, "n1", ["True", { [type]: "True" }])),
      ),
      step("set all of them to True", (stage) =>
        report(stage, "n1", ["True", Object.fromEntries(pressures.map((type) => [type, "True"]))]),
      ),
      step("set all of them to False", (stage) => report(stage, "n1", ["True", { NetworkUnavailable: "False" }])),
      step("set MemoryPressure to Unknown", (stage) => report(stage, "n1", ["True", { MemoryPressure: "Unknown" }])),
      step("cordon the node", (stage) => stage.patch("nodes", ownName(stage, "n1"), { spec: { unschedulable: true } })),
      step("add taints by hand", async (stage) => {
        const { spec } = await stage.get("nodes", ownName(stage, "n1"));
        const { taints = [] } = spec as { readonly taints?: readonly object[] };
        const own = [
          { key: "node.kubernetes.io/memory-pressure", effect: "PreferNoSchedule" },
          { key: "mine", effect: "NoSchedule" },
        ];
        await stage.patch("nodes", ownName(stage, "n1"), { spec: { taints: [...taints, ...own] } });
      }),
      step("uncordon the node", (stage) =>
        stage.patch("nodes", ownName(stage, "n1"), { spec: { unschedulable: null } }),
      ),
      endOf("n1"),
    ],
  },
  {
    name: "a node never reports",
    steps: [
      step(
        "create two nodes, one of which renews its Lease",
        async (stage) => {
          await makeNode(stage, "n1", { ready: undefined, beats: false });
          await makeNode(stage, "n2", { ready: undefined });
        },
        { until: nodeIs("n1", "Unknown", "unreachable") },
      ),
      step(
        "both report",
        async (stage) => {
          await comeBack(stage, "n1");
          await report(stage, "n2", ["True"]);
        },
        { until: allOf(nodeIs("n1", "True"), nodeIs("n2", "True")) },
      ),
      endOf("n1", "n2"),
    ],
  },
  {
    name: "an unready node stops reporting, resumes as unready, and becomes ready",
    steps: [
      step("create two nodes with pods", async (stage) => {
        await makeNode(stage, "n1");
        await makeNode(stage, "n2");
        await makePod(stage, "ready", "n1", { ready: "True" });
      }),
      step("n1 becomes unready", (stage) => report(stage, "n1", ["False"]), {
        until: nodeIs("n1", "False", "not-ready"),
      }),
      step("n1 stops reporting", (stage) => fallSilent(stage, "n1"), { until: nodeIs("n1", "Unknown", "unreachable") }),
      step("n1 resumes, unready", (stage) => comeBack(stage, "n1", "False"), {
        until: nodeIs("n1", "False", "not-ready"),
      }),
      step("n1 becomes ready", (stage) => report(stage, "n1", ["True"]), { until: nodeIs("n1", "True") }),
      endOf("n1", "n2"),
    ],
  },
  {
    name: "labels with deprecated names",
    steps: [
      step("create a node", (stage) => makeNode(stage, "n1", { labels: os })),
      step("change the operating system", (stage) =>
        stage.patch("nodes", ownName(stage, "n1"), {
          metadata: { labels: { "kubernetes.io/os": "windows", "kubernetes.io/arch": "arm64" } },
        }),
      ),
      step("change the deprecated label", (stage) =>
        stage.patch("nodes", ownName(stage, "n1"), { metadata: { labels: { "beta.kubernetes.io/os": "plan9" } } }),
      ),
      step("remove the current label", (stage) =>
        stage.patch("nodes", ownName(stage, "n1"), { metadata: { labels: { "kubernetes.io/os": null } } }),
      ),
      endOf("n1"),
    ],
  },
  {
    name: "a node is deleted and recreated",
    steps: [
      step("create a node", (stage) => makeNode(stage, "n1"), { waitMs: 2500 }),
      step("delete the node", (stage) => removeNode(stage, "n1"), { waitMs: 2500 }),
      step("recreate the node", (stage) => makeNode(stage, "n1"), { waitMs: 2500 }),
      endOf("n1"),
    ],
  },
  {
    name: "status reports alone are heartbeats, too",
    steps: [
      step("create a node without a Lease, which reports every second", async (stage) => {
        await makeNode(stage, "n1", { beats: false });
        for (let seconds = 0; seconds < 13; seconds++) {
          await report(stage, "n1", ["True"]);
          await Bun.sleep(1000);
        }
      }),
      step("it stops reporting", async () => undefined, { until: nodeIs("n1", "Unknown", "unreachable") }),
      step("renew the Lease, which alone does not make it ready", (stage) => beat(stage, "n1"), { waitMs: 3000 }),
      endOf("n1"),
    ],
  },
  {
    name: "all nodes of a zone stop reporting, and one that is excluded from disruption",
    steps: [
      step("create a zone with two nodes, and one with an excluded node and another", async (stage) => {
        await makeNode(stage, "n1");
        await makeNode(stage, "n2");
        await makeNode(stage, "aside", { zone: "b", labels: { "node.kubernetes.io/exclude-disruption": "" } });
        await makeNode(stage, "other", { zone: "b" });
      }),
      step("three nodes stop reporting", (stage) => fallSilent(stage, "n1", "n2", "aside"), {
        until: allOf(
          nodeIs("n1", "Unknown", "unreachable"),
          nodeIs("n2", "Unknown", "unreachable"),
          nodeIs("aside", "Unknown", "unreachable"),
        ),
      }),
      step("n2 resumes reporting", (stage) => comeBack(stage, "n2"), { until: nodeIs("n2", "True") }),
      endOf("n2", "other"),
    ],
  },
  // It runs alone, and waits for several grace periods in sequence: too slow for every run.
  ...(long ? [noNodeIsReady] : []),
];
