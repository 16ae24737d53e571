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
  race: "whether the last node that falls silent is tainted between the look that finds it and the end of that look",
  steps: [
    step("three nodes, and no others", async (stage) => {
      for (const node of ["n1", "n2", "n3"]) await makeNode(stage, node);
      await clearOthers(stage.cluster, stage.namespace.slice(0, -"-one".length));
    }),
    step("one falls silent", (stage) => fallSilent(stage, "n1"), { until: nodeIs("n1", "Unknown", "unreachable") }),
    step("one is not ready", (stage) => report(stage, "n2", ["False"]), { until: nodeIs("n2", "False", "not-ready") }),
    step("the last one falls silent: taints that evict are lifted", (stage) => fallSilent(stage, "n3"), {
      until: allOf(nodeIs("n1", "Unknown"), nodeIs("n2", "False"), nodeIs("n3", "Unknown")),
      waitMs: 5000,
    }),
    step("it comes back: the others are tainted", (stage) => comeBack(stage, "n3"), {
      until: allOf(nodeIs("n1", "Unknown", "unreachable"), nodeIs("n2", "False", "not-ready"), nodeIs("n3", "True")),
    }),
    endOf("n2", "n3"),
  ],
};

export const scripts: readonly Script[] = [
  {
    name: "a node falls silent and comes back",
    steps: [
      step("two nodes with pods", async (stage) => {
        await makeNode(stage, "n1");
        await makeNode(stage, "n2");
        await makePod(stage, "ready", "n1", { ready: "True" });
        await makePod(stage, "unready", "n1", { ready: "False" });
        await makePod(stage, "unclear", "n1", { ready: "Unknown" });
        await makePod(stage, "says-nothing", "n1", {});
        await makePod(stage, "elsewhere", "n2", { ready: "True" });
      }),
      step("one falls silent", (stage) => fallSilent(stage, "n1"), { until: nodeIs("n1", "Unknown", "unreachable") }),
      step("a pod comes to it", (stage) => makePod(stage, "late", "n1", { ready: "True" })),
      step("it comes back", (stage) => comeBack(stage, "n1"), { until: nodeIs("n1", "True") }),
      endOf("n1", "n2"),
    ],
  },
  {
    name: "taints follow the conditions and the spec",
    steps: [
      step("a node", (stage) => makeNode(stage, "n1")),
      ...pressures.map((type) => step(`${type} is True`, (stage) => report(stage, "n1", ["True", { [type]: "True" }]))),
      step("all of them are", (stage) =>
        report(stage, "n1", ["True", Object.fromEntries(pressures.map((type) => [type, "True"]))]),
      ),
      step("none is", (stage) => report(stage, "n1", ["True", { NetworkUnavailable: "False" }])),
      step("they are unknown", (stage) => report(stage, "n1", ["True", { MemoryPressure: "Unknown" }])),
      step("it is unschedulable", (stage) =>
        stage.patch("nodes", ownName(stage, "n1"), { spec: { unschedulable: true } }),
      ),
      step("somebody else taints it", async (stage) => {
        const { spec } = await stage.get("nodes", ownName(stage, "n1"));
        const { taints = [] } = spec as { readonly taints?: readonly object[] };
        const own = [
          { key: "node.kubernetes.io/memory-pressure", effect: "PreferNoSchedule" },
          { key: "mine", effect: "NoSchedule" },
        ];
        await stage.patch("nodes", ownName(stage, "n1"), { spec: { taints: [...taints, ...own] } });
      }),
      step("it is schedulable", (stage) =>
        stage.patch("nodes", ownName(stage, "n1"), { spec: { unschedulable: null } }),
      ),
      endOf("n1"),
    ],
  },
  {
    name: "a node that never reports",
    steps: [
      step(
        "two nodes, one of which renews its Lease",
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
    name: "a node that is not ready falls silent, comes back not ready, and then ready",
    steps: [
      step("two nodes with pods", async (stage) => {
        await makeNode(stage, "n1");
        await makeNode(stage, "n2");
        await makePod(stage, "ready", "n1", { ready: "True" });
      }),
      step("one is not ready", (stage) => report(stage, "n1", ["False"]), {
        until: nodeIs("n1", "False", "not-ready"),
      }),
      step("it falls silent", (stage) => fallSilent(stage, "n1"), { until: nodeIs("n1", "Unknown", "unreachable") }),
      step("it is back, not ready", (stage) => comeBack(stage, "n1", "False"), {
        until: nodeIs("n1", "False", "not-ready"),
      }),
      step("it is ready", (stage) => report(stage, "n1", ["True"]), { until: nodeIs("n1", "True") }),
      endOf("n1", "n2"),
    ],
  },
  {
    name: "labels under their older names",
    steps: [
      step("a node", (stage) => makeNode(stage, "n1", { labels: os })),
      step("another system", (stage) =>
        stage.patch("nodes", ownName(stage, "n1"), {
          metadata: { labels: { "kubernetes.io/os": "windows", "kubernetes.io/arch": "arm64" } },
        }),
      ),
      step("the older name is changed", (stage) =>
        stage.patch("nodes", ownName(stage, "n1"), { metadata: { labels: { "beta.kubernetes.io/os": "plan9" } } }),
      ),
      step("the newer name goes", (stage) =>
        stage.patch("nodes", ownName(stage, "n1"), { metadata: { labels: { "kubernetes.io/os": null } } }),
      ),
      endOf("n1"),
    ],
  },
  {
    name: "a node goes, and one of its name comes",
    steps: [
      step("a node", (stage) => makeNode(stage, "n1"), { waitMs: 2500 }),
      step("it goes", (stage) => removeNode(stage, "n1"), { waitMs: 2500 }),
      step("it comes again", (stage) => makeNode(stage, "n1"), { waitMs: 2500 }),
      endOf("n1"),
    ],
  },
  {
    name: "reports alone are signs of life, too",
    steps: [
      step("a node without a Lease, which reports every second", async (stage) => {
        await makeNode(stage, "n1", { beats: false });
        for (let seconds = 0; seconds < 13; seconds++) {
          await report(stage, "n1", ["True"]);
          await Bun.sleep(1000);
        }
      }),
      step("it falls silent", async () => undefined, { until: nodeIs("n1", "Unknown", "unreachable") }),
      step("a Lease alone does not make it ready", (stage) => beat(stage, "n1"), { waitMs: 3000 }),
      endOf("n1"),
    ],
  },
  {
    name: "all nodes of a zone fall silent, and one that does not count",
    steps: [
      step("a zone of two, and one aside", async (stage) => {
        await makeNode(stage, "n1");
        await makeNode(stage, "n2");
        await makeNode(stage, "aside", { zone: "b", labels: { "node.kubernetes.io/exclude-disruption": "" } });
        await makeNode(stage, "other", { zone: "b" });
      }),
      step("they fall silent", (stage) => fallSilent(stage, "n1", "n2", "aside"), {
        until: allOf(
          nodeIs("n1", "Unknown", "unreachable"),
          nodeIs("n2", "Unknown", "unreachable"),
          nodeIs("aside", "Unknown", "unreachable"),
        ),
      }),
      step("one comes back", (stage) => comeBack(stage, "n2"), { until: nodeIs("n2", "True") }),
      endOf("n2", "other"),
    ],
  },
  // It runs alone, and waits for several grace periods in sequence: too slow for every run.
  ...(long ? [noNodeIsReady] : []),
];
