import { describe, expect, test } from "bun:test";
import { formatTime } from "../../../src/api/time.ts";
import type { Lease, Node, NodeCondition } from "../../../src/api/types.ts";
import { type Health, isSilentTooLong, observe } from "../../../src/controllers/node-lifecycle/health.ts";
import { labelsToSet } from "../../../src/controllers/node-lifecycle/labels.ts";
import { defaultOptions } from "../../../src/controllers/node-lifecycle/options.ts";
import { Tainter } from "../../../src/controllers/node-lifecycle/tainter.ts";
import { scheduleTaintChanges } from "../../../src/controllers/node-lifecycle/taints.ts";
import { unknownConditions } from "../../../src/controllers/node-lifecycle/unknown-conditions.ts";
import { countsForDisruption, rateIn, zoneOf, zoneStateOf } from "../../../src/controllers/node-lifecycle/zone.ts";
import { storedNode, type StoredNodeParts } from "../../support/stored-nodes.ts";
import { sceneStart } from "../../support/sync-context.ts";

const second = 1000;
const at = (seconds: number): number => sceneStart + seconds * second;

describe("a node has reported", () => {
  const reported = (seconds: number, ready: "True" | "False" = "True"): Node =>
    storedNode("node-1", { ready, reportedAt: at(seconds) });
  const mute = storedNode("node-1", { ready: undefined });
  const leaseAt = (seconds: number): Lease => ({
    metadata: reported(0).metadata,
    spec: { renewTime: formatTime(at(seconds)) },
  });
  const first = observe(undefined, { node: reported(0), lease: leaseAt(0), now: at(1) });
  const heartbeat = (health: Health): number => (health.heartbeatAt - sceneStart) / second;

  test("when it is first seen, whatever its status and its Lease say", () => {
    expect(heartbeat(first)).toBe(1);
    expect(heartbeat(observe(undefined, { node: reported(-999), lease: undefined, now: at(1) }))).toBe(1);
  });

  test("at its creation, if it has neither reported nor renewed a Lease", () => {
    expect(heartbeat(observe(undefined, { node: mute, lease: undefined, now: at(7) }))).toBe(0);
    expect(heartbeat(observe(undefined, { node: mute, lease: leaseAt(0), now: at(7) }))).toBe(7);
  });

  test("when its Lease is renewed, but not when it is unchanged or goes back", () => {
    const now = at(20);
    expect(heartbeat(observe(first, { node: reported(0), lease: leaseAt(10), now }))).toBe(20);
    expect(heartbeat(observe(first, { node: reported(0), lease: leaseAt(0), now }))).toBe(1);
    expect(heartbeat(observe(first, { node: reported(0), lease: leaseAt(-5), now }))).toBe(1);
    expect(heartbeat(observe(first, { node: reported(0), lease: undefined, now }))).toBe(1);
  });

  test("when it updates its heartbeat, but not when its status changes otherwise", () => {
    expect(heartbeat(observe(first, { node: reported(10), lease: leaseAt(0), now: at(20) }))).toBe(20);
    expect(heartbeat(observe(first, { node: reported(0, "False"), lease: leaseAt(0), now: at(20) }))).toBe(1);
  });

  test("once more with the scan after a report, if it has a Lease, as upstream", () => {
    const second1 = observe(first, { node: reported(10), lease: leaseAt(0), now: at(20) });
    const third = observe(second1, { node: reported(10), lease: leaseAt(0), now: at(25) });
    expect(heartbeat(third)).toBe(25);
    expect(heartbeat(observe(third, { node: reported(10), lease: leaseAt(0), now: at(30) }))).toBe(25);
  });

  test("when it reports for the first time", () => {
    const before = observe(undefined, { node: mute, lease: undefined, now: at(5) });
    expect(heartbeat(observe(before, { node: mute, lease: undefined, now: at(6) }))).toBe(0);
    expect(heartbeat(observe(before, { node: reported(0), lease: undefined, now: at(9) }))).toBe(9);
  });

  test("and can be silent for 50 s, or 60 s before its first report", () => {
    const isSilent = (health: Health, seconds: number): boolean =>
      isSilentTooLong(health, { ...defaultOptions, now: at(seconds) });
    expect([isSilent(first, 51), isSilent(first, 51.1)]).toEqual([false, true]);
    const before = observe(undefined, { node: mute, lease: undefined, now: at(0) });
    expect([isSilent(before, 60), isSilent(before, 60.1)]).toEqual([false, true]);
  });
});

