/** Slices changed by users, and proportional zone hints, for which all nodes of the cluster are counted. */
import { EndpointSlices } from "../../../../src/api/kinds.ts";
import { ownName, type Stage } from "../../stage.ts";
import type { Script, Step } from "../../suite.ts";
import { makeNode, makeService, patchService, sliceName } from "./acts.ts";
import { begin, pod } from "./pods.ts";

const act = (name: string, does: (stage: Stage) => Promise<unknown>): Step => ({ name, act: does });
/** A change of a slice by another client is handled a second later. */
const later = { waitMs: 1500 } as const;
const managedBy = "endpointslice.kubernetes.io/managed-by";
const toSlice = (name: string, body: object): Step => ({
  name,
  act: async (stage) => stage.patch(EndpointSlices, await sliceName(stage), body),
  ...later,
});

const meddling: readonly Script[] = [
  {
    name: "a modified slice is corrected",
    steps: [begin, pod("a", { ips: ["10.1.0.1"] }), toSlice("remove its endpoints", { endpoints: [] })],
  },
  {
    name: "modified labels of a slice are corrected",
    steps: [
      begin,
      pod("a", { ips: ["10.1.0.1"] }),
      toSlice("set another label", { metadata: { labels: { team: "red" } } }),
    ],
  },
  {
    name: "a deleted slice is recreated",
    steps: [
      begin,
      pod("a", { ips: ["10.1.0.1"] }),
      { ...act("delete the slice", async (stage) => stage.remove(EndpointSlices, await sliceName(stage))), ...later },
    ],
  },
  {
    name: "a slice with another manager is left alone and replaced by a new one",
    steps: [
      begin,
      pod("a", { ips: ["10.1.0.1"] }),
      toSlice("set another manager", { metadata: { labels: { [managedBy]: "me" } } }),
      pod("b", { ips: ["10.1.0.2"], at: 2 }),
      {
        name: "restore the manager",
        act: async (stage) => {
          const name = await sliceName(stage, ({ metadata }) => metadata.labels?.[managedBy] === "me");
          await stage.patch(EndpointSlices, name, {
            metadata: { labels: { [managedBy]: "endpointslice-controller.k8s.io" } },
          });
        },
        ...later,
      },
    ],
  },
  {
    name: "a slice is moved to another Service",
    steps: [
      begin,
      act("create another Service", (stage) => makeService(stage, { selector: { app: "other" } }, { name: "other" })),
      pod("a", { ips: ["10.1.0.1"] }),
      {
        name: "move the slice",
        act: async (stage) => {
          const name = await sliceName(stage, ({ endpoints }) => (endpoints ?? []).length > 0);
          await stage.patch(EndpointSlices, name, { metadata: { labels: { "kubernetes.io/service-name": "other" } } });
        },
        ...later,
      },
    ],
  },
];

const auto = { "service.kubernetes.io/topology-mode": "Auto" };
const ready = (name: string, zone: string): Step =>
  act(`create node ${name}, ready, in zone ${zone}`, (stage) => makeNode(stage, name, { zone, ready: true, cpu: "4" }));

/** All ready nodes are counted: each script removes its nodes before the next one runs. */
const byZones: readonly Script[] = [
  {
    name: "proportional zone hints",
    alone: true,
    steps: [
      ready("one", "a"),
      ready("two", "b"),
      act("create a Service", (stage) => makeService(stage, {}, { annotations: auto })),
      pod("a", { ips: ["10.1.0.1"] }),
      pod("b", { ips: ["10.1.0.2"], at: 2, node: "two" }),
      pod("c", { ips: ["10.1.0.3"], at: 3 }),
      pod("d", { ips: ["10.1.0.4"], at: 4, node: "two" }),
      pod("e", { ips: ["10.1.0.5"], at: 5, ready: false }),
      act("set another topology mode", (stage) =>
        patchService(stage, {}, { annotations: { "service.kubernetes.io/topology-mode": "Disabled" } }),
      ),
      act("restore the topology mode", (stage) => patchService(stage, {}, { annotations: auto })),
      act("remove the annotation", (stage) =>
        patchService(
          stage,
          { trafficDistribution: "PreferClose" },
          { annotations: { "service.kubernetes.io/topology-mode": null } },
        ),
      ),
      act("delete the Service", (stage) => stage.remove("services", "web")),
      act("delete the nodes", async (stage) => {
        for (const name of ["one", "two"]) await stage.remove("nodes", ownName(stage, name));
      }),
    ],
  },
  {
    name: "a zone without enough endpoints gets some of another zone",
    alone: true,
    steps: [
      ready("one", "a"),
      ready("two", "b"),
      act("create a Service", (stage) => makeService(stage, {}, { annotations: auto })),
      // Identical pods, because upstream lends any of them.
      ...["1", "2", "3", "4"].map((n) => pod(`p${n}`, { ips: [`10.1.0.${n}`] })),
      act("delete the Service", (stage) => stage.remove("services", "web")),
      act("delete the nodes", async (stage) => {
        for (const name of ["one", "two"]) await stage.remove("nodes", ownName(stage, name));
      }),
    ],
  },
];

export const slices: readonly Script[] = [...meddling, ...byZones];
