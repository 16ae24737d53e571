import { describe, expect, test } from "bun:test";
import { compareResourceVersions } from "../../../src/api/resource-version.ts";
import { resourceOf } from "../../../src/api/kind.ts";
import { Pods, ReplicaSets } from "../../../src/api/kinds.ts";
import { CacheBehindError, type Consistency, consistencyChecks } from "../../../src/controller/api/consistency.ts";

function caches(): { consistency: Consistency; applied: Record<string, string> } {
  const applied: Record<string, string> = {};
  return { applied, consistency: consistencyChecks((kind) => applied[resourceOf(kind)] ?? "") };
}

const web = { key: "shop/web", uid: "uid-1" };

describe("compareResourceVersions", () => {
  const rows: readonly { a: string; b: string; sign: number | undefined }[] = [
    { a: "9", b: "10", sign: -1 },
    { a: "10", b: "9", sign: 1 },
    { a: "18446744073709551616", b: "18446744073709551615", sign: 1 },
    { a: "7", b: "7", sign: 0 },
    { a: "0", b: "7", sign: undefined },
    { a: "07", b: "7", sign: undefined },
    { a: "", b: "7", sign: undefined },
    { a: "7", b: "abc", sign: undefined },
  ];
  for (const { a, b, sign } of rows) {
    test(`${JSON.stringify(a)} and ${JSON.stringify(b)} compare to ${sign}`, () => {
      const compared = compareResourceVersions(a, b);
      expect(compared === undefined ? undefined : Math.sign(compared)).toBe(sign);
    });
  }
});

describe("consistencyChecks", () => {
  test("a key without writes is ready", () => {
    const { consistency } = caches();
    expect(() => consistency.ensureReady("shop/web")).not.toThrow();
  });

  test("a key waits until the cache has applied its latest write, and reports what it waits for", () => {
    const { consistency, applied } = caches();
    applied["pods"] = "5";
    consistency.wrote(web, Pods, "10");
    consistency.wrote(web, Pods, "8");
    expect(() => consistency.ensureReady("shop/web")).toThrow(CacheBehindError);
    expect(() => consistency.ensureReady("shop/web")).toThrow(
      "the cache of pods is at version 5, a write of this controller made 10",
    );
    applied["pods"] = "9";
    expect(() => consistency.ensureReady("shop/web")).toThrow(CacheBehindError);
    applied["pods"] = "10";
    expect(() => consistency.ensureReady("shop/web")).not.toThrow();
  });

  test("versions are compared as numbers: 9 is older than 10", () => {
    const { consistency, applied } = caches();
    applied["pods"] = "9";
    consistency.wrote(web, Pods, "9");
    consistency.wrote(web, Pods, "10");
    expect(() => consistency.ensureReady("shop/web")).toThrow(CacheBehindError);
  });

  test("all written kinds must have caught up", () => {
    const { consistency, applied } = caches();
    Object.assign(applied, { pods: "100", "replicasets.apps": "50" });
    consistency.wrote(web, Pods, "100");
    consistency.wrote(web, ReplicaSets, "51");
    expect(() => consistency.ensureReady("shop/web")).toThrow("the cache of replicasets.apps is at version 50");
    applied["replicasets.apps"] = "60";
    expect(() => consistency.ensureReady("shop/web")).not.toThrow();
  });

  test("a key that was ready once stays ready, whatever the cache says later", () => {
    const { consistency, applied } = caches();
    applied["pods"] = "10";
    consistency.wrote(web, Pods, "10");
    consistency.ensureReady("shop/web");
    applied["pods"] = "3";
    expect(() => consistency.ensureReady("shop/web")).not.toThrow();
  });

  test("an object re-created under the same name does not wait for the writes of the old one", () => {
    const { consistency, applied } = caches();
    applied["pods"] = "5";
    consistency.wrote(web, Pods, "10");
    consistency.wrote({ key: "shop/web", uid: "uid-2" }, Pods, "4");
    expect(() => consistency.ensureReady("shop/web")).not.toThrow();
  });

  test("forgetting with a uid keeps the writes of another object with the same name", () => {
    const { consistency, applied } = caches();
    applied["pods"] = "5";
    consistency.wrote(web, Pods, "10");
    consistency.forget("shop/web", "uid-0");
    expect(() => consistency.ensureReady("shop/web")).toThrow(CacheBehindError);
    consistency.forget("shop/web", "uid-1");
    expect(() => consistency.ensureReady("shop/web")).not.toThrow();
    consistency.wrote(web, Pods, "10");
    consistency.forget("shop/web");
    expect(() => consistency.ensureReady("shop/web")).not.toThrow();
  });

  test("a cache without a version, or versions that are not numbers, hold no key back", () => {
    const { consistency, applied } = caches();
    consistency.wrote(web, Pods, "10");
    expect(() => consistency.ensureReady("shop/web")).not.toThrow();
    applied["pods"] = "5";
    consistency.wrote(web, Pods, "opaque");
    expect(() => consistency.ensureReady("shop/web")).not.toThrow();
  });

  test("a comparable version replaces one that is not", () => {
    const { consistency, applied } = caches();
    applied["pods"] = "5";
    consistency.wrote(web, Pods, "opaque");
    consistency.wrote(web, Pods, "10");
    expect(() => consistency.ensureReady("shop/web")).toThrow(CacheBehindError);
  });
});
