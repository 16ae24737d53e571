/** A snapshot covers a part of a cluster: a dry run predicts nothing about the rest. */
import { describe, expect, test } from "bun:test";
import { ConfigMaps, Namespaces, Nodes, Pods } from "../../../src/api/kinds.ts";
import type { StoredObject } from "../../../src/api/object.ts";
import type { Node } from "../../../src/api/types.ts";
import type { DiscoveredKind } from "../../../src/client/api/discovery.ts";
import { builtInControllers } from "../../../src/controllers/index.ts";
import { initialStateFrom, simulatedNodes } from "../../../src/modes/dry-run/initial-state.ts";
import type { RequestedChange } from "../../../src/modes/dry-run/apply.ts";
import type { DryRun } from "../../../src/modes/dry-run/result.ts";
import { sandboxKinds, servedBySandbox } from "../../../src/modes/dry-run/kinds.ts";
import { type Snapshot, takeSnapshot } from "../../../src/modes/dry-run/snapshot.ts";
import { virtualCluster, type VirtualCluster, virtualStart } from "../../support/virtual-cluster.ts";
import { changesOf, play } from "./scene.ts";

const controllers = builtInControllers.filter(({ disabledByDefault }) => disabledByDefault !== true);
const servedKinds = await sandboxKinds();
const isServed = await servedBySandbox();

/** Creates a namespace that is being deleted, with a pod that a finalizer keeps. */
async function terminating(cluster: VirtualCluster, name: string): Promise<void> {
  const client = cluster.clientFor("you");
  const [node] = simulatedNodes(virtualStart, 1) as readonly Node[];
  const { name: nodeName = "", labels = {} } = node?.metadata ?? {};
  const made = await cluster.settle(client.create(Nodes, { metadata: { name: nodeName, labels } }));
  await cluster.settle(client.updateStatus(Nodes, { ...made, status: node?.status ?? {} }));
  await cluster.settle(client.create(Namespaces, { metadata: { name } }));
  const metadata = { namespace: name, name: "held", finalizers: ["a.b/c"] };
  const spec = { nodeName, containers: [{ name: "c", image: "i" }] };
  await cluster.settle(client.create(Pods, { metadata, spec }));
  await cluster.settle(client.delete(Pods, { namespace: name, name: "held" }));
  await cluster.settle(client.delete(Namespaces, { namespace: "", name }));
}

async function snapshotOf(
  cluster: VirtualCluster,
  namespaces: readonly string[],
  kinds: readonly DiscoveredKind[] = servedKinds,
): Promise<Snapshot> {
  const transport = cluster.sandbox.transport({ actor: "snapshot" });
  const taken = takeSnapshot({
    transport,
    kinds,
    unavailable: [],
    isServed,
    namespaces,
    alsoKinds: [],
    wholeSecrets: false,
  });
  return cluster.settle(taken);
}

function playOn(
  snapshot: Snapshot,
  namespaces: readonly string[],
  wishes: readonly RequestedChange[] = [],
): Promise<DryRun> {
  return play({
    initialState: initialStateFrom(snapshot, namespaces, virtualStart),
    requestedChanges: wishes,
    controllers,
  });
}

const noted = ({ groups, drift }: DryRun): readonly string[] => [
  ...changesOf({ groups: drift }),
  ...changesOf({ groups }),
];

/** A snapshot of the namespace `mine`, which contains an object of a kind that the sandbox does not serve. */
async function withWidget(
  cluster: VirtualCluster,
  { plural, verbs, toDelete = [] }: { plural: string; verbs: readonly string[]; toDelete?: readonly string[] },
): Promise<Snapshot> {
  const pods = servedKinds.find((kind) => kind.plural === "pods") as DiscoveredKind;
  const widgets = { ...pods, group: "example.com", plural, kind: "Widget", version: "v1", verbs };
  const transport = cluster.sandbox.transport({ actor: "snapshot" });
  const one = { metadata: { name: "w", namespace: "mine" } } as StoredObject;
  const withWidgets: typeof transport = {
    async send(request) {
      if (!request.path.includes(`/${plural}`) || !request.path.includes("example.com")) return transport.send(request);
      const text = JSON.stringify({ kind: "WidgetList", metadata: { resourceVersion: "1" }, items: [one] });
      let left: Uint8Array | undefined = new TextEncoder().encode(text);
      const next = (): Promise<Uint8Array | undefined> => {
        const piece = left;
        left = undefined;
        return Promise.resolve(piece);
      };
      return { status: 200, header: () => undefined, body: { next, cancel: () => undefined } };
    },
  };
  const taken = takeSnapshot({
    transport: withWidgets,
    kinds: [...servedKinds, widgets],
    unavailable: [],
    isServed,
    namespaces: ["mine"],
    toDelete,
    alsoKinds: [],
    wholeSecrets: false,
  });
  return cluster.settle(taken);
}