describe("the conditions of a silent node", () => {
  test("that its kubelet reports become Unknown, and missing ones are added", () => {
    const network: NodeCondition = { type: "NetworkUnavailable", status: "False" };
    const pressure: NodeCondition = { type: "DiskPressure", status: "Unknown", reason: "Before" };
    const node = storedNode("node-1", { conditions: [network, pressure] });
    const time = formatTime(at(60));
    const stopped = { reason: "NodeStatusUnknown", message: "Kubelet stopped posting node status." };
    const never = { reason: "NodeStatusNeverUpdated", message: "Kubelet never posted node status." };
    const made = node.metadata.creationTimestamp;
    expect(unknownConditions(node, at(60))).toEqual([
      { type: "Ready", status: "Unknown", ...stopped, lastHeartbeatTime: made, lastTransitionTime: time },
      network,
      pressure,
      { type: "MemoryPressure", status: "Unknown", ...never, lastHeartbeatTime: made, lastTransitionTime: time },
      { type: "PIDPressure", status: "Unknown", ...never, lastHeartbeatTime: made, lastTransitionTime: time },
    ]);
  });
});

describe("NoSchedule taints", () => {
  const noSchedule = (name: string): { key: string; effect: string } => ({
    key: `node.kubernetes.io/${name}`,
    effect: "NoSchedule",
  });
  const condition = (type: string, status: string): NodeCondition => ({ type, status });
  const rows: readonly {
    readonly says: string;
    readonly node: StoredNodeParts;
    readonly add?: readonly string[];
    readonly remove?: readonly string[];
  }[] = [
    { says: "of a ready node: none", node: {} },
    { says: "not-ready: Ready is False", node: { ready: "False" }, add: ["not-ready"] },
    { says: "unreachable: Ready is Unknown", node: { ready: "Unknown" }, add: ["unreachable"] },
    { says: "memory-pressure", node: { conditions: [condition("MemoryPressure", "True")] }, add: ["memory-pressure"] },
    { says: "disk-pressure", node: { conditions: [condition("DiskPressure", "True")] }, add: ["disk-pressure"] },
    { says: "pid-pressure", node: { conditions: [condition("PIDPressure", "True")] }, add: ["pid-pressure"] },
    {
      says: "network-unavailable",
      node: { conditions: [condition("NetworkUnavailable", "True")] },
      add: ["network-unavailable"],
    },
    { says: "not for a pressure that is Unknown", node: { conditions: [condition("DiskPressure", "Unknown")] } },
    { says: "not for conditions of others", node: { conditions: [condition("KernelDeadlock", "True")] } },
    { says: "unschedulable", node: { unschedulable: true }, add: ["unschedulable"] },
    { says: "stay while they apply", node: { ready: "False", taints: [noSchedule("not-ready")] } },
    {
      says: "are replaced",
      node: { ready: "Unknown", taints: [noSchedule("not-ready")] },
      add: ["unreachable"],
      remove: ["not-ready"],
    },
    {
      says: "are removed when they no longer apply",
      node: { taints: [noSchedule("unschedulable"), noSchedule("pid-pressure")] },
      remove: ["unschedulable", "pid-pressure"],
    },
    {
      says: "of others stay, as do those with another effect",
      node: {
        taints: [
          { key: "mine", effect: "NoSchedule" },
          { key: "node.kubernetes.io/unreachable", effect: "NoExecute" },
        ],
      },
    },
  ];
  for (const { says, node, add = [], remove = [] } of rows) {
    test(says, () => {
      const changes = scheduleTaintChanges(storedNode("node-1", node));
      expect(changes).toEqual({ add: add.map(noSchedule), remove: remove.map(noSchedule) });
    });
  }
});

test("deprecated labels follow the new ones, and stay without them", () => {
  const of = (labels: Readonly<Record<string, string>>): object =>
    labelsToSet(storedNode("node-1", { meta: { labels } }));
  expect(of({ "kubernetes.io/os": "linux", "kubernetes.io/arch": "arm64" })).toEqual({
    "beta.kubernetes.io/os": "linux",
    "beta.kubernetes.io/arch": "arm64",
  });
  expect(of({ "kubernetes.io/os": "linux", "beta.kubernetes.io/os": "windows" })).toEqual({
    "beta.kubernetes.io/os": "linux",
  });
  expect(of({ "kubernetes.io/os": "linux", "beta.kubernetes.io/os": "linux" })).toEqual({});
  expect(of({ "beta.kubernetes.io/os": "linux" })).toEqual({});
  expect(labelsToSet(storedNode("node-1"))).toEqual({});
});

