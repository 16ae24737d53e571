import { expect, test } from "bun:test";
import { prunedNamespaces } from "../../../../plugin/commands/dry-run/namespaces.ts";
import type { Manifest } from "../../../../plugin/manifests/manifests.ts";

const namespace = (name: string): Manifest => ({
  file: "a.yaml",
  document: 1,
  line: 1,
  object: { apiVersion: "v1", kind: "Namespace", metadata: { name } },
});

test("--prune deletes the namespaces whose manifests are gone", () => {
  const sides = { baseline: [namespace("a"), namespace("b")], manifests: [namespace("b"), namespace("c")] };
  const words = { ...sides, deletes: [], scales: [], nodesDown: [], drains: [] };
  expect(prunedNamespaces({ ...words, prune: true })).toEqual(["a"]);
  expect(prunedNamespaces({ ...words, prune: false })).toEqual([]);
});
