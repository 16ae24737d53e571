import { beforeEach, describe, expect, test } from "bun:test";
import { ControllerRevisions, StatefulSets } from "../../../../src/api/kinds.ts";
import { selectorOfLabels } from "../../../../src/api/labels.ts";
import { controllerReference } from "../../../../src/api/owner-references.ts";
import type { ControllerRevision, StatefulSet } from "../../../../src/api/types.ts";
import { defineController } from "../../../../src/controller/api/definition.ts";
import { watchPrimary } from "../../../../src/controller/api/primary.ts";
import {
  adoptOrphanRevisions,
  createRevision,
  nextRevisionOf,
  reuseRevision,
  type RevisionHistory,
  revisionsOf,
  truncateRevisions,
  watchRevisions,
} from "../../../../src/controller/workload/controller-revision/history.ts";
import { revisionHash } from "../../../../src/controller/workload/controller-revision/name.ts";
import { rejection } from "../../../support/rejection.ts";
import { refusal, type Scene, syncScene } from "../../../support/sync-context.ts";
import { statefulSetOf } from "../../../support/workloads.ts";

const controller = defineController<StatefulSet>({
  name: "statefulset",
  purpose: "test",
  for: StatefulSets,
  watches: [watchPrimary(StatefulSets), watchRevisions()],
  rules: [],
  sync: () => Promise.resolve(),
});

let scene: Scene;
let set: StatefulSet;
let history: RevisionHistory<StatefulSet>;

beforeEach(() => {
  scene = syncScene(controller);
  set = statefulSetOf();
  scene.put(StatefulSets, set);
  history = {
    context: scene.context("shop/db"),
    owner: set,
    ownerKind: StatefulSets,
    selector: selectorOfLabels({ app: "db" }),
  };
});

interface RevisionParts {
  readonly revision?: number;
  readonly owner?: StatefulSet | "none";
  readonly labels?: Readonly<Record<string, string>>;
  readonly data?: object;
  readonly meta?: object;
}

function revisionNamed(name: string, parts: RevisionParts = {}): ControllerRevision {
  const { revision = 1, owner = set, labels = { app: "db" }, data = { name } } = parts;
  return {
    metadata: {
      name,
      namespace: "shop",
      uid: `uid-${name}`,
      resourceVersion: "10",
      creationTimestamp: "2026-11-21T09:00:00Z",
      labels,
      ...(owner !== "none" && { ownerReferences: [controllerReference(StatefulSets, owner)] }),
      ...parts.meta,
    },
    revision,
    data,
  };
}

const names = (revisions: readonly ControllerRevision[]): string[] => revisions.map(({ metadata }) => metadata.name);
const sent = (): string[] => scene.calls.map(({ verb, name }) => `${verb} ${name}`);

describe("the revisions of an owner", () => {
  test("are its own and those without an owner that its selector matches", () => {
    const other = statefulSetOf({ name: "other" });
    scene.put(
      ControllerRevisions,
      revisionNamed("own"),
      revisionNamed("orphan", { owner: "none" }),
      revisionNamed("of-another", { owner: other }),
      revisionNamed("unselected", { labels: { app: "other" } }),
      revisionNamed("elsewhere", { owner: "none", meta: { namespace: "else" } }),
    );
    expect(names(revisionsOf(history)).sort()).toEqual(["orphan", "own"]);
  });

  test("are ordered by number, then age, then name", () => {
    scene.put(
      ControllerRevisions,
      revisionNamed("c", { revision: 2 }),
      revisionNamed("b", { revision: 2 }),
      revisionNamed("d", { revision: 2, meta: { creationTimestamp: "2026-11-21T08:00:00Z" } }),
      revisionNamed("a", { revision: 10 }),
      revisionNamed("e", { revision: 1 }),
    );
    expect(names(revisionsOf(history))).toEqual(["e", "d", "b", "c", "a"]);
    expect(nextRevisionOf(revisionsOf(history))).toBe(11);
    expect(nextRevisionOf([])).toBe(1);
  });

  test("without an owner are adopted, after a request that the owner still exists", async () => {
    scene.put(
      ControllerRevisions,
      revisionNamed("one", { owner: "none" }),
      revisionNamed("two", { owner: "none" }),
      revisionNamed("own"),
    );
    await adoptOrphanRevisions(history);
    expect(sent()).toEqual(["get db", "patch one", "patch two"]);
    expect(scene.calls[1]?.body).toEqual({
      metadata: { ownerReferences: [controllerReference(StatefulSets, set)], uid: "uid-one" },
    });
  });

  test("are not adopted by an owner that is being deleted", async () => {
    scene.putLive(StatefulSets, { ...set, metadata: { ...set.metadata, deletionTimestamp: "2026-11-21T09:59:00Z" } });
    scene.put(ControllerRevisions, revisionNamed("one", { owner: "none" }));
    expect((await rejection(adoptOrphanRevisions(history)))?.message).toContain("is being deleted");
    expect(sent()).toEqual(["get db"]);
  });
});