describe("a zone", () => {
  test("is named by the labels of region and zone, the deprecated ones first", () => {
    const of = (labels: Readonly<Record<string, string>>): string => zoneOf(storedNode("node-1", { meta: { labels } }));
    const newer = { "topology.kubernetes.io/zone": "a", "topology.kubernetes.io/region": "eu" };
    const older = { "failure-domain.beta.kubernetes.io/zone": "b", "failure-domain.beta.kubernetes.io/region": "us" };
    expect([of({}), of(newer), of({ ...newer, ...older })]).toEqual(["", "eu:a", "us:b"]);
    expect(of({ "topology.kubernetes.io/zone": "a" })).toBe(":a");
  });

  const rows = [
    { ready: 3, notReady: 0, is: "normal" },
    { ready: 1, notReady: 2, is: "normal" },
    { ready: 0, notReady: 1, is: "full disruption" },
    { ready: 2, notReady: 3, is: "partial disruption" },
    { ready: 3, notReady: 3, is: "normal" },
    { ready: 0, notReady: 0, is: "normal" },
    // 0.55 of 20 is 11.
    { ready: 9, notReady: 11, is: "partial disruption" },
    { ready: 10, notReady: 10, is: "normal" },
  ] as const;
  for (const { ready, notReady, is } of rows) {
    test(`of ${ready} nodes that are ready and ${notReady} that are not is in ${is}`, () => {
      expect(zoneStateOf({ ready, notReady }, 0.55)).toBe(is);
    });
  }

  test("in partial disruption is tainted more slowly if it is large, and not at all if it is small", () => {
    const rate = (state: Parameters<typeof rateIn>[0]["state"], size: number): number =>
      rateIn({ state, size }, defaultOptions);
    expect([rate("normal", 10), rate("full disruption", 10)]).toEqual([0.1, 0.1]);
    expect([rate("partial disruption", 50), rate("partial disruption", 51)]).toEqual([0, 0.01]);
  });

  test("counts all nodes except those with an exclusion label", () => {
    const labels = { "node.kubernetes.io/exclude-disruption": "" };
    expect(countsForDisruption(storedNode("node-1"))).toBe(true);
    expect(countsForDisruption(storedNode("node-1", { meta: { labels } }))).toBe(false);
  });
});

describe("the turns of a zone", () => {
  function tainterOf(...nodes: readonly string[]): Tainter {
    const tainter = new Tainter(0.1, at(0));
    for (const node of nodes) tainter.add(node);
    return tainter;
  }

  test("start at once for the first node, then follow every 10 s, in order", () => {
    const tainter = tainterOf("a", "b", "c");
    expect([tainter.next, tainter.waitMs(at(0))]).toEqual(["a", 0]);
    expect(tainter.take("b", at(0))).toBe(false);
    expect(tainter.take("a", at(0))).toBe(true);
    expect([tainter.next, tainter.waitMs(at(0))]).toEqual(["b", 10 * second]);
    expect(tainter.take("b", at(9.9))).toBe(false);
    expect(tainter.take("b", at(10))).toBe(true);
    expect(tainter.take("c", at(19.9))).toBe(false);
    expect(tainter.take("c", at(20))).toBe(true);
    expect(tainter.next).toBeUndefined();
  });

  test("do not accumulate", () => {
    const tainter = tainterOf("a", "b");
    expect(tainter.take("a", at(1000))).toBe(true);
    expect(tainter.waitMs(at(1000))).toBe(10 * second);
  });

  test("are not given to a node that had one, unless it was removed or its turn failed", () => {
    const tainter = tainterOf("a", "b");
    tainter.take("a", at(0));
    tainter.add("a");
    expect(tainter.next).toBe("b");
    tainter.remove("a");
    tainter.add("a");
    tainter.remove("b");
    expect(tainter.next).toBe("a");
    tainter.add("b");
    tainter.take("a", at(10));
    tainter.addAgain("a");
    tainter.take("b", at(20));
    expect(tainter.next).toBe("a");
  });

  test("come again after those of all others if they failed, however often the node is added", () => {
    const tainter = tainterOf("a", "b", "c");
    tainter.take("a", at(0));
    tainter.putBack("a");
    for (const node of ["a", "b", "c"]) tainter.addAgain(node);
    const turns = [10, 20, 30].map((seconds) => {
      const { next = "" } = tainter;
      return tainter.take(next, at(seconds)) ? next : "none";
    });
    expect(turns).toEqual(["b", "c", "a"]);
  });

  test("are not given while the rate is 0, and later after that if one was used", () => {
    const tainter = tainterOf("a", "b");
    tainter.setRate(0, at(0));
    expect(tainter.waitMs(at(1000))).toBe(Infinity);
    expect(tainter.take("a", at(1000))).toBe(false);
    tainter.setRate(0.1, at(1000));
    expect(tainter.waitMs(at(1000))).toBe(10 * second);
    tainter.setRate(0.1, at(1005));
    expect(tainter.waitMs(at(1005))).toBe(5 * second);
    tainter.setRate(1, at(1010));
    expect(tainter.waitMs(at(1010))).toBe(0);
  });
});
