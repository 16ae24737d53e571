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
    name: "a slice that was changed is mended",
    steps: [begin, pod("a", { ips: ["10.1.0.1"] }), toSlice("it loses its endpoints", { endpoints: [] })],
  },
  {
    name: "a slice whose labels were changed is mended",
    steps: [
      begin,
      pod("a", { ips: ["10.1.0.1"] }),
      toSlice("another label", { metadata: { labels: { team: "red" } } }),
    ],
  },
  {
    name: "a slice that was deleted comes again",
    steps: [
      begin,
      pod("a", { ips: ["10.1.0.1"] }),
      { ...act("it is deleted", async (stage) => stage.remove(EndpointSlices, await sliceName(stage))), ...later },
    ],
  },
  {
    name: "a slice that others keep is left alone, and one is made in its place",
    steps: [
      begin,
      pod("a", { ips: ["10.1.0.1"] }),
      toSlice("it is taken", { metadata: { labels: { [managedBy]: "me" } } }),
      pod("b", { ips: ["10.1.0.2"], at: 2 }),
      {
        name: "it is given back",
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
    name: "a slice goes over to another Service",
    steps: [
      begin,
      act("another Service", (stage) => makeService(stage, { selector: { app: "other" } }, { name: "other" })),
      pod("a", { ips: ["10.1.0.1"] }),
      {
        name: "it goes over",
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
  act(`node ${name}, ready, in zone ${zone}`, (stage) => makeNode(stage, name, { zone, ready: true, cpu: "4" }));

/** All ready nodes are counted: each script removes its nodes before the next one runs. */
const byZones: readonly Script[] = [
  {
    name: "hints by zones' shares",
    alone: true,
    steps: [
      ready("one", "a"),
      ready("two", "b"),
      act("a Service", (stage) => makeService(stage, {}, { annotations: auto })),
      pod("a", { ips: ["10.1.0.1"] }),
      pod("b", { ips: ["10.1.0.2"], at: 2, node: "two" }),
      pod("c", { ips: ["10.1.0.3"], at: 3 }),
      pod("d", { ips: ["10.1.0.4"], at: 4, node: "two" }),
      pod("e", { ips: ["10.1.0.5"], at: 5, ready: false }),
      act("another mode", (stage) =>
        patchService(stage, {}, { annotations: { "service.kubernetes.io/topology-mode": "Disabled" } }),
      ),
      act("as before", (stage) => patchService(stage, {}, { annotations: auto })),
      act("the annotation goes", (stage) =>
        patchService(
          stage,
          { trafficDistribution: "PreferClose" },
          { annotations: { "service.kubernetes.io/topology-mode": null } },
        ),
      ),
      act("the Service goes", (stage) => stage.remove("services", "web")),
      act("the nodes go", async (stage) => {
        for (const name of ["one", "two"]) await stage.remove("nodes", ownName(stage, name));
      }),
    ],
  },
  {
    name: "a zone lends endpoints to another",
    alone: true,
    steps: [
      ready("one", "a"),
      ready("two", "b"),
      act("a Service", (stage) => makeService(stage, {}, { annotations: auto })),
      // Identical pods, because upstream lends any of them.
      ...["1", "2", "3", "4"].map((n) => pod(`p${n}`, { ips: [`10.1.0.${n}`] })),
      act("the Service goes", (stage) => stage.remove("services", "web")),
      act("the nodes go", async (stage) => {
        for (const name of ["one", "two"]) await stage.remove("nodes", ownName(stage, name));
      }),
    ],
  },
];

export const slices: readonly Script[] = [...meddling, ...byZones];
