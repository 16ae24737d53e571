import { describe, expect, test } from "bun:test";
import { Leases } from "../../../src/api/kinds.ts";
import { HeldLease, LeaseHeldError, type LeaseOptions } from "../../../src/controller/runtime/lease.ts";
import type { Clocks } from "../../../src/platform/timeline.ts";
import { StatusError } from "../../../src/api/status-error.ts";
import { virtualCluster, type VirtualCluster } from "../../support/virtual-cluster.ts";

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

/** Advances virtual time by `ms`, background work included. */
async function pass(cluster: VirtualCluster, ms: number): Promise<void> {
  await cluster.settle(new Promise<void>((resolve) => cluster.timeline.after(ms, "pass", resolve)), ms + 1);
}

/** A response that never arrives: rejects when the request is aborted. */
function unconfirmed(signal: AbortSignal | undefined): Promise<never> {
  return new Promise((_resolve, reject) => {
    signal?.addEventListener("abort", () => reject(signal.reason as Error));
  });
}

/** The Lease's holder, or undefined if there is no Lease. */
const holder = async (cluster: VirtualCluster): Promise<string | undefined> => {
  const { items } = await cluster.settle(cluster.clientFor("test").list(Leases, { namespace: at.namespace }));
  return items.find(({ metadata }) => metadata.name === at.name)?.spec?.holderIdentity;
};

