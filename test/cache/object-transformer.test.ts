import { describe, expect, test } from "bun:test";
import { Indexer } from "../../src/cache/indexer.ts";
import { ObjectTransformer } from "../../src/cache/object-transformer.ts";
import type { Widget } from "../support/fake-lister-watcher.ts";

const widget = (uid: string, resourceVersion: string): Widget => ({
  metadata: {
    name: "a",
    namespace: "shop",
    uid,
    resourceVersion,
    creationTimestamp: "",
    managedFields: [{ manager: "kubectl", operation: "Update", time: "10:00", fieldsV1: { "f:spec": {} } }],
  },
  spec: { size: 1 },
});

function transformerWith(known: Widget | undefined, wanted = false): ObjectTransformer<Widget> {
  const indexer = new Indexer<Widget>();
  if (known !== undefined) indexer.set("shop/a", known);
  return new ObjectTransformer({ indexer, tracksFieldManagers: () => wanted });
}

describe("ObjectTransformer", () => {
  for (const { name, listed, same } of [
    {
      name: "an unchanged object of a list is taken from the cache",
      listed: widget("u1", "5"),
      same: true,
    },
    { name: "not if it has another version", listed: widget("u1", "6"), same: false },
    {
      name: "not if it is another object with the same name, from a restored cluster",
      listed: widget("u2", "5"),
      same: false,
    },
  ]) {
    test(name, () => {
      const known = widget("u1", "5");
      expect(transformerWith(known).fromList(listed) === known).toBe(same);
    });
  }

  test("not if objects have no version, so that equality is unknown", () => {
    const known = widget("u1", "");
    expect(transformerWith(known).fromList(widget("u1", ""))).not.toBe(known);
  });

  test("freezes objects at any depth, if that is enabled", () => {
    for (const freeze of [true, false]) {
      const transformer = new ObjectTransformer<Widget>({
        indexer: new Indexer(),
        tracksFieldManagers: () => false,
        freeze,
      });
      for (const object of [
        transformer.fromList(widget("u1", "5")),
        transformer.fromWatch({ type: "MODIFIED", object: widget("u1", "6") }, 7).object,
      ])
        expect([Object.isFrozen(object), Object.isFrozen(object.spec)]).toEqual([freeze, freeze]);
    }
  });

  test("keeps no managedFields for an object that came without them", () => {
    const transformer = transformerWith(undefined, true);
    const { managedFields: _, ...metadata } = widget("u1", "5").metadata;
    const object = transformer.fromList({ metadata, spec: { size: 1 } });
    expect(transformer.managedFields(object)).toBeUndefined();
    expect(
      transformer.fromWatch({ type: "MODIFIED", object: { metadata, spec: { size: 1 } } }, 7).managedFields,
    ).toBeUndefined();
  });

  test("transforms objects of lists and watches in the same way, and a change in a watch is not a tombstone", () => {
    const transformer = new ObjectTransformer<Widget>({
      indexer: new Indexer(),
      tracksFieldManagers: () => false,
      transform: ({ metadata, spec }) => ({ metadata: { ...metadata, name: "b" }, spec: { size: spec.size + 1 } }),
    });
    expect(transformer.fromList(widget("u1", "5")).spec.size).toBe(2);
    expect(transformer.fromWatch({ type: "DELETED", object: widget("u1", "6") }, 7)).toMatchObject({
      type: "Deleted",
      key: "shop/b",
      object: { spec: { size: 2 } },
      tombstone: false,
    });
  });

  test("removes managedFields, and keeps a short form separately while field managers are tracked", () => {
    for (const wanted of [false, true]) {
      const transformer = transformerWith(undefined, wanted);
      const object = transformer.fromList(widget("u1", "5"));
      expect(Object.keys(object.metadata)).not.toContain("managedFields");
      const kept = transformer.managedFields(object);
      if (wanted) expect(kept).toMatchObject([{ manager: "kubectl", time: "10:00" }]);
      else expect(kept).toBeUndefined();
    }
  });

  test("passes the whole managedFields on with a change while field managers are tracked", () => {
    expect(transformerWith(undefined, true).fromWatch({ type: "ADDED", object: widget("u1", "5") }, 7)).toMatchObject({
      type: "Added",
      key: "shop/a",
      receivedAt: 7,
      managedFields: [{ manager: "kubectl" }],
    });
    expect(
      transformerWith(undefined).fromWatch({ type: "ADDED", object: widget("u1", "5") }, 7).managedFields,
    ).toBeUndefined();
  });
});
