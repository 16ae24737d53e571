import { describe, expect, test } from "bun:test";
import { PersistentVolumeClaims, Pods } from "../../../src/api/kinds.ts";
import type { StoredObject } from "../../../src/api/object.ts";
import type { ApiRequest, Transport } from "../../../src/api/transport.ts";
import { discover } from "../../../src/client/api/discovery.ts";
import { servedBySandbox } from "../../../src/modes/dry-run/kinds.ts";
import { type Snapshot, type SnapshotOptions, takeSnapshot } from "../../../src/modes/dry-run/snapshot.ts";
import { virtualCluster, type VirtualCluster } from "../../support/virtual-cluster.ts";

const isServed = await servedBySandbox();

/** A cluster with a pod that has the owner `owner`. */
async function withPod(owner: {
  readonly apiVersion: string;
  readonly kind: string;
  readonly name: string;
}): Promise<VirtualCluster> {
  const cluster = await virtualCluster();
  const spec = { containers: [{ name: "c", image: "i" }] };
  const metadata = { namespace: "default", name: "p", ownerReferences: [{ ...owner, uid: "owner-uid" }] };
  await cluster.settle(cluster.clientFor("you").create(Pods, { metadata, spec }));
  return cluster;
}

interface Seen {
  readonly snapshot: Snapshot;
  readonly requests: readonly ApiRequest[];
}

/** Takes a snapshot through a transport that forbids some paths. */
async function seenThrough(
  cluster: VirtualCluster,
  forbidden: RegExp,
  { unavailable = [], toDelete = [] }: Partial<Pick<SnapshotOptions, "unavailable" | "toDelete">> = {},
): Promise<Seen> {
  const requests: ApiRequest[] = [];
  const inner = cluster.sandbox.transport({ actor: "snapshot" });
  const transport: Transport = {
    async send(request) {
      requests.push(request);
      if (!forbidden.test(request.path)) return inner.send(request);
      const status = { kind: "Status", status: "Failure", reason: "Forbidden", code: 403, message: "forbidden" };
      let left: Uint8Array | undefined = new TextEncoder().encode(JSON.stringify(status));
      const next = (): Promise<Uint8Array | undefined> => {
        const piece = left;
        left = undefined;
        return Promise.resolve(piece);
      };
      return { status: 403, header: () => undefined, body: { next, cancel: () => undefined } };
    },
  };
  const { kinds } = await cluster.settle(discover(cluster.clientFor("discovery")));
  const taken = takeSnapshot({
    transport,
    kinds,
    unavailable,
    toDelete,
    isServed,
    namespaces: ["default"],
    alsoKinds: [],
    wholeSecrets: false,
  });
  return { snapshot: await cluster.settle(taken), requests };
}

const named = ({ objects }: Snapshot): readonly string[] =>
  objects.map(({ kind, metadata }: StoredObject) => `${kind} ${metadata.name}`);

describe("takeSnapshot", () => {
  test("requests every list after the first at the revision of the first", async () => {
    const { snapshot, requests } = await seenThrough(await withPod({ apiVersion: "v1", kind: "Pod", name: "x" }), /^$/);
    const [first, ...others] = requests.filter(({ path }) => !/\/(pods|nodes)\/[^/]+$/.test(path));
    expect(first?.path).toBe("/api/v1/namespaces");
    expect(others.length).toBeGreaterThan(20);
    for (const { query = [] } of others) {
      expect(query).toContainEqual(["resourceVersion", String(snapshot.revision)]);
      expect(query).toContainEqual(["resourceVersionMatch", "Exact"]);
    }
    expect(new Set(requests.map(({ method }) => method))).toEqual(new Set(["GET"]));
  });

  test("reads only the metadata of Secrets", async () => {
    const { requests } = await seenThrough(await virtualCluster(), /^$/);
    const secrets = requests.filter(({ path }) => path.endsWith("/secrets"));
    expect(secrets.map(({ headers }) => headers?.["accept"])).toEqual([
      "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1",
    ]);
  });

  test("reads volumes only if a claim of the namespace waits for one", async () => {
    const cluster = await virtualCluster();
    const volumesRead = async (): Promise<readonly boolean[]> => {
      const { snapshot, requests } = await seenThrough(cluster, /^$/);
      const isRead = requests.some(({ path }) => path === "/api/v1/persistentvolumes");
      return [isRead, !snapshot.unread.some(({ plural }) => plural === "persistentvolumes")];
    };
    expect(await volumesRead()).toEqual([false, false]);
    const spec = { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } };
    const claim = { metadata: { namespace: "default", name: "data" }, spec };
    await cluster.settle(cluster.clientFor("you").create(PersistentVolumeClaims, claim));
    expect(await volumesRead()).toEqual([true, true]);
  });

  test("a namespace to be deleted is held while the kinds of a group cannot be listed", async () => {
    const unavailable = [{ groupVersion: "metrics.k8s.io/v1beta1", error: new Error("503") }];
    const toDelete = ["default"];
    const { snapshot } = await seenThrough(await virtualCluster(), /^$/, { unavailable, toDelete });
    expect([...snapshot.held]).toEqual([
      ["default", "the server cannot list the kinds of metrics.k8s.io/v1beta1, and the namespace stays until it can"],
    ]);
    expect((await seenThrough(await virtualCluster(), /^$/, { unavailable })).snapshot.held.size).toBe(0);
    expect((await seenThrough(await virtualCluster(), /^$/, { toDelete })).snapshot.held.size).toBe(0);
  });

  test("omits an owner that does not exist", async () => {
    const { snapshot } = await seenThrough(
      await withPod({ apiVersion: "apps/v1", kind: "ReplicaSet", name: "gone" }),
      /^$/,
    );
    expect(named(snapshot)).toContain("Pod p");
    expect([named(snapshot).includes("ReplicaSet gone"), snapshot.unknownOwners]).toEqual([false, []]);
  });

  test("assumes that an owner exists if it cannot be read", async () => {
    const cluster = await withPod({ apiVersion: "batch/v1", kind: "Job", name: "hidden" });
    const { snapshot } = await seenThrough(cluster, /\/jobs(\/|$)/);
    expect(named(snapshot)).toContain("Job hidden");
    expect(snapshot.unknownOwners).toMatchObject([{ owner: { name: "hidden" }, why: "forbidden" }]);
    expect(snapshot.unreadable.map(({ kind }) => kind.plural)).toEqual(["jobs"]);
  });

  test("continues without the list of namespaces", async () => {
    const { snapshot } = await seenThrough(await virtualCluster(), /^\/api\/v1\/namespaces$/);
    expect(named(snapshot).filter((name) => name.startsWith("Namespace"))).toEqual(["Namespace default"]);
  });
});