const everyVerb = ["create", "delete", "deletecollection", "get", "list", "watch"];

describe("a dry-run over a snapshot", () => {
  test("predicts nothing about other namespaces", async () => {
    const cluster = await virtualCluster();
    await terminating(cluster, "elsewhere");
    const run = await playOn(await snapshotOf(cluster, ["default"]), ["default"]);
    expect(noted(run)).toEqual([]);
    expect([...run.state.values()].map(({ of, key }) => `${of.kind} ${key}`)).toEqual(
      expect.arrayContaining(["Namespace elsewhere", "Pod elsewhere/held"]),
    );
  });

  test("keeps objects with finalizers in its own namespaces, and their namespace", async () => {
    const cluster = await virtualCluster();
    await terminating(cluster, "mine");
    const run = await playOn(await snapshotOf(cluster, ["mine"]), ["mine"]);
    expect(noted(run).filter((line) => line.startsWith("-"))).toEqual([]);
    expect(run.state.has("/Pod mine/held")).toBe(true);
    expect(run.state.has("/Namespace mine")).toBe(true);
  });

  test("does not judge the end of a namespace that contains unknown kinds", async () => {
    const cluster = await virtualCluster();
    const client = cluster.clientFor("you");
    await cluster.settle(client.create(Namespaces, { metadata: { name: "mine" } }));
    await cluster.settle(client.delete(Namespaces, { namespace: "", name: "mine" }));
    const snapshot = await withWidget(cluster, { plural: "widgets", verbs: everyVerb });
    expect([...snapshot.held]).toEqual([["mine", "it contains widgets.example.com, which no controller here handles"]]);
    const run = await playOn(snapshot, ["mine"]);
    expect(noted(run).filter((line) => line.includes("Namespace"))).toEqual([]);
    // It is not the change that deletes it.
    expect(run.held).toEqual([]);
    const known = await playOn({ ...snapshot, held: new Map() }, ["mine"]);
    expect(changesOf({ groups: known.drift })).toContain("- Namespace mine");
  });

  const goes: RequestedChange = { is: "delete", kind: Namespaces, namespace: "", name: "mine" };

  test("deletes a namespace with its contents, and leaves out kinds that cannot be deleted, such as metrics", async () => {
    const cluster = await virtualCluster();
    const client = cluster.clientFor("you");
    await cluster.settle(client.create(Namespaces, { metadata: { name: "mine" } }));
    await cluster.settle(client.create(ConfigMaps, { metadata: { name: "c", namespace: "mine" } }));
    const metrics = { plural: "podmetrics", verbs: ["get", "list"], toDelete: ["mine"] };
    const snapshot = await withWidget(cluster, metrics);
    expect([...snapshot.held]).toEqual([]);
    const run = await playOn(snapshot, ["mine"], [goes]);
    expect(noted(run)).toEqual(expect.arrayContaining(["- Namespace mine", "- ConfigMap mine/c"]));
    expect(run.held).toEqual([]);
  });

  test("cannot tell what goes with a namespace that contains unknown kinds", async () => {
    const cluster = await virtualCluster();
    await cluster.settle(cluster.clientFor("you").create(Namespaces, { metadata: { name: "mine" } }));
    const snapshot = await withWidget(cluster, { plural: "widgets", verbs: everyVerb, toDelete: ["mine"] });
    const run = await playOn(snapshot, ["mine"], [goes]);
    const why = "it contains widgets.example.com, which no controller here handles";
    expect(run.held).toEqual([{ what: "Namespace mine", why, isDecisive: true }]);
  });
});
