import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { jsonPatch, mergePatch, PatchError } from "../../src/api/patch.ts";
import { strategicMerge, type MergeRules } from "../../src/api/strategic-merge.ts";

const seed = 20261121;
const plain = fc.dictionary(
  fc.constantFrom("a", "b", "c"),
  fc.oneof(fc.integer(), fc.string(), fc.array(fc.integer())),
);

describe("patches", () => {
  test("a merge patch without changes changes nothing, and does not modify its arguments", () => {
    fc.assert(
      fc.property(plain, plain, (target, patch) => {
        const [before, patchText] = [JSON.stringify(target), JSON.stringify(patch)];
        const once = mergePatch(target, patch);
        expect(mergePatch(once, patch)).toEqual(once as object);
        expect([JSON.stringify(target), JSON.stringify(patch)]).toEqual([before, patchText]);
      }),
      { seed, numRuns: 300 },
    );
  });

  test("a JSON patch that fails has changed nothing", () => {
    const target = { a: { b: 1 }, list: [1, 2] };
    const failing = [
      { op: "replace", path: "/a/b", value: 2 },
      { op: "test", path: "/list/0", value: 9 },
    ];
    expect(() => jsonPatch(target, failing)).toThrow(PatchError);
    expect(target).toEqual({ a: { b: 1 }, list: [1, 2] });
  });

  test("a JSON patch has a limit on the bytes that it copies, however short it is", () => {
    const bomb = Array.from({ length: 20 }, (_, n) => ({ op: "copy", from: "/a", path: `/a/${n}` }));
    const target = { a: { text: "x".repeat(1000) } };
    expect(() => jsonPatch(target, bomb, { maxCopyBytes: 100_000 })).toThrow("accumulated size");
    const few = bomb.slice(0, 2);
    expect(JSON.stringify(jsonPatch(target, few, { maxCopyBytes: 100_000 })).length).toBeGreaterThan(3000);
  });

  test("keys that would change prototypes are treated as data", () => {
    const patched = mergePatch({}, JSON.parse('{"__proto__":{"x":1}}')) as Record<string, unknown>;
    expect([Object.keys(patched), ({} as Record<string, unknown>)["x"]]).toEqual([["__proto__"], undefined]);
    const added = jsonPatch({}, [{ op: "add", path: "/__proto__", value: { y: 1 } }]) as object;
    expect([Object.keys(added), ({} as Record<string, unknown>)["y"]]).toEqual([["__proto__"], undefined]);
    const rules: MergeRules = { name: "Data", field: () => undefined };
    const merged = strategicMerge({}, JSON.parse('{"data":{"__proto__":"z"}}'), rules)["data"] as object;
    expect([Object.keys(merged), ({} as Record<string, unknown>)["z"]]).toEqual([["__proto__"], undefined]);
  });

  const byName: MergeRules = {
    name: "Item",
    field: () => ({ merges: true, replaces: false, mergeKey: "name", rules: undefined }),
  };

  test("the same strategic merge patch twice has the effect of one", () => {
    const items = fc.uniqueArray(
      fc.record({ name: fc.constantFrom("a", "b", "c", "d"), value: fc.integer({ min: 0, max: 3 }) }),
      {
        selector: ({ name }) => name,
      },
    );
    fc.assert(
      fc.property(items, items, (list, patch) => {
        const once = strategicMerge({ list }, { list: patch }, byName);
        expect(strategicMerge(once, { list: patch }, byName)).toEqual(once);
        const names = (once["list"] as { name: string }[]).map(({ name }) => name);
        expect(new Set(names)).toEqual(new Set([...list, ...patch].map(({ name }) => name)));
      }),
      { seed, numRuns: 300 },
    );
  });
});
