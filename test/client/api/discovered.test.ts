import { describe, expect, test } from "bun:test";
import { pathOf, resourceOf } from "../../../src/api/kind.ts";
import { assumedKind } from "../../../src/client/api/discovered.ts";

describe("a kind whose name alone is known", () => {
  test("is namespaced, has a regular plural, and allows no verbs", () => {
    const kind = assumedKind("example.com/v1alpha1", "Widget");
    expect(kind).toMatchObject({
      group: "example.com",
      version: "v1alpha1",
      kind: "Widget",
      namespaced: true,
      verbs: [],
    });
    expect(resourceOf(kind)).toBe("widgets.example.com");
  });

  test("is in the core group if its apiVersion has none", () => {
    const kind = assumedKind("v2", "Gadget");
    expect(kind).toMatchObject({ group: "", version: "v2" });
    expect(pathOf(kind, { namespace: "shop", name: "a" })).toBe("/api/v2/namespaces/shop/gadgets/a");
  });
});