describe("a new revision", () => {
  const data = { spec: { template: {} } };
  const wanted = {
    data,
    revision: 3,
    labels: { app: "db" },
    annotations: { note: "x" },
    collisionCount: 0,
    changed: [".spec"],
  };

  test("is named after its hash, and has the labels of the template and the annotations of the owner", async () => {
    const made = await createRevision(history, wanted);
    const hash = revisionHash(data, 0);
    expect(made.collisionCount).toBe(0);
    expect(scene.calls.map(({ body }) => body)).toEqual([
      {
        apiVersion: "apps/v1",
        kind: "ControllerRevision",
        metadata: {
          name: `db-${hash}`,
          namespace: "shop",
          labels: { app: "db", "controller.kubernetes.io/hash": hash },
          annotations: { note: "x" },
          ownerReferences: [controllerReference(StatefulSets, set)],
        },
        data,
        revision: 3,
      },
    ]);
    expect(scene.decisions.map(({ sentence }) => sentence)).toEqual([
      `the template changed at .spec → create ControllerRevision db-${hash} as revision 3`,
    ]);
  });

  test("that exists already is used, whoever created it", async () => {
    const there = revisionNamed(`db-${revisionHash(data, 0)}`, { owner: "none", revision: 7, data });
    scene.putLive(ControllerRevisions, there);
    scene.refuse = ({ verb }) => (verb === "create" ? refusal(409, "AlreadyExists", "exists") : undefined);
    expect(await createRevision(history, wanted)).toEqual({ revision: there, collisionCount: 0 });
  });

  test("whose name has other data counts a collision, and keeps the hash of the first attempt as its label", async () => {
    const [first, second] = [revisionHash(data, 0), revisionHash(data, 1)];
    scene.putLive(ControllerRevisions, revisionNamed(`db-${first}`, { data: { other: true } }));
    scene.refuse = ({ verb, name }) =>
      verb === "create" && name === `db-${first}` ? refusal(409, "AlreadyExists", "exists") : undefined;
    const { revision, collisionCount } = await createRevision(history, wanted);
    expect({ name: revision.metadata.name, collisionCount }).toEqual({ name: `db-${second}`, collisionCount: 1 });
    expect(revision.metadata.labels?.["controller.kubernetes.io/hash"]).toBe(first);
    expect(sent()).toEqual([`create db-${first}`, `get db-${first}`, `create db-${second}`]);
  });

  test("that is refused for another reason is not retried", async () => {
    scene.refuse = () => refusal(403, "Forbidden", "exceeded quota");
    expect((await rejection(createRevision(history, wanted)))?.message).toBe("exceeded quota");
    expect(scene.calls.length).toBe(1);
  });
});

describe("an earlier revision that becomes the latest", () => {
  test("gets the number, and is otherwise unchanged", async () => {
    const existing = revisionNamed("one");
    scene.put(ControllerRevisions, existing);
    expect(await reuseRevision(history.context, { existing, revision: 5 })).toEqual({ ...existing, revision: 5 });
    expect(scene.calls.map(({ body }) => body)).toEqual([{ ...existing, revision: 5 }]);
  });

  test("is written from the cached state after a conflict", async () => {
    const existing = revisionNamed("one");
    scene.put(ControllerRevisions, existing);
    scene.writeLive(ControllerRevisions, revisionNamed("one", { meta: { annotations: { by: "another" } } }));
    scene.onSleep = () => scene.deliver();
    await reuseRevision(history.context, { existing, revision: 5 });
    expect(sent()).toEqual(["update one", "update one", "update one"]);
    const [live] = scene.live(ControllerRevisions);
    expect({ revision: live?.revision, annotations: live?.metadata.annotations }).toEqual({
      revision: 5,
      annotations: { by: "another" },
    });
  });

  test("is not written if the cache has the number by then", async () => {
    const existing = revisionNamed("one");
    scene.put(ControllerRevisions, existing);
    scene.writeLive(ControllerRevisions, revisionNamed("one", { revision: 5 }));
    scene.refuse = () => {
      scene.deliver();
      return refusal(409, "Conflict", "changed");
    };
    await reuseRevision(history.context, { existing, revision: 5 });
    expect(sent()).toEqual(["update one"]);
  });
});

describe("a history above its limit", () => {
  const five = (): ControllerRevision[] =>
    [1, 2, 3, 4, 5].map((revision) => revisionNamed(`r${revision}`, { revision }));

  test("loses its lowest revisions, but none that is in use", async () => {
    scene.put(ControllerRevisions, ...five());
    await truncateRevisions(history.context, { revisions: five(), live: new Set(["r1", "r5"]), limit: 1 });
    expect(sent()).toEqual(["delete r2", "delete r3"]);
    expect(scene.decisions.map(({ sentence }) => sentence)).toEqual([
      "3 revisions are in use by no pod, 1 may be kept → delete r2, r3",
    ]);
  });

  test("keeps as many as the limit, and all with a limit below 0", async () => {
    await truncateRevisions(history.context, { revisions: five(), live: new Set(["r5"]), limit: 4 });
    await truncateRevisions(history.context, { revisions: five(), live: new Set(), limit: -1 });
    expect(sent()).toEqual([]);
  });

  test("is shortened no further after a refusal", async () => {
    scene.put(ControllerRevisions, ...five());
    scene.refuse = ({ name }) => (name === "r2" ? refusal(403, "Forbidden", "no") : undefined);
    const truncation = { revisions: five(), live: new Set<string>(), limit: 1 };
    expect((await rejection(truncateRevisions(history.context, truncation)))?.message).toBe("no");
    expect(sent()).toEqual(["delete r1", "delete r2"]);
  });
});
