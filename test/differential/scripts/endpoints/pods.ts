/** Changes of pods, and the resulting endpoints. */
import { EndpointSlices } from "../../../../src/api/kinds.ts";
import { ownName, type Stage } from "../../stage.ts";
import type { Script, Step } from "../../suite.ts";
import { endPod, makeNode, makePod, makeService, type PodParts, report, type Status } from "./acts.ts";

/** Whether all slices have both pods. If only the Endpoints controller runs, there are no slices. */
async function slicesHaveBoth(stage: Stage): Promise<boolean> {
  const slices = (await stage.list(EndpointSlices)) as unknown as readonly {
    readonly endpoints?: readonly object[];
  }[];
  return slices.every(({ endpoints = [] }) => endpoints.length === 2);
}

export const begin: Step = {
  name: "a Service and a node",
  async act(stage) {
    await makeNode(stage, "one", { zone: "a" });
    await makeService(stage);
  },
};

export const pod = (name: string, parts: PodParts = {}): Step => ({
  name: `pod ${name} ${JSON.stringify(parts)}`,
  act: (stage) => makePod(stage, name, parts),
});
const status = (name: string, to: Status): Step => ({
  name: `status of ${name}: ${JSON.stringify(to)}`,
  act: (stage) => report(stage, name, to),
});
const act = (name: string, does: (stage: Stage) => Promise<unknown>): Step => ({ name, act: does });
const remove = (name: string): Step => act(`${name} is deleted`, (stage) => stage.remove("pods", name));
const end = (name: string): Step => act(`${name} ends`, (stage) => endPod(stage, name));
const relabel = (name: string, labels: object): Step =>
  act(`labels of ${name}: ${JSON.stringify(labels)}`, (stage) => stage.patch("pods", name, { metadata: { labels } }));

export const pods: readonly Script[] = [
  {
    name: "a pod gets an address, gets ready, stops being ready, is deleted, ends",
    steps: [
      begin,
      pod("a"),
      status("a", { ips: ["10.1.0.1"], ready: false, at: 1 }),
      status("a", { ready: true, at: 2 }),
      status("a", { ready: false, at: 3 }),
      status("a", { ready: true, at: 4 }),
      remove("a"),
      status("a", { ready: false, at: 5 }),
      end("a"),
    ],
  },
  {
    name: "pods come and go beside others",
    steps: [
      begin,
      pod("a", { ips: ["10.1.0.1"] }),
      pod("b", { ips: ["10.1.0.2"], at: 2 }),
      pod("other", { ips: ["10.1.0.3"], labels: { app: "other" } }),
      remove("a"),
      end("a"),
      pod("a", { ips: ["10.1.0.4"], at: 3 }),
      remove("b"),
      end("b"),
      remove("a"),
      end("a"),
    ],
  },
  {
    name: "a pod that has ended has no endpoint",
    steps: [
      begin,
      pod("a", { ips: ["10.1.0.1"] }),
      pod("b", { ips: ["10.1.0.2"], at: 2 }),
      status("a", { ready: false, at: 3, phase: "Succeeded" }),
      status("b", { ready: false, at: 4, phase: "Failed" }),
    ],
  },
  {
    name: "labels bring a pod in and out",
    steps: [
      begin,
      pod("a", { ips: ["10.1.0.1"], labels: { app: "other" } }),
      relabel("a", { app: "web" }),
      relabel("a", { tier: "front" }),
      relabel("a", { app: null }),
    ],
  },
  {
    name: "a pod whose hostname is in the Service's zone",
    steps: [
      begin,
      pod("a", { ips: ["10.1.0.1"], spec: { hostname: "first", subdomain: "web" } }),
      pod("b", { ips: ["10.1.0.2"], at: 2, spec: { hostname: "second", subdomain: "other" } }),
      pod("c", { ips: ["10.1.0.3"], at: 3, spec: { subdomain: "web" } }),
    ],
  },
  {
    name: "a pod on a node that is not there",
    steps: [
      begin,
      pod("a", { ips: ["10.1.0.1"] }),
      pod("b", { ips: ["10.1.0.2"], at: 2, node: "absent" }),
      status("a", { ready: false, at: 3 }),
      {
        ...act("its node comes", (stage) => makeNode(stage, "absent", { zone: "b" })),
        // A sync that failed because the node was missing is retried after its back-off.
        until: slicesHaveBoth,
      },
      status("a", { ready: true, at: 4 }),
    ],
  },
  {
    name: "what is not ready is published where the Service says so",
    steps: [
      act("a Service and a node", async (stage) => {
        await makeNode(stage, "one");
        await makeService(stage, { publishNotReadyAddresses: true });
      }),
      pod("a", { ips: ["10.1.0.1"], ready: false }),
      pod("b", { ips: ["10.1.0.2"], node: "absent", at: 2, ready: false }),
      remove("a"),
      act("it no longer says so", (stage) =>
        stage.patch("services", "web", { spec: { publishNotReadyAddresses: false } }),
      ),
    ],
  },
  {
    name: "the zone of a node is that of its endpoints, when they are next written",
    steps: [
      begin,
      // Long enough that the Service is no longer synced because of the write to its slice.
      { ...pod("a", { ips: ["10.1.0.1"] }), waitMs: 1500 },
      act("the node moves", (stage) =>
        stage.patch("nodes", ownName(stage, "one"), { metadata: { labels: { "topology.kubernetes.io/zone": "b" } } }),
      ),
      pod("b", { ips: ["10.1.0.2"], at: 2 }),
    ],
  },
];
