import { describe, expect, test } from "bun:test";
import { HotSpots } from "../../../src/modes/dry-run/hot-spots.ts";
import type { StoreChange } from "../../../src/modes/dry-run/store.ts";

const set = { group: "apps", kind: "ReplicaSet" };
const pods = { group: "", kind: "Pod" };
const sync = { controller: "replicaset", of: set, key: "default/web" };

function change(of: StoreChange["of"], key: string, at: number): StoreChange {
  return { of, key, at, before: undefined, after: undefined };
}

describe("an object that is written again and again", () => {
  test("is hot if hardly anything else changes, and no time passes", () => {
    const spots = new HotSpots();
    for (let n = 0; n < 999; n++) spots.changed(change(set, "default/web", 7));
    expect(spots.isWrittenHot).toBe(false);
    spots.changed(change(set, "default/web", 7));
    expect(spots.isWrittenHot).toBe(true);
  });

  test("is not hot if as many other objects change, such as the pods of a large set", () => {
    const spots = new HotSpots();
    for (let round = 0; round < 3; round++) {
      for (let n = 0; n < 3000; n++) {
        spots.changed(change(pods, `default/web-${n}`, 7));
        spots.changed(change(set, "default/web", 7));
        spots.synced(sync, 7);
      }
    }
    expect([spots.isWrittenHot, spots.hotKey]).toEqual([false, undefined]);
  });

  test("is not hot if time passes", () => {
    const spots = new HotSpots();
    for (let n = 0; n < 10_000; n++) spots.changed(change(set, "default/web", n * 2));
    expect(spots.isWrittenHot).toBe(false);
  });
});

describe("a key that is synced again and again", () => {
  test("is hot if hardly anything changes", () => {
    const spots = new HotSpots();
    for (let n = 0; n < 2000; n++) spots.synced(sync, 7);
    expect(spots.hotKey).toEqual(sync);
  });

  test("is hot in the end if every sync creates another object", () => {
    const spots = new HotSpots();
    for (let n = 0; n < 100_000; n++) {
      spots.changed(change(pods, `default/web-${n}`, 7));
      spots.synced(sync, 7);
    }
    expect(spots.hotKey).toEqual(sync);
  });
});
