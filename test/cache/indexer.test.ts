import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { keyOf } from "../../src/api/key.ts";
import { parseSelector } from "../../src/api/selector-parser.ts";
import { Indexer } from "../../src/cache/indexer.ts";
import type { Widget } from "../support/fake-lister-watcher.ts";

const widget = (name: string, namespace = "shop", labels: Record<string, string> = {}, size = 1): Widget => ({
  metadata: { name, namespace, labels, uid: name, resourceVersion: "1", creationTimestamp: "" },
  spec: { size },
});
const bySize = (object: Widget): readonly string[] =>
  object.spec.size === 0 ? [] : [`size ${object.spec.size}`, "any"];
const names = (objects: readonly Widget[]): string[] =>
  objects.map(({ metadata }) => `${metadata.namespace}/${metadata.name}`);

function indexerOf(...objects: readonly Widget[]): Indexer<Widget> {
  const indexer = new Indexer<Widget>();
  for (const object of objects) indexer.set(keyOf(object), object);
  return indexer;
}

describe("Indexer", () => {
  test("reads by key, by namespace and name, and by namespace", () => {
    const indexer = indexerOf(widget("a"), widget("b"), widget("a", "lab"));
    expect(indexer.get("lab/a")?.metadata.namespace).toBe("lab");
    expect(indexer.getNamespaced("shop", "b")?.metadata.name).toBe("b");
    expect(names(indexer.list("shop"))).toEqual(["shop/a", "shop/b"]);
    expect(names(indexer.list())).toEqual(["shop/a", "shop/b", "lab/a"]);
    expect(names(indexer.list(""))).toEqual(names(indexer.list()));
    expect(indexer.list("nowhere")).toEqual([]);
    expect(indexer.size).toBe(3);
  });

  test("selects by labels", () => {
    const indexer = indexerOf(
      widget("a", "shop", { app: "x" }),
      widget("b", "shop", { app: "y" }),
      widget("c", "lab", { app: "x" }),
    );
    expect(names(indexer.listSelected("shop", parseSelector("app=x")))).toEqual(["shop/a"]);
    expect(names(indexer.listSelected(undefined, parseSelector("app=x")))).toEqual(["shop/a", "lab/c"]);
    expect(indexer.listSelected(undefined, "nothing")).toEqual([]);
    expect(indexer.listSelected(undefined, [])).toHaveLength(3);
    expect(indexer.listSelected("nowhere", parseSelector("app=x"))).toEqual([]);
  });

  test("an index follows changes and deletions", () => {
    const indexer = indexerOf(widget("a"), widget("b", "shop", {}, 2));
    indexer.addIndexes({ bySize });
    expect(names(indexer.byIndex("bySize", "size 1"))).toEqual(["shop/a"]);
    indexer.set("shop/a", widget("a", "shop", {}, 2));
    expect(names(indexer.byIndex("bySize", "size 1"))).toEqual([]);
    expect(names(indexer.byIndex("bySize", "size 2"))).toEqual(["shop/b", "shop/a"]);
    indexer.delete("shop/b");
    expect(names(indexer.byIndex("bySize", "size 2"))).toEqual(["shop/a"]);
    expect(indexer.byIndex("bySize", "size 2")[0]?.spec.size).toBe(2);
  });

  test("an object that keeps its value keeps its place in the index; one that gets the value comes last", () => {
    const indexer = indexerOf(widget("a", "shop", {}, 2), widget("b"), widget("c"));
    indexer.addIndexes({ bySize });
    indexer.set("shop/b", widget("b", "shop", { app: "new" }));
    expect(names(indexer.byIndex("bySize", "size 1"))).toEqual(["shop/b", "shop/c"]);
    indexer.set("shop/a", widget("a"));
    expect(names(indexer.byIndex("bySize", "size 1"))).toEqual(["shop/b", "shop/c", "shop/a"]);
    expect(indexer.byIndex("bySize", "size 1")[0]?.metadata.labels).toEqual({ app: "new" });
  });

  test("a value that an index function returns twice counts once", () => {
    const indexer = indexerOf(widget("a"));
    indexer.addIndexes({ twice: ({ spec }) => [String(spec.size), String(spec.size)] });
    expect(names(indexer.byIndex("twice", "1"))).toEqual(["shop/a"]);
    indexer.set("shop/a", widget("a", "shop", {}, 2));
    expect([names(indexer.byIndex("twice", "1")), names(indexer.byIndex("twice", "2"))]).toEqual([[], ["shop/a"]]);
    indexer.delete("shop/a");
    expect(indexer.byIndex("twice", "2")).toEqual([]);
  });

  test("adding the same index again is allowed; a different one with the same name is not", () => {
    const indexer = indexerOf();
    indexer.addIndexes({ bySize });
    indexer.addIndexes({ bySize });
    expect(() => indexer.addIndexes({ bySize: () => [] })).toThrow("there is another one of this name");
    expect(() => indexer.byIndex("other", "x")).toThrow("Cannot read the index other: it was not added");
  });

  test("returns the object that was replaced or removed", () => {
    const first = widget("a");
    const indexer = indexerOf(first);
    expect(indexer.set("shop/a", widget("a", "shop", {}, 2))).toBe(first);
    expect(indexer.delete("shop/a")?.spec.size).toBe(2);
    expect(indexer.delete("shop/a")).toBeUndefined();
  });

  test("a cluster-scoped kind is only listed as a whole", () => {
    const indexer = new Indexer<Widget>();
    indexer.set("a", widget("a", ""));
    expect(indexer.list("")).toHaveLength(1);
    expect(indexer.list("shop")).toEqual([]);
  });

  test("namespaces and indexes always match the objects", () => {
    const step = fc.record({
      do: fc.constantFrom("set", "set", "set", "delete", "replace"),
      name: fc.constantFrom("a", "b", "c"),
      namespace: fc.constantFrom("shop", "lab"),
      size: fc.integer({ min: 0, max: 2 }),
    });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 30 }), (steps) => {
        const indexer = indexerOf();
        indexer.addIndexes({ bySize });
        const model = new Map<string, Widget>();
        // The namespace index is built when a namespace is first listed: before the changes below, or after them.
        if (steps.length % 2 === 0) indexer.list("shop");
        for (const { do: what, name, namespace, size } of steps) {
          const object = widget(name, namespace, {}, size);
          if (what === "set") {
            expect(indexer.set(keyOf(object), object)).toBe(model.get(keyOf(object)) as Widget);
            model.set(keyOf(object), object);
          } else if (what === "delete") {
            indexer.delete(keyOf(object));
            model.delete(keyOf(object));
          } else {
            indexer.replace([object]);
            model.clear();
            model.set(keyOf(object), object);
          }
        }
        const all = [...model.values()];
        expect(new Set(indexer.list())).toEqual(new Set(all));
        for (const namespace of ["shop", "lab"]) {
          expect(new Set(indexer.list(namespace))).toEqual(
            new Set(all.filter((o) => o.metadata.namespace === namespace)),
          );
        }
        for (const value of ["any", "size 1", "size 2"]) {
          expect(new Set(indexer.byIndex("bySize", value))).toEqual(
            new Set(all.filter((o) => bySize(o).includes(value))),
          );
        }
      }),
      { seed: 20261121, numRuns: 200 },
    );
  });
});
