import { describe, expect, test } from "bun:test";
import { Leases } from "../../../src/api/kinds.ts";
import { StatusError } from "../../../src/api/status-error.ts";
import type { Client } from "../../../src/client/api/verbs.ts";
import { defaultTiming, Election, type ElectionOptions } from "../../../src/controller/runtime/election.ts";
import { seededRandom } from "../../../src/platform/random.ts";
import { virtualCluster, type VirtualCluster } from "../../support/virtual-cluster.ts";

const at = { namespace: "kube-system", name: "leader" };
const never = new AbortController().signal;

function candidate(cluster: VirtualCluster, identity: string, rest: Partial<ElectionOptions> = {}): Election {
  return new Election({
    ...at,
    ...defaultTiming,
    client: cluster.clientFor(identity),
    timeline: cluster.timeline,
    random: seededRandom(identity.length),
    identity,
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

const leaseOf = (cluster: VirtualCluster) => cluster.settle(cluster.clientFor("test").get(Leases, at));

/** A client whose requests fail while `isDown`. */
function failing(client: Client, isDown: () => boolean): Client {
  const down = (): Promise<never> => Promise.reject(new Error("connection refused"));
  return {
    ...client,
    get: (...args) => (isDown() ? down() : client.get(...args)),
    create: (...args) => (isDown() ? down() : client.create(...args)),
    update: (...args) => (isDown() ? down() : client.update(...args)),
  };
}

describe("Election", () => {
  test("elects the first candidate, which renews its term every two seconds", async () => {
    const cluster = await virtualCluster();
    const first = candidate(cluster, "first");
    expect(first.isGood).toBe(false);
    await cluster.settle(first.won(never));
    expect(first.isGood).toBe(true);
    const { spec } = await leaseOf(cluster);
    expect(spec).toMatchObject({ holderIdentity: "first", leaseDurationSeconds: 15, leaseTransitions: 0 });
    expect(spec?.acquireTime).toBe(spec?.renewTime as string);
    await pass(cluster, 11_000);
    expect(cluster.events("write").filter(({ verb }) => verb === "update").length).toBe(5);
    const later = (await leaseOf(cluster)).spec;
    expect(later?.acquireTime).toBe(spec?.acquireTime as string);
    expect(later?.renewTime).not.toBe(spec?.renewTime as string);
    await cluster.settle(first.resign());
    expect(first.isGood).toBe(false);
    const resigned = (await leaseOf(cluster)).spec;
    expect(resigned).toMatchObject({ holderIdentity: "", leaseDurationSeconds: 1, leaseTransitions: 0 });
  });

  test("lets a second candidate wait, reports the leader to it, and elects it soon after the first resigns", async () => {
    const cluster = await virtualCluster();
    const first = candidate(cluster, "first");
    await cluster.settle(first.won(never));
    const others: string[] = [];
    const second = candidate(cluster, "second", { onOther: (leader) => others.push(leader) });
    const won = second.won(never);
    await pass(cluster, 60_000);
    expect([others, second.isGood, first.isGood]).toEqual([["first"], false, true]);
    const startedAt = cluster.timeline.now();
    await cluster.settle(first.resign());
    await cluster.settle(won);
    expect(cluster.timeline.now() - startedAt).toBeLessThan(4500);
    expect((await leaseOf(cluster)).spec).toMatchObject({ holderIdentity: "second", leaseTransitions: 1 });
    await cluster.settle(second.resign());
  });

  test("ends the term of a leader that cannot renew after 10 s, and elects another after 15 s: never two at once", async () => {
    const cluster = await virtualCluster();
    let isDown = false;
    const [lost, trouble]: [string[], string[]] = [[], []];
    const first = candidate(cluster, "first", {
      client: failing(cluster.clientFor("first"), () => isDown),
      onLost: (why) => lost.push(why),
      onTrouble: (why) => trouble.push(why),
    });
    await cluster.settle(first.won(never));
    const second = candidate(cluster, "second");
    const won = second.won(never);
    await pass(cluster, 20_000);
    isDown = true;
    const [ends, begins]: [number[], number[]] = [[], []];
    for (let ms = 0; ms < 30_000; ms += 100) {
      await pass(cluster, 100);
      expect(first.isGood && second.isGood).toBe(false);
      if (!first.isGood) ends.push(ms);
      if (second.isGood) begins.push(ms);
    }
    await cluster.settle(won);
    expect(lost).toEqual(["Lease kube-system/leader could not be renewed for 10 s: connection refused"]);
    expect(trouble).toEqual(["connection refused"]);
    expect(ends[0]).toBeGreaterThan(7000);
    expect(ends[0]).toBeLessThan(10_100);
    expect(begins[0]).toBeGreaterThan(12_000);
    expect(begins[0]).toBeLessThan(20_000);
    await cluster.settle(second.resign());
  });

  test("survives a short failure", async () => {
    const cluster = await virtualCluster();
    let isDown = false;
    const first = candidate(cluster, "first", { client: failing(cluster.clientFor("first"), () => isDown) });
    await cluster.settle(first.won(never));
    isDown = true;
    await pass(cluster, 8000);
    isDown = false;
    await pass(cluster, 20_000);
    expect(first.isGood).toBe(true);
    await cluster.settle(first.resign());
  });

  test("ends at once for a leader that sees another holder, and leaves the Lease alone", async () => {
    const cluster = await virtualCluster();
    const lost: string[] = [];
    const first = candidate(cluster, "first", { onLost: (why) => lost.push(why) });
    await cluster.settle(first.won(never));
    const lease = await leaseOf(cluster);
    const taken = { ...lease, spec: { ...lease.spec, holderIdentity: "usurper" } };
    await cluster.settle(cluster.clientFor("usurper").update(Leases, taken));
    await pass(cluster, 2100);
    expect(lost).toEqual(["Lease kube-system/leader was taken by usurper"]);
    expect(first.isGood).toBe(false);
    await cluster.settle(first.resign());
    expect((await leaseOf(cluster)).spec?.holderIdentity).toBe("usurper");
  });

  test("survives the deletion or labelling of the Lease by others", async () => {
    const cluster = await virtualCluster();
    const first = candidate(cluster, "first");
    await cluster.settle(first.won(never));
    const acquired = (await leaseOf(cluster)).spec?.acquireTime ?? "";
    await cluster.settle(cluster.clientFor("test").delete(Leases, at, {}));
    await pass(cluster, 4100);
    expect((await leaseOf(cluster)).spec).toMatchObject({ holderIdentity: "first", acquireTime: acquired });
    const labels = { metadata: { labels: { by: "hand" } } };
    await cluster.settle(cluster.clientFor("test").patch(Leases, at, { type: "merge", body: labels }));
    await pass(cluster, 20_000);
    expect(first.isGood).toBe(true);
    expect((await leaseOf(cluster)).metadata.labels).toEqual({ by: "hand" });
    await cluster.settle(first.resign());
  });

  test("fails if a permission is missing; an interrupted candidate stops waiting", async () => {
    const cluster = await virtualCluster();
    const client = cluster.clientFor("first");
    const refusal = new StatusError(403, { reason: "Forbidden", message: "no right to get leases" });
    const unable = candidate(cluster, "first", { client: { ...client, get: () => Promise.reject(refusal) } });
    expect(await cluster.settle(unable.won(never).catch((error: unknown) => error))).toBe(refusal);
    const leader = candidate(cluster, "leader");
    await cluster.settle(leader.won(never));
    const interrupt = new AbortController();
    const waiting = candidate(cluster, "second").won(interrupt.signal);
    const ended = waiting.catch((error: unknown) => error);
    await pass(cluster, 3000);
    interrupt.abort(new Error("Ctrl-C"));
    expect(String(await cluster.settle(ended))).toBe("Error: Ctrl-C");
    await cluster.settle(leader.resign());
  });

  test.each([1, 2, 3, 4, 5, 6, 7, 8])(
    "three candidates whose requests fail at random never lead together: seed %d",
    async (seed) => {
      const cluster = await virtualCluster();
      const random = seededRandom(seed);
      const names = ["a", "b", "c"];
      const down = new Set<string>();
      let terms = 0;
      const elections = new Map<string, Election>();
      const stand = (name: string): void => {
        const election = candidate(cluster, `${name}-${terms++}`, {
          client: failing(cluster.clientFor(name), () => down.has(name)),
          random,
          onLost: () => stand(name),
        });
        elections.set(name, election);
        void election.won(never);
      };
      for (const name of names) stand(name);
      let [led, changes, before] = [0, 0, ""];
      for (let step = 0; step < 3000; step++) {
        await pass(cluster, 200);
        const good = names.filter((name) => elections.get(name)?.isGood === true);
        expect(good.length).toBeLessThan(2);
        led += good.length;
        const [now = before] = good;
        if (now !== before) changes++;
        before = now;
        if (random.next() < 0.02) {
          const name = names[Math.floor(random.next() * names.length)] ?? "a";
          if (!down.delete(name)) down.add(name);
        }
      }
      expect(led).toBeGreaterThan(300);
      expect(changes).toBeGreaterThan(3);
    },
  );
});