describe("HeldLease", () => {
  test("is created, renewed every 5 seconds, and deleted at the end", async () => {
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
    expect(await holder(cluster)).toBeUndefined();
  });

  test("is released if it cannot be deleted", async () => {
    const cluster = await virtualCluster();
    const client = cluster.clientFor("first");
    const refusal = new StatusError(403, { reason: "Forbidden", message: "no right to delete leases" });
    const held = lease(cluster, "first", { client: { ...client, delete: () => Promise.reject(refusal) } });
    await cluster.settle(held.acquire());
    await cluster.settle(held.release());
    expect(await holder(cluster)).toBe("");
  });

  test("that another holder has taken is left alone at the end", async () => {
    const cluster = await virtualCluster();
    const held = lease(cluster, "first", { onLost: () => undefined });
    await cluster.settle(held.acquire());
    await cluster.settle(lease(cluster, "second", { force: true }).acquire());
    await cluster.settle(held.release());
    expect(await holder(cluster)).toBe("second");
  });

  test("that another holder renews is refused as soon as that is visible", async () => {
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

  test("without renewals is taken after 15 seconds", async () => {
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

  test("is not taken early if the wall clock is set forward meanwhile", async () => {
    const cluster = await virtualCluster();
    await cluster.settle(lease(cluster, "first").acquire());
    const { timeline } = cluster;
    let jump = 0;
    const jumping = { ...timeline, now: () => timeline.now() + jump };
    const second = lease(cluster, "second", { timeline: jumping, onWait: () => void (jump = 60_000) });
    const refused = await cluster.settle(second.acquire().catch((error: unknown) => error));
    expect(refused).toBeInstanceOf(LeaseHeldError);
  });

  test("of a process known to be dead, a released one, and a forced one are taken at once", async () => {
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

  test("is taken although the server responds neither to the first reads nor to the first write", async () => {
    const cluster = await virtualCluster();
    const real = cluster.clientFor("first");
    const requests: string[] = [];
    const get: typeof real.get = (kind, key, options) => {
      requests.push("read");
      return requests.length <= 2 ? unconfirmed(options?.signal) : real.get(kind, key, options);
    };
    // The write is carried out, but its response is lost.
    const create: typeof real.create = async (kind, object, options) => {
      requests.push("create");
      await real.create(kind, object, { renewsLease: true });
      return unconfirmed(options?.signal);
    };
    const held = lease(cluster, "first", { client: { ...real, get, create } });
    const done = held.acquire();
    await pass(cluster, 14_000);
    expect(held.isGood).toBe(false);
    await pass(cluster, 2000);
    await done;
    expect(requests).toEqual(["read", "read", "read", "create", "read"]);
    expect(held.isGood).toBe(true);
    expect(await holder(cluster)).toBe("first");
  });

  test("is an error if the server does not respond for 30 seconds", async () => {
    const cluster = await virtualCluster();
    const real = cluster.clientFor("first");
    const get: typeof real.get = (_kind, _key, options) => unconfirmed(options?.signal);
    const held = lease(cluster, "first", { client: { ...real, get } });
    const failedAt: number[] = [];
    const startedAt = cluster.timeline.now();
    const failed = held.acquire().catch((error: unknown) => {
      failedAt.push(cluster.timeline.now() - startedAt);
      return error;
    });
    await pass(cluster, 35_000);
    expect(String(await failed)).toBe("LeaseTimeoutError: the server did not respond within 5 s");
    expect(failedAt).toEqual([30_000]);
    expect(held.isGood).toBe(false);
  });

  test("is given up with the signal's reason while the server does not respond", async () => {
    const cluster = await virtualCluster();
    const real = cluster.clientFor("first");
    let reads = 0;
    const get: typeof real.get = (_kind, _key, options) => {
      reads++;
      return unconfirmed(options?.signal);
    };
    const stop = new AbortController();
    const failed = lease(cluster, "first", { client: { ...real, get } })
      .acquire(stop.signal)
      .catch((error: unknown) => error);
    await pass(cluster, 7000);
    stop.abort(new Error("stopped"));
    await pass(cluster, 4000);
    expect(String(await failed)).toBe("Error: stopped");
    expect(reads).toBe(2);
  });

  test("that another process creates between the read and the write is refused, and not taken from it", async () => {
    const cluster = await virtualCluster();
    const first = lease(cluster, "first");
    const real = cluster.clientFor("second");
    let creates = 0;
    const create: typeof real.create = async (kind, object, options) => {
      if (creates++ === 0) await first.acquire();
      return real.create(kind, object, options);
    };
    const second = lease(cluster, "second", { client: { ...real, create } });
    const refused = await cluster.settle(second.acquire().catch((error: unknown) => error));
    expect(creates).toBe(1);
    expect(refused).toBeInstanceOf(LeaseHeldError);
    await pass(cluster, 11_000);
    expect(await holder(cluster)).toBe("first");
    expect([first.isGood, second.isGood]).toEqual([true, false]);
  });

  test("that its holder deletes while another waits for it is taken soon", async () => {
    const cluster = await virtualCluster();
    const first = lease(cluster, "first");
    await cluster.settle(first.acquire());
    const second = lease(cluster, "second", { onWait: () => void first.release() });
    const startedAt = cluster.timeline.now();
    await cluster.settle(second.acquire());
    expect(cluster.timeline.now() - startedAt).toBeLessThan(2000);
    expect(await holder(cluster)).toBe("second");
  });

  test("that cannot be renewed is reported as late, and is still held when the server responds again", async () => {
    const cluster = await virtualCluster();
    const late: string[] = [];
    const real = cluster.clientFor("first");
    let down = false;
    const update: typeof real.update = (...args) =>
      down ? Promise.reject(new Error("connection refused")) : real.update(...args);
    const renewed: (number | undefined)[] = [];
    const held = lease(cluster, "first", {
      client: { ...real, update },
      onLate: (why) => late.push(why),
      onRenewed: (ms) => renewed.push(ms),
    });
    await cluster.settle(held.acquire());
    down = true;
    await pass(cluster, 40_500);
    expect(late).toEqual([
      "Lease kube-system/kubectl-reconcile-replicaset could not be renewed for 10 s: connection refused",
    ]);
    expect(held.isGood).toBe(false);
    down = false;
    await pass(cluster, 10_000);
    expect(held.isGood).toBe(true);
    const [afterMs, ...more] = renewed.filter((ms) => ms !== undefined);
    expect({ isSince: (afterMs ?? 0) > 40_000 && (afterMs ?? 0) < 45_000, more }).toEqual({ isSince: true, more: [] });
    const now = await cluster.settle(cluster.clientFor("test").get(Leases, at));
    expect(now.spec?.holderIdentity).toBe("first");
    expect(Date.parse(now.spec?.renewTime ?? "")).toBeGreaterThan(cluster.timeline.now() - 6000);
  });

  test("survives a change of its labels by others", async () => {
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

  test("that was deleted is re-created while no other can have taken it, and is lost after that", async () => {
    for (const { silentMs, lost } of [
      { silentMs: 0, lost: "" },
      {
        silentMs: 20_000,
        lost: "Lease kube-system/kubectl-reconcile-replicaset was taken by another, which has given it back",
      },
    ]) {
      const cluster = await virtualCluster();
      const real = cluster.clientFor("first");
      let down = false;
      const down503 = (): Promise<never> => Promise.reject(new Error("connection refused"));
      const client: typeof real = {
        ...real,
        update: (...args) => (down ? down503() : real.update(...args)),
        get: (...args) => (down ? down503() : real.get(...args)),
      };
      let reason = "";
      const held = lease(cluster, "first", { client, onLost: (why) => (reason = why) });
      await cluster.settle(held.acquire());
      down = true;
      if (silentMs > 0) await pass(cluster, silentMs);
      await cluster.settle(cluster.clientFor("user").delete(Leases, at));
      down = false;
      await pass(cluster, 8000);
      expect({ reason, holder: await holder(cluster) }).toEqual({
        reason: lost,
        holder: lost === "" ? "first" : undefined,
      });
    }
  });

  test("is invalid 15 seconds after the start of its last renewal, by either clock", async () => {
    for (const jump of [
      { wall: 15_000, steady: 0 },
      { wall: -3_600_000, steady: 15_000 },
    ]) {
      const cluster = await virtualCluster();
      let jumped = { wall: 0, steady: 0 };
      const clocks = (): Clocks => {
        const { wall, steady } = cluster.timeline.clocks();
        return { wall: wall + jumped.wall, steady: steady + jumped.steady };
      };
      const held = lease(cluster, "first", { timeline: { ...cluster.timeline, clocks } });
      await cluster.settle(held.acquire());
      jumped = { wall: Math.min(jump.wall, 14_000), steady: Math.min(jump.steady, 14_000) };
      expect(held.isGood).toBe(true);
      jumped = jump;
      expect(held.isGood).toBe(false);
      await pass(cluster, 6000);
      expect(held.isGood).toBe(true);
    }
  });
});
