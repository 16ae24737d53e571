import { describe, expect, test } from "bun:test";
import { Events, Pods } from "../../../src/api/kinds.ts";
import type { StoredObject } from "../../../src/api/object.ts";
import { TransportError } from "../../../src/api/transport.ts";
import type { Client } from "../../../src/client/api/verbs.ts";
import { EventRecorder } from "../../../src/controller/runtime/event-recorder.ts";
import { virtualCluster, type VirtualCluster } from "../../support/virtual-cluster.ts";

const pod: StoredObject = {
  metadata: {
    namespace: "default",
    name: "web-1",
    uid: "u1",
    resourceVersion: "5",
    creationTimestamp: "2026-01-01T00:00:00Z",
  },
};

function recorder(cluster: VirtualCluster, lost: string[] = [], client?: Client): EventRecorder {
  const { timeline, random } = cluster;
  return new EventRecorder({
    client: client ?? cluster.clientFor("recorder"),
    timeline,
    random,
    component: "replicaset-controller",
    onLost: (why) => lost.push(why),
  });
}

const recorded = async (cluster: VirtualCluster) =>
  (await cluster.settle(cluster.clientFor("test").list(Events, { namespace: "default" }))).items;

describe("EventRecorder", () => {
  test("writes an Event about an object as upstream's recorder does", async () => {
    const cluster = await virtualCluster();
    recorder(cluster).record(Pods, pod, { type: "Normal", reason: "Killed", message: "because" });
    await cluster.timeline.runUntil({ ms: 1000 });
    const [event] = await recorded(cluster);
    expect(event).toMatchObject({
      involvedObject: {
        kind: "Pod",
        namespace: "default",
        name: "web-1",
        uid: "u1",
        apiVersion: "v1",
        resourceVersion: "5",
      },
      reason: "Killed",
      message: "because",
      type: "Normal",
      source: { component: "replicaset-controller" },
      reportingComponent: "replicaset-controller",
      count: 1,
    });
    expect(event?.metadata.name).toMatch(/^web-1\.[0-9a-f]{16}$/);
  });

  test("increments the count of an existing Event, and creates a new one when the old one is deleted", async () => {
    const cluster = await virtualCluster();
    const events = recorder(cluster);
    const record = async (): Promise<void> => {
      events.record(Pods, pod, { type: "Normal", reason: "Killed", message: "because" });
      await cluster.timeline.runUntil({ ms: 1000 });
    };
    await record();
    await record();
    const [first] = await recorded(cluster);
    expect([(await recorded(cluster)).length, first?.count]).toEqual([1, 2]);
    await cluster.settle(
      cluster.clientFor("user").delete(Events, { namespace: "default", name: first?.metadata.name ?? "" }),
    );
    await record();
    expect((await recorded(cluster)).map(({ count }) => count)).toEqual([3]);
  });

  test("continues with other objects after it has dropped an Event of one that has too many", async () => {
    const cluster = await virtualCluster();
    const events = recorder(cluster);
    const record = async (about: StoredObject, message: string): Promise<void> => {
      events.record(Pods, about, { type: "Normal", reason: "Killed", message });
      await cluster.timeline.runUntil({ ms: 1000 });
    };
    // A burst of 25 is written, and no more.
    for (let n = 1; n <= 30; n++) await record(pod, `because ${n}`);
    const other = { metadata: { ...pod.metadata, name: "web-2", uid: "u2" } };
    await record(other, "because");
    const names = (await recorded(cluster)).map(({ involvedObject }) => involvedObject.name);
    expect(names).toContain("web-2");
  });

  test("drops an Event that the server refuses, and reports it", async () => {
    const cluster = await virtualCluster();
    const lost: string[] = [];
    const elsewhere = { metadata: { ...pod.metadata, namespace: "nowhere" } };
    const events = recorder(cluster, lost);
    events.record(Pods, elsewhere, { type: "Normal", reason: "Killed", message: "because" });
    events.record(Pods, pod, { type: "Normal", reason: "Killed", message: "because" });
    await cluster.timeline.runUntil({ ms: 1000 });
    expect(lost.length).toBe(1);
    expect(lost[0]).toContain("the server refused the Event Killed of Pod web-1");
    expect((await recorded(cluster)).length).toBe(1);
  });

  test("retries every 10 seconds while there is no response, and loses no later Event", async () => {
    const cluster = await virtualCluster();
    const real = cluster.clientFor("recorder");
    let broken = 3;
    const create: Client["create"] = (...args) =>
      broken-- > 0
        ? Promise.reject(new TransportError("connection refused", { failure: "unreachable" }))
        : real.create(...args);
    const events = recorder(cluster, [], { ...real, create });
    events.record(Pods, pod, { type: "Normal", reason: "First", message: "one" });
    events.record(Pods, pod, { type: "Normal", reason: "Second", message: "two" });
    const startedAt = cluster.timeline.now();
    await cluster.settle(events.flush(60_000), 61_000);
    expect(new Set((await recorded(cluster)).map(({ reason }) => reason))).toEqual(new Set(["First", "Second"]));
    expect(cluster.timeline.now() - startedAt).toBeGreaterThan(20_000);
  });

  test("drops Events while a thousand are waiting, and reports it", async () => {
    const cluster = await virtualCluster();
    const lost: string[] = [];
    const events = recorder(cluster, lost);
    for (let i = 0; i < 1003; i++) events.record(Pods, pod, { type: "Normal", reason: "Killed", message: "because" });
    expect(lost).toEqual([
      "too many Events wait: dropped Killed of Pod web-1",
      "too many Events wait: dropped Killed of Pod web-1",
    ]);
  });
});
