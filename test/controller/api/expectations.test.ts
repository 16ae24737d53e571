import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { controllerExpectations, type Expectations } from "../../../src/controller/api/expectations.ts";

function at(start = 0): { expectations: Expectations; pass: (ms: number) => void } {
  let now = start;
  return { expectations: controllerExpectations(() => now), pass: (ms) => (now += ms) };
}

describe("controllerExpectations", () => {
  test("a key without expectations is satisfied", () => {
    const { expectations } = at();
    expect(expectations.satisfied("shop/web")).toBeTrue();
    expect(expectations.of("shop/web")).toBeUndefined();
    expectations.creationObserved("shop/web");
    expectations.deletionObserved("shop/web", "shop/web-a");
    expect(expectations.of("shop/web")).toBeUndefined();
  });

  test("creations are counted down, and more than expected may be observed", () => {
    const { expectations } = at();
    expectations.expectCreations("shop/web", 2);
    expectations.creationObserved("shop/web");
    expect(expectations.satisfied("shop/web")).toBeFalse();
    expectations.creationObserved("shop/web");
    expect(expectations.satisfied("shop/web")).toBeTrue();
    expectations.creationObserved("shop/web");
    expect(expectations.of("shop/web")?.creations).toBe(-1);
    expect(expectations.satisfied("shop/web")).toBeTrue();
  });

  test("a deletion observed twice counts once, and an unexpected one does not count", () => {
    const { expectations } = at();
    expectations.expectDeletions("shop/web", ["shop/web-a", "shop/web-b"]);
    expectations.deletionObserved("shop/web", "shop/web-a");
    expectations.deletionObserved("shop/web", "shop/web-a");
    expectations.deletionObserved("shop/web", "shop/other");
    expect([...(expectations.of("shop/web")?.deletions ?? [])]).toEqual(["shop/web-b"]);
    expect(expectations.satisfied("shop/web")).toBeFalse();
    expectations.deletionObserved("shop/web", "shop/web-b");
    expect(expectations.satisfied("shop/web")).toBeTrue();
  });

  test("they expire after five minutes, and later observations do not renew them", () => {
    const { expectations, pass } = at(1000);
    expectations.expectCreations("shop/web", 2);
    pass(5 * 60_000);
    expect(expectations.satisfied("shop/web")).toBeFalse();
    expectations.creationObserved("shop/web");
    pass(1);
    expect(expectations.satisfied("shop/web")).toBeTrue();
    expect(expectations.of("shop/web")).toMatchObject({ creations: 1, since: 1000 });
  });

  test("updates add up, are observed one by one, hold nothing back, and are forgotten with the key", () => {
    const { expectations } = at();
    expectations.expectUpdates("shop/web", ["a", "b"]);
    expectations.expectUpdates("shop/web", ["c"]);
    expect(expectations.satisfied("shop/web")).toBeTrue();
    const before = expectations.updatesOf("shop/web");
    expectations.updateObserved("shop/web", "b");
    expectations.updateObserved("shop/web", "x");
    expectations.updateObserved("shop/other", "a");
    expect([...expectations.updatesOf("shop/web")]).toEqual(["a", "c"]);
    expect([...before]).toEqual(["a", "b", "c"]);
    expectations.expectCreations("shop/web", 1);
    expect(expectations.updatesOf("shop/web").size).toBe(2);
    expectations.forget("shop/web");
    expect(expectations.updatesOf("shop/web").size).toBe(0);
  });

  test("new expectations replace the old ones, including those of the other kind", () => {
    const { expectations } = at();
    expectations.expectCreations("shop/web", 5);
    expectations.expectDeletions("shop/web", ["shop/web-a"]);
    expect(expectations.of("shop/web")?.creations).toBe(0);
    expectations.expectCreations("shop/web", 1);
    expect(expectations.of("shop/web")?.deletions.size).toBe(0);
    expect(expectations.satisfied("shop/web")).toBeFalse();
  });

  test("creations and deletions together are satisfied when both were observed", () => {
    const { expectations } = at();
    expectations.expectCreations("shop/web", 9);
    expectations.expect("shop/web", { creations: 2, deletions: ["shop/web-a"] });
    expectations.creationObserved("shop/web");
    expectations.creationObserved("shop/web");
    expect(expectations.satisfied("shop/web")).toBeFalse();
    expectations.deletionObserved("shop/web", "shop/web-a");
    expect(expectations.satisfied("shop/web")).toBeTrue();
    expectations.expect("shop/web", { creations: 0, deletions: [] });
    expect(expectations.of("shop/web")).toMatchObject({ creations: 0, deletions: new Set() });
  });

  test("keys are independent, and a forgotten one is satisfied", () => {
    const { expectations } = at();
    expectations.expectCreations("shop/web", 1);
    expectations.expectCreations("shop/api", 1);
    expectations.creationObserved("shop/api");
    expect([expectations.satisfied("shop/web"), expectations.satisfied("shop/api")]).toEqual([false, true]);
    expectations.forget("shop/web");
    expect(expectations.satisfied("shop/web")).toBeTrue();
  });

  test("in any order of observations, a key is satisfied at the last one and not before", () => {
    const orders = fc.uniqueArray(fc.integer({ min: 0, max: 50 }), { minLength: 1, maxLength: 20 });
    fc.assert(
      fc.property(orders, fc.boolean(), (pods, deleting) => {
        const { expectations } = at();
        const keys = pods.map((pod) => `shop/web-${pod}`);
        if (deleting) expectations.expectDeletions("shop/web", keys);
        else expectations.expectCreations("shop/web", keys.length);
        for (const [index, key] of keys.toSorted().entries()) {
          expect(expectations.satisfied("shop/web")).toBeFalse();
          expect(index).toBeLessThan(keys.length);
          if (deleting) expectations.deletionObserved("shop/web", key);
          else expectations.creationObserved("shop/web");
        }
        expect(expectations.satisfied("shop/web")).toBeTrue();
      }),
      { seed: 20261121, numRuns: 200 },
    );
  });
});
