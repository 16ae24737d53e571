/** Objects of kinds that the sandbox does not serve: merged as by `kubectl apply`, without simulating what follows. */
import { describe, expect, test } from "bun:test";
import { kindOf } from "../../../src/api/kind.ts";
import type { StoredObject } from "../../../src/api/object.ts";
import type { ToApply } from "../../../src/modes/dry-run/apply.ts";
import { emptyCluster } from "../../../src/modes/dry-run/initial-state.ts";
import { type CustomResources, noCustomResources } from "../../../src/modes/dry-run/custom-objects.ts";
import type { DryRun } from "../../../src/modes/dry-run/result.ts";
import { verdictsOf } from "../../../src/modes/dry-run/verdicts.ts";
import { apply, changesOf, play } from "./scene.ts";

const frob = (spec: object, metadata: object = {}): ToApply =>
  ({ apiVersion: "example.com/v1", kind: "Frob", metadata: { name: "f", ...metadata }, spec }) as ToApply;

const live = (object: ToApply, metadata: object = {}): StoredObject =>
  ({
    ...object,
    metadata: { namespace: "default", uid: "u-1", resourceVersion: "7", ...object.metadata, ...metadata },
  }) as StoredObject;

const Frobs = kindOf({ group: "example.com", version: "v1", kind: "Frob", plural: "frobs", namespaced: true });

function begin(customs: Partial<CustomResources>): ReturnType<typeof emptyCluster> {
  return { ...emptyCluster(["default"]), customResources: { ...noCustomResources, kinds: [Frobs], ...customs } };
}

function unchangedOf(run: DryRun): string {
  const changes = run.groups.flatMap((group) => group.changes);
  return verdictsOf({ ...run, controllers: [], changes, liveRefusals: new Map() }).unchanged.is;
}

describe("an object of a kind that the sandbox does not serve", () => {
  test("is compared with the existing one: fields of other managers stay", async () => {
    const applied = frob({ size: 1, gone: true });
    const first = await play({ initialState: begin({}), requestedChanges: [apply(applied)] });
    const made = first.state.get("example.com/Frob default/f")?.object as StoredObject;
    const beginning = begin({
      objects: [{ ...made, ...frob({ size: 1, gone: true, byOthers: 1 }), metadata: made.metadata }],
    });
    const same = await play({ initialState: beginning, requestedChanges: [apply(applied)] });
    expect(same.done.map(({ did }) => did)).toEqual(["unchanged"]);
    expect([changesOf(same), unchangedOf(same)]).toEqual([[], "well"]);
    const other = await play({ initialState: beginning, requestedChanges: [apply(frob({ size: 2 }))] });
    expect(changesOf(other)).toEqual(["~ Frob default/f"]);
    expect(other.done[0]?.changes).toEqual([
      { path: ".spec.size", before: 1, after: 2 },
      { path: ".spec.gone", before: true },
    ] as never);
    expect(other.groups[0]?.changes[0]?.after).toMatchObject({ spec: { size: 2, byOthers: 1 } });
    expect(other.notFollowed).toHaveLength(1);
  });

  test("is compared with the baseline without a cluster", async () => {
    const run = await play({ baseline: [apply(frob({ size: 1 }))], requestedChanges: [apply(frob({ size: 1 }))] });
    expect([run.done[0]?.did, unchangedOf(run)]).toEqual(["unchanged", "well"]);
    const changed = await play({ baseline: [apply(frob({ size: 1 }))], requestedChanges: [apply(frob({ size: 3 }))] });
    expect([changesOf(changed), unchangedOf(changed)]).toEqual([["~ Frob default/f"], "found"]);
  });

  test("that could not be read leaves it open whether anything would change", async () => {
    const unread = new Map([["example.com/Frob default/f", "not allowed to get frobs.example.com"]]);
    const run = await play({ initialState: begin({ unread }), requestedChanges: [apply(frob({}))] });
    expect(run.done).toMatchObject([{ did: "not compared", why: "not allowed to get frobs.example.com" }]);
    expect([changesOf(run), unchangedOf(run)]).toEqual([[], "cannot tell"]);
  });

  test("is removed when it is deleted, unless a finalizer blocks it", async () => {
    const wish = { is: "delete", kind: Frobs, namespace: "default", name: "f" } as const;
    const gone = await play({ initialState: begin({ objects: [live(frob({}))] }), requestedChanges: [wish] });
    expect(changesOf(gone)).toEqual(["- Frob default/f"]);
    const held = live(frob({}), { finalizers: ["a.b/c"] });
    const kept = await play({ initialState: begin({ objects: [held] }), requestedChanges: [wish] });
    expect(kept.state.get("example.com/Frob default/f")?.object.metadata.deletionTimestamp).toBeDefined();
    const absent = await play({ initialState: begin({}), requestedChanges: [wish] });
    expect(absent.refused.map(({ error }) => error.message)).toEqual(['frobs.example.com "f" not found']);
  });

  test("of a cluster-scoped kind has no namespace", async () => {
    const kinds = [{ ...Frobs, namespaced: false }];
    const run = await play({ initialState: begin({ kinds }), requestedChanges: [apply(frob({}))] });
    expect(changesOf(run)).toEqual(["+ Frob f"]);
  });
});
