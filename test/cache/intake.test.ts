import { describe, expect, test } from "bun:test";
import { Indexer } from "../../src/cache/indexer.ts";
import { Intake } from "../../src/cache/intake.ts";
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

function intakeWith(known: Widget | undefined, wanted = false): Intake<Widget> {
  const indexer = new Indexer<Widget>();
  if (known !== undefined) indexer.set("shop/a", known);
  return new Intake({ indexer, wantsWriters: () => wanted });
}

describe("Intake", () => {
  for (const { name, listed, same } of [
    {
      name: "an object of a list is taken from the cache if it is the very same",
      listed: widget("u1", "5"),
      same: true,
    },
    { name: "not if it is another version", listed: widget("u1", "6"), same: false },
    {
      name: "not if it is another object of that name, of a cluster that was set back",
      listed: widget("u2", "5"),
      same: false,
    },
  ]) {
    test(name, () => {
      const known = widget("u1", "5");
      expect(intakeWith(known).listed(listed) === known).toBe(same);
    });
  }

  test("takes managedFields off, and keeps a short form beside the object while somebody wants it", () => {
    for (const wanted of [false, true]) {
      const intake = intakeWith(undefined, wanted);
      const object = intake.listed(widget("u1", "5"));
      expect(Object.keys(object.metadata)).not.toContain("managedFields");
      const kept = intake.managedFields(object);
      if (wanted) expect(kept).toMatchObject([{ manager: "kubectl", time: "10:00" }]);
      else expect(kept).toBeUndefined();
    }
  });

  test("hands the whole managedFields on with a change, while somebody wants them", () => {
    expect(intakeWith(undefined, true).watched("Added", widget("u1", "5"), 7)).toMatchObject({
      type: "Added",
      key: "shop/a",
      receivedAt: 7,
      managedFields: [{ manager: "kubectl" }],
    });
    expect(intakeWith(undefined).watched("Added", widget("u1", "5"), 7).managedFields).toBeUndefined();
  });
});
