import { beforeEach, describe, expect, test } from "bun:test";
import { Nodes } from "../../../src/api/kinds.ts";
import { formatTime } from "../../../src/api/time.ts";
import type { Node } from "../../../src/api/types.ts";
import { ClusterSize } from "../../../src/controllers/ttl/intervals.ts";
import { ttl } from "../../../src/controllers/ttl/ttl.ts";
import { rejection } from "../../support/rejection.ts";
import { refusal, type Scene, sceneStart, syncScene } from "../../support/sync-context.ts";

const annotation = "node.alpha.kubernetes.io/ttl";

function node(name: string, value?: string): Node {
  const annotations = value === undefined ? {} : { annotations: { other: "x", [annotation]: value } };
  return {
    metadata: {
      name,
      uid: `uid-${name}`,
      resourceVersion: "1",
      creationTimestamp: formatTime(sceneStart),
      ...annotations,
    },
  };
}

let scene: Scene;
beforeEach(() => {
  scene = syncScene(ttl);
});

/** Adds this number of nodes to the cluster, including `one`. */
function comeUp(count: number, value?: string): void {
  for (let n = 1; n < count; n++) scene.notify(Nodes, { type: "added", object: node(`n${n}`), initial: true });
  scene.notify(Nodes, { type: "added", object: node("one", value), initial: true });
  scene.put(Nodes, node("one", value));
}

const sentences = (): readonly string[] => scene.decisions.map(({ sentence }) => sentence);

describe("a node gets the annotation", () => {
  for (const value of [undefined, "", "15", "-1", "x", " 0", "0 ", "0.0", "0x0", "1e0"]) {
    test(`when it says ${value === undefined ? "nothing" : JSON.stringify(value)}, and nothing else is patched`, async () => {
      comeUp(1, value);
      await scene.sync("one");
      const body = { metadata: { annotations: { [annotation]: "0" } } };
      expect(scene.calls).toMatchObject([{ verb: "patch", kind: "Node", name: "one" }]);
      expect(scene.calls[0]?.body).toEqual(body);
      expect(sentences()).toEqual([`the cluster has 1 node → ${annotation}: 0`]);
    });
  }

  test("of a cluster of its size", async () => {
    comeUp(101, "0");
    await scene.sync("one");
    expect(scene.calls).toMatchObject([{ body: { metadata: { annotations: { [annotation]: "15" } } } }]);
    expect(sentences()).toEqual([`the cluster has 101 nodes → ${annotation}: 15`]);
  });

  test("again when the server refuses it", async () => {
    comeUp(1);
    scene.refuse = () => refusal(409, "Conflict", "Mock error");
    expect(await rejection(scene.sync("one"))).toMatchObject({ code: 409 });
  });
});

describe("a node is left alone", () => {
  for (const value of ["0", "+0", "-0", "000"]) {
    test(`that says ${value}`, async () => {
      comeUp(3, value);
      await scene.sync("one");
      expect(scene.calls).toEqual([]);
      expect(sentences()).toEqual(["the cluster has 3 nodes, and the annotation says 0 → nothing"]);
    });
  }

  test("that was deleted", async () => {
    await scene.sync("one");
    expect([scene.calls, scene.decisions]).toEqual([[], []]);
  });
});

test("nodes that are added and changed are synced, not deleted ones", () => {
  scene.notify(Nodes, { type: "added", object: node("one"), initial: true });
  scene.notify(Nodes, { type: "updated", before: node("one"), object: node("one", "5") });
  scene.notify(Nodes, { type: "deleted", object: node("one"), tombstone: false });
  expect(scene.woken).toEqual(["one", "one"]);
});

test("deleted nodes no longer count", async () => {
  comeUp(101, "15");
  for (let n = 1; n <= 11; n++) scene.notify(Nodes, { type: "deleted", object: node(`n${n}`), tombstone: true });
  await scene.sync("one");
  expect(scene.calls).toEqual([]);
  scene.notify(Nodes, { type: "deleted", object: node("n12"), tombstone: true });
  await scene.sync("one");
  expect(scene.calls).toMatchObject([{ body: { metadata: { annotations: { [annotation]: "0" } } } }]);
});

describe("the time by the number of nodes", () => {
  /** The sizes at which the TTL changes, as `[number of nodes, seconds]`. */
  function changes(size: ClusterSize, step: "add" | "remove", until: number): [number, number][] {
    const found: [number, number][] = [];
    for (let before = size.seconds; size.nodes !== until; before = size.seconds) {
      size[step]();
      if (size.seconds !== before) found.push([size.nodes, size.seconds]);
    }
    return found;
  }

  test("while the cluster grows", () => {
    expect(changes(new ClusterSize(), "add", 10_000)).toEqual([
      [101, 15],
      [501, 30],
      [1001, 60],
      [2001, 300],
    ]);
  });

  test("while it shrinks", () => {
    const size = new ClusterSize();
    changes(size, "add", 10_000);
    expect(changes(size, "remove", 0)).toEqual([
      [1799, 60],
      [899, 30],
      [449, 15],
      [89, 0],
    ]);
  });

  test("near a bound: it stays", () => {
    const size = new ClusterSize();
    changes(size, "add", 101);
    expect([changes(size, "remove", 91), changes(size, "add", 92), changes(size, "remove", 90)]).toEqual([[], [], []]);
    size.remove();
    expect(size.seconds).toBe(0);
  });
});

test("the definition has upstream's names and permissions", () => {
  expect(ttl).toMatchObject({
    name: "ttl",
    component: "ttl-controller",
    recordsEvents: false,
    permissions: [{ group: "", resource: "nodes", verbs: ["patch"] }],
  });
  expect(ttl.isLeftUndone?.(node("one"))).toBe(true);
  expect(ttl.isLeftUndone?.(node("one", "0"))).toBe(false);
});
