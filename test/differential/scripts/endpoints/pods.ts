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
  name: "create a Service and a node",
  async act(stage) {
    await makeNode(stage, "one", { zone: "a" });
    await makeService(stage);
  },
};

export const pod = (name: string, parts: PodParts = {}): Step => ({
  name: `create pod ${name} with ${JSON.stringify(parts)}`,
  act: (stage) => makePod(stage, name, parts),
});
const status = (name: string, to: Status): Step => ({
  name: `set the status of ${name} to ${JSON.stringify(to)}`,
  act: (stage) => report(stage, name, to),
});
const act = (name: string, does: (stage: Stage) => Promise<unknown>): Step => ({ name, act: does });
const remove = (name: string): Step => act(`delete ${name}`, (stage) => stage.remove("pods", name));
const end = (name: string): Step => act(`remove ${name}`, (stage) => endPod(stage, name));
const relabel = (name: string, labels: object): Step =>
  act(`set the labels of ${name} to ${JSON.stringify(labels)}`, (stage) =>
    stage.patch("pods", name, { metadata: { labels } }),
  );

export const pods: readonly Script[] = [
  {
    name: "a pod gets an address, becomes ready, becomes unready, is deleted and removed",
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
    name: "pods are created and deleted while others stay",
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
    name: "a finished pod has no endpoint",
    steps: [
      begin,
      pod("a", { ips: ["10.1.0.1"] }),
      pod("b", { ips: ["10.1.0.2"], at: 2 }),
      status("a", { ready: false, at: 3, phase: "Succeeded" }),
      status("b", { ready: false, at: 4, phase: "Failed" }),
    ],
  },
  {
    name: "a pod is selected and deselected by its labels",
    steps: [
      begin,
      pod("a", { ips: ["10.1.0.1"], labels: { app: "other" } }),
      relabel("a", { app: "web" }),
      relabel("a", { tier: "front" }),
      relabel("a", { app: null }),
    ],
  },
  {
    name: "a pod with a hostname and the Service's name as its subdomain",
    steps: [
      begin,
      pod("a", { ips: ["10.1.0.1"], spec: { hostname: "first", subdomain: "web" } }),
      pod("b", { ips: ["10.1.0.2"], at: 2, spec: { hostname: "second", subdomain: "other" } }),
      pod("c", { ips: ["10.1.0.3"], at: 3, spec: { subdomain: "web" } }),
    ],
  },
  {
    name: "a pod on a node that does not exist",
    steps: [
      begin,
      pod("a", { ips: ["10.1.0.1"] }),
      pod("b", { ips: ["10.1.0.2"], at: 2, node: "absent" }),
      status("a", { ready: false, at: 3 }),
      {
        ...act("create the node", (stage) => makeNode(stage, "absent", { zone: "b" })),
        // A sync that failed because the node was missing is retried after its back-off.
        until: slicesHaveBoth,
      },
      status("a", { ready: true, at: 4 }),
    ],
  },
  {
    name: "publishNotReadyAddresses publishes addresses of pods that are not ready",
    steps: [
      act("create a Service and a node", async (stage) => {
        await makeNode(stage, "one");
        await makeService(stage, { publishNotReadyAddresses: true });
      }),
      pod("a", { ips: ["10.1.0.1"], ready: false }),
      pod("b", { ips: ["10.1.0.2"], node: "absent", at: 2, ready: false }),
      remove("a"),
      act("set publishNotReadyAddresses to false", (stage) =>
        stage.patch("services", "web", { spec: { publishNotReadyAddresses: false } }),
      ),
    ],
  },
  {
    name: "a changed zone of a node reaches its endpoints with their next write",
    steps: [
      begin,
      // Long enough that the Service is no longer synced because of the write to its slice.
      { ...pod("a", { ips: ["10.1.0.1"] }), waitMs: 1500 },
      act("change the zone of the node", (stage) =>
        stage.patch("nodes", ownName(stage, "one"), { metadata: { labels: { "topology.kubernetes.io/zone": "b" } } }),
      ),
      pod("b", { ips: ["10.1.0.2"], at: 2 }),
    ],
  },
];
