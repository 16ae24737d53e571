import { describe, expect, test } from "bun:test";
import { kindNamed, objectNamed, typesAndNames } from "../../../plugin/names/object-names.ts";
import { isNameOf } from "../../../src/client/api/discovery.ts";
import { type Kind, kindOf } from "../../../src/api/kind.ts";
import { Deployments, Pods, ReplicaSets } from "../../../src/api/kinds.ts";

const Widgets = kindOf({ group: "example.com", version: "v1", kind: "Widget", plural: "widgets", namespaced: true });
const kinds: readonly Kind[] = [Pods, Deployments, ReplicaSets, Widgets];

/** The advice for an unknown type. */
function adviceFor(type: string, among: readonly Kind[] = kinds): string | undefined {
  try {
    kindNamed(type, among, "kubectl reconcile");
  } catch (error) {
    return (error as { readonly next: readonly string[] }).next[0];
  }
  return undefined;
}

describe("the name of a type", () => {
  test.each([
    { word: "rs", kind: ReplicaSets },
    { word: "replicaset", kind: ReplicaSets },
    { word: "ReplicaSet", kind: ReplicaSets },
    { word: "replicaset.apps", kind: ReplicaSets },
    { word: "replicasets.apps", kind: ReplicaSets },
    { word: "deployment.v1.apps", kind: Deployments },
    { word: "deployments.v1.apps", kind: Deployments },
    { word: "deploy.apps", kind: Deployments },
    { word: "widget.example.com", kind: Widgets },
    { word: "widgets.v1.example.com", kind: Widgets },
    { word: "pods.v1.", kind: Pods },
  ])("$word is that of $kind.kind", ({ word, kind }) => {
    expect(kinds.filter((each) => isNameOf(each, word))).toEqual([kind]);
    expect(kindNamed(word, kinds, "kubectl reconcile")).toBe(kind);
    expect(objectNamed(`${word}/x`, kinds, "shop")).toMatchObject({ kind, key: "shop/x" });
  });

  test.each(["deployment.v2.apps", "widget.example.org", "pods.apps", "s"])("%s is that of none", (word) => {
    expect(kinds.filter((each) => isNameOf(each, word))).toEqual([]);
  });

  test("that is misspelt leads to a suggestion", () => {
    expect(adviceFor("deploymnt")).toBe("did you mean deployment?");
    expect(adviceFor("podz")).toBe("did you mean pods?");
    expect(adviceFor("replicaset5")).toBe("did you mean replicasets?");
    // Two letters of three say nothing.
    expect(adviceFor("web")).toBe("`kubectl api-resources` lists what it has");
    expect(adviceFor("frob")).toBe("`kubectl api-resources` lists what it has");
  });
});

describe("objects on the command line", () => {
  test.each([
    { words: ["deploy/web"], named: [{ type: "deploy", name: "web" }] },
    { words: ["deploy", "web"], named: [{ type: "deploy", name: "web" }] },
    {
      words: ["pod", "a", "b"],
      named: [
        { type: "pod", name: "a" },
        { type: "pod", name: "b" },
      ],
    },
    {
      words: ["replicaset.apps/web-1", "pod/a"],
      named: [
        { type: "replicaset.apps", name: "web-1" },
        { type: "pod", name: "a" },
      ],
    },
    { words: ["pods"], named: [{ type: "pods", name: undefined }] },
    {
      words: ["deploy,rs"],
      named: [
        { type: "deploy", name: undefined },
        { type: "rs", name: undefined },
      ],
    },
    { words: [], named: [] },
  ])("$words", ({ words, named }) => {
    expect(typesAndNames(words)).toEqual(named);
  });

  test.each([[["deploy/"]], [["/web"]], [["deploy/web/x"]], [["deploy", "pod/web"]], [["deploy,"]], [[""]]])(
    "%p is refused",
    (words) => {
      expect(() => typesAndNames(words)).toThrow("does not name objects");
    },
  );
});
