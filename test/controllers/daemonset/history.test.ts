import { beforeEach, describe, expect, test } from "bun:test";
import { ControllerRevisions, DaemonSets, Nodes, Pods } from "../../../src/api/kinds.ts";
import type { ControllerRevision, DaemonSet } from "../../../src/api/types.ts";
import { daemonset } from "../../../src/controllers/daemonset/daemonset.ts";
import { rejection } from "../../support/rejection.ts";
import { refusal, type Scene, syncScene } from "../../support/sync-context.ts";
import { daemonSetOf, type DaemonSetParts, hashOf, nodesOf, podOn, revisionFor } from "./objects.ts";

const key = "shop/agent";

let scene: Scene;
beforeEach(() => {
  scene = syncScene(daemonset);
});

/** Caches the set with one node and one pod of its template. */
function has(parts: DaemonSetParts, revisions: readonly ControllerRevision[] = []): DaemonSet {
  const set = daemonSetOf(parts);
  scene.put(DaemonSets, set);
  scene.put(Nodes, ...nodesOf(1));
  scene.put(Pods, podOn(set, "node-1"));
  scene.put(ControllerRevisions, ...revisions);
  return set;
}

const sent = (): string[] =>
  scene.calls.filter(({ verb }) => verb !== "updateStatus").map(({ verb, kind, name }) => `${verb} ${kind} ${name}`);
const sentences = (): string[] => scene.decisions.map(({ sentence }) => sentence);
const body = (n: number): unknown => scene.calls[n]?.body;
/** A revision of the template with another image. */
const earlier = (n: number, meta: object = {}): ControllerRevision =>
  revisionFor(daemonSetOf({ image: `agent:old-${n}` }), n, meta);
const nameOf = ({ metadata }: ControllerRevision): string => metadata.name;

describe("the revision of a new template", () => {
  test("has its data and hash, the template's labels, the set's annotations and the next number", async () => {
    const set = has({ image: "agent:2", meta: { annotations: { note: "mine" } } }, [earlier(4), earlier(7)]);
    await scene.sync(key);
    const { metadata, data, revision } = body(0) as ControllerRevision;
    expect({ metadata, data, revision }).toEqual({
      metadata: {
        name: `agent-${hashOf(set)}`,
        namespace: "shop",
        labels: { app: "agent", "controller-revision-hash": hashOf(set) },
        annotations: { note: "mine" },
        ownerReferences: [
          {
            apiVersion: "apps/v1",
            kind: "DaemonSet",
            name: "agent",
            uid: "uid-agent",
            controller: true,
            blockOwnerDeletion: true,
          },
        ],
      } as unknown as ControllerRevision["metadata"],
      data: { spec: { template: { ...set.spec?.template, $patch: "replace" } } },
      revision: 8,
    });
    expect(sentences()[0]).toBe(
      `the template changed at .spec.containers[agent].image → create ControllerRevision agent-${hashOf(set)} as revision 8`,
    );
  });

  test("that exists but is not cached is used", async () => {
    const set = has({});
    const live = revisionFor(set, 1, { labels: { "controller-revision-hash": "live" } });
    scene.putLive(ControllerRevisions, live);
    scene.refuse = ({ verb, kind }) =>
      verb === "create" && kind === "ControllerRevision" ? alreadyExists() : undefined;
    await scene.sync(key);
    expect(sent().slice(0, 2)).toEqual([
      `create ControllerRevision agent-${hashOf(set)}`,
      `get ControllerRevision agent-${hashOf(set)}`,
    ]);
    // Its label differs from the pod's, so the pod counts as outdated.
    expect(scene.decisions.some(({ rule }) => rule === "replace-outdated")).toBe(true);
  });

  const taken = (set: DaemonSet): ControllerRevision => ({ ...revisionFor(set), data: { other: true } });
  const refuseCreation = (): void => {
    scene.refuse = ({ verb, kind }) =>
      verb === "create" && kind === "ControllerRevision" ? alreadyExists() : undefined;
  };

  test("whose name is taken is counted as a collision, and the sync fails", async () => {
    const set = has({});
    scene.putLive(ControllerRevisions, taken(set));
    refuseCreation();
    expect(await rejection(scene.sync(key))).toMatchObject({ code: 409 });
    const written = scene.calls.findLast(({ verb }) => verb === "updateStatus")?.body as DaemonSet | undefined;
    expect(written?.status?.collisionCount).toBe(1);
    expect(sentences().at(-1)).toContain("collisionCount 1");
  });

  test("has another name with another collision count", () => {
    const hashes = [undefined, 0, 1].map((collisionCount) =>
      hashOf(daemonSetOf({ status: collisionCount === undefined ? {} : { collisionCount } })),
    );
    expect(new Set(hashes).size).toBe(3);
  });

  test("is not counted twice if the server's count differs already", async () => {
    const set = has({});
    scene.putLive(ControllerRevisions, taken(set));
    scene.putLive(DaemonSets, daemonSetOf({ status: { collisionCount: 1 } }));
    refuseCreation();
    const error = await rejection(scene.sync(key));
    expect(error.message).toContain("found a stale collision count (0, expected 1)");
    expect(scene.calls.some(({ verb }) => verb === "updateStatus")).toBe(false);
  });
});

