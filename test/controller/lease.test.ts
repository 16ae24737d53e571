import { describe, expect, test } from "bun:test";
import { Leases } from "../../src/api/kind.ts";
import { HeldLease, LeaseHeldError, type LeaseOptions } from "../../src/controller/lease.ts";
import { virtualCluster, type VirtualCluster } from "../support/virtual-cluster.ts";

const at = { namespace: "kube-system", name: "kubectl-reconcile-replicaset" };

function lease(cluster: VirtualCluster, identity: string, rest: Partial<LeaseOptions> = {}): HeldLease {
  return new HeldLease({
    ...at,
    client: cluster.clientFor(identity),
    timeline: cluster.timeline,
    labels: { "app.kubernetes.io/managed-by": "kubectl-reconcile" },
    identity,
    isDead: () => false,
    force: false,
    onLost: (why) => {
      throw new Error(`lost: ${why}`);
    },
    ...rest,
  });
}

/** Lets `ms` of virtual time go by, background work included. */
async function pass(cluster: VirtualCluster, ms: number): Promise<void> {
  await cluster.settle(new Promise<void>((resolve) => cluster.timeline.after(ms, "pass", resolve)), ms + 1);
}

const holder = async (cluster: VirtualCluster): Promise<string | undefined> =>
  (await cluster.settle(cluster.clientFor("test").get(Leases, at))).spec?.holderIdentity;

describe("HeldLease", () => {
  test("is created, renewed every 5 seconds, and given back", async () => {
    const cluster = await virtualCluster();
    const held = lease(cluster, "first");
    await cluster.settle(held.acquire());
    const before = await cluster.settle(cluster.clientFor("test").get(Leases, at));
    expect(before.metadata.labels).toEqual({ "app.kubernetes.io/managed-by": "kubectl-reconcile" });
    expect(before.spec).toMatchObject({ holderIdentity: "first", leaseDurationSeconds: 15, leaseTransitions: 0 });
    await pass(cluster, 11_000);
    const renewals = cluster.events("write").filter(({ verb }) => verb === "update");
    expect(renewals.length).toBe(2);
    await cluster.settle(held.release());
    expect(await holder(cluster)).toBe("");
  });

  test("that another renews is refused, as soon as that shows", async () => {
    const cluster = await virtualCluster();
    await cluster.settle(lease(cluster, "first").acquire());
    const waited: string[] = [];
    const second = lease(cluster, "second", { onWait: (holder) => waited.push(holder) });
    const startedAt = cluster.timeline.now();
    const refused = await cluster.settle(second.acquire().catch((error: unknown) => error));
    expect(refused).toBeInstanceOf(LeaseHeldError);
    expect(String(refused)).toContain("is held by first, which renews it");
    expect(waited).toEqual(["first"]);
    expect(cluster.timeline.now() - startedAt).toBeLessThan(7000);
  });

  test("that nobody renews any more is taken after 15 seconds", async () => {
    const cluster = await virtualCluster();
    const dead = {
      metadata: at,
      spec: { holderIdentity: "gone", leaseDurationSeconds: 15, renewTime: "2026-01-01T00:00:00.000000Z" },
    };
    await cluster.settle(cluster.clientFor("gone").create(Leases, dead));
    const startedAt = cluster.timeline.now();
    const held = lease(cluster, "second");
    await cluster.settle(held.acquire());
    expect(cluster.timeline.now() - startedAt).toBeGreaterThanOrEqual(15_000);
    expect(await holder(cluster)).toBe("second");
  });

  test("of a process that is known to be dead, one that was given back, and a forced one are taken at once", async () => {
    const cluster = await virtualCluster();
    const spec = { holderIdentity: "gone", leaseDurationSeconds: 15, renewTime: "2026-01-01T00:00:00.000000Z" };
    await cluster.settle(cluster.clientFor("gone").create(Leases, { metadata: at, spec }));
    const startedAt = cluster.timeline.now();
    const second = lease(cluster, "second", { isDead: (identity) => identity === "gone" });
    await cluster.settle(second.acquire());
    await cluster.settle(second.release());
    let lost = "";
    const third = lease(cluster, "third", { onLost: (why) => (lost = why) });
    await cluster.settle(third.acquire());
    await cluster.settle(lease(cluster, "fourth", { force: true }).acquire());
    expect(cluster.timeline.now() - startedAt).toBeLessThan(100);
    expect(await holder(cluster)).toBe("fourth");
    await pass(cluster, 6000);
    expect(lost).toBe("Lease kube-system/kubectl-reconcile-replicaset was taken by fourth");
  });

  test("that cannot be renewed is still held when the server answers again, and said to be late meanwhile", async () => {
    const cluster = await virtualCluster();
    const late: string[] = [];
    const real = cluster.clientFor("first");
    let down = false;
    const update: typeof real.update = (...args) =>
      down ? Promise.reject(new Error("connection refused")) : real.update(...args);
    const held = lease(cluster, "first", { client: { ...real, update }, onLate: (why) => late.push(why) });
    await cluster.settle(held.acquire());
    down = true;
    await pass(cluster, 40_000);
    expect(late).toEqual([
      "Lease kube-system/kubectl-reconcile-replicaset could not be renewed for 10 s: connection refused",
    ]);
    down = false;
    await pass(cluster, 10_000);
    const now = await cluster.settle(cluster.clientFor("test").get(Leases, at));
    expect(now.spec?.holderIdentity).toBe("first");
    expect(Date.parse(now.spec?.renewTime ?? "")).toBeGreaterThan(cluster.timeline.now() - 6000);
  });

  test("survives somebody else's change of its labels", async () => {
    const cluster = await virtualCluster();
    await cluster.settle(lease(cluster, "first").acquire());
    await cluster.settle(
      cluster.clientFor("user").patch(Leases, at, { type: "merge", body: { metadata: { labels: { a: "b" } } } }),
    );
    await pass(cluster, 12_000);
    const now = await cluster.settle(cluster.clientFor("test").get(Leases, at));
    expect(now.spec?.holderIdentity).toBe("first");
    expect(now.spec?.renewTime).not.toBe(now.spec?.acquireTime as string);
  });
});