function alreadyExists(): Error {
  return refusal(409, "AlreadyExists", "it exists");
}

describe("a template that has a revision", () => {
  test("creates none if that is the highest one", async () => {
    const set = daemonSetOf();
    has({}, [earlier(1), revisionFor(set, 2)]);
    await scene.sync(key);
    expect(sent()).toEqual([]);
  });

  test("makes an earlier one the highest", async () => {
    const current = revisionFor(daemonSetOf(), 1);
    has({}, [current, earlier(2), earlier(3)]);
    await scene.sync(key);
    expect(sent()).toEqual([`update ControllerRevision ${nameOf(current)}`]);
    expect((body(0) as ControllerRevision).revision).toBe(4);
    expect(sentences()[0]).toBe(`${nameOf(current)} has the template already → its revision 1 → 4`);
  });

  test("gives a revision without the hash label its own name", async () => {
    const old = earlier(1, { labels: { app: "agent" } });
    has({}, [old, revisionFor(daemonSetOf(), 2)]);
    await scene.sync(key);
    expect(sent()).toEqual([`update ControllerRevision ${nameOf(old)}`]);
    expect((body(0) as ControllerRevision).metadata.labels).toEqual({
      app: "agent",
      "controller-revision-hash": nameOf(old),
    });
  });

  test("keeps the highest of several equal revisions, and all pods get its label", async () => {
    const set = daemonSetOf();
    const two = ["low", "high"].map((name, n) =>
      revisionFor(set, n + 1, { name, labels: { app: "agent", "controller-revision-hash": name } }),
    );
    has({}, two.toReversed());
    scene.put(
      Pods,
      podOn(set, "node-1", { name: "labelled", hash: "high", meta: { creationTimestamp: "2020-01-01T00:00:00Z" } }),
    );
    await scene.sync(key);
    expect(sent().slice(0, 2)).toEqual(["patch Pod agent-on-node-1", "delete ControllerRevision low"]);
    expect(body(0)).toEqual({ metadata: { labels: { "controller-revision-hash": "high" } } });
  });
});

describe("revisions of others", () => {
  test("without an owner are adopted, and count", async () => {
    const orphan = revisionFor(daemonSetOf(), 5, { ownerReferences: [] });
    has({}, [orphan]);
    await scene.sync(key);
    expect(sent()).toEqual(["get DaemonSet agent", `patch ControllerRevision ${nameOf(orphan)}`]);
  });

  test("that the selector does not match are not", async () => {
    has({}, [revisionFor(daemonSetOf(), 5, { name: "other", ownerReferences: [], labels: { app: "other" } })]);
    await scene.sync(key);
    expect(sent()[0]).toBe(`create ControllerRevision agent-${hashOf(daemonSetOf())}`);
  });

  test("that the selector no longer matches are released", async () => {
    const own = earlier(1, { labels: { app: "other", "controller-revision-hash": "x" } });
    has({}, [own, revisionFor(daemonSetOf(), 2)]);
    await scene.sync(key);
    expect(sent()).toEqual([`patch ControllerRevision ${nameOf(own)}`]);
  });
});

describe("the history", () => {
  const kept = (limit: number): DaemonSetParts => ({ spec: { revisionHistoryLimit: limit } });

  test("loses its lowest revisions beyond the limit", async () => {
    const old = [earlier(3), earlier(1), earlier(2)];
    has(kept(1), [...old, revisionFor(daemonSetOf(), 9)]);
    await scene.sync(key);
    expect(sent()).toEqual([1, 2].map((n) => `delete ControllerRevision ${nameOf(earlier(n))}`));
    expect(sentences().find((sentence) => sentence.includes("may be kept"))).toBe(
      `3 earlier revisions, 1 may be kept → delete ${nameOf(earlier(1))}, ${nameOf(earlier(2))}`,
    );
  });

  test("keeps revisions in use, and deletes others instead", async () => {
    has(kept(1), [earlier(1), earlier(2), earlier(3), revisionFor(daemonSetOf(), 9)]);
    const hash = hashOf(daemonSetOf({ image: "agent:old-1" }));
    const leaving = { phase: "Failed", meta: { deletionTimestamp: "2026-11-21T09:00:00Z" } };
    scene.put(Pods, podOn(daemonSetOf(), "node-1", { name: "old", hash, ...leaving }));
    await scene.sync(key);
    expect(sent()).toEqual([2, 3].map((n) => `delete ControllerRevision ${nameOf(earlier(n))}`));
  });

  test("within the limit is left alone, and the limit is 10 by default", async () => {
    const old = Array.from({ length: 10 }, (_, n) => earlier(n + 1));
    has({}, [...old, revisionFor(daemonSetOf(), 11)]);
    await scene.sync(key);
    expect(sent()).toEqual([]);
  });
});
