import { describe, expect, test } from "bun:test";
import { isSamePodTemplate } from "../../../../src/controller/workload/pod-template/equal.ts";
import golden from "./golden.json";

const container = (more: object = {}): object => ({ spec: { containers: [{ name: "web", image: "web:1", ...more }] } });
const labelled = (labels: object): object => ({ metadata: { labels }, ...container() });
const limits = (memory: string): object => container({ resources: { limits: { memory } } });

describe("two pod templates are the same", () => {
  const same = [
    {
      name: "with and without the hash",
      one: labelled({ a: "b", "pod-template-hash": "x" }),
      other: labelled({ a: "b" }),
    },
    {
      name: "with two hashes",
      one: labelled({ "pod-template-hash": "x" }),
      other: labelled({ "pod-template-hash": "y" }),
    },
    { name: "with only the hash and without labels", one: labelled({ "pod-template-hash": "x" }), other: container() },
    { name: "with keys in another order", one: labelled({ a: "1", b: "2" }), other: labelled({ b: "2", a: "1" }) },
    { name: "with quantities in other units", one: limits("1Gi"), other: limits("1073741824") },
    { name: "with an empty list and without one", one: container({ args: [] }), other: container() },
    { name: "with an empty map and without one", one: labelled({}), other: container() },
    {
      name: "with null for an unset time",
      one: { metadata: { creationTimestamp: null }, ...container() },
      other: container(),
    },
    { name: "with an empty string and without one", one: container({ workingDir: "" }), other: container() },
  ];
  for (const { name, one, other } of same) {
    test(name, () => {
      expect(isSamePodTemplate(one, other)).toBe(true);
      expect(isSamePodTemplate(other, one)).toBe(true);
    });
  }
});

describe("two pod templates differ", () => {
  const different = [
    { name: "in a label", one: labelled({ a: "b" }), other: labelled({ a: "c" }) },
    { name: "in an additional label", one: labelled({ a: "b" }), other: labelled({ a: "b", c: "" }) },
    { name: "in the image", one: container(), other: container({ image: "web:2" }) },
    { name: "in a quantity", one: limits("1Gi"), other: limits("1025Mi") },
    { name: "in an empty struct", one: container({ securityContext: {} }), other: container() },
    {
      name: "in a pointer to 0",
      one: container({ securityContext: { runAsUser: 0 } }),
      other: container({ securityContext: {} }),
    },
    {
      name: "in an inlined field",
      one: { spec: { volumes: [{ name: "a", emptyDir: {} }] } },
      other: { spec: { volumes: [{ name: "a" }] } },
    },
    {
      name: "in a port by number and by name",
      one: container({ readinessProbe: { httpGet: { port: 80 } } }),
      other: container({ readinessProbe: { httpGet: { port: "80" } } }),
    },
    {
      name: "in the order of containers",
      one: { spec: { containers: [{ name: "a" }, { name: "b" }] } },
      other: { spec: { containers: [{ name: "b" }, { name: "a" }] } },
    },
    { name: "in an unknown field", one: container({ future: 1 }), other: container() },
  ];
  for (const { name, one, other } of different) {
    test(name, () => {
      expect(isSamePodTemplate(one, other)).toBe(false);
      expect(isSamePodTemplate(other, one)).toBe(false);
    });
  }
});

interface Golden {
  readonly what: string;
  readonly template: object;
  readonly hash: string;
  readonly collisions?: number;
}

test("every template of the golden hashes equals its copy, and no template with another hash", () => {
  const all = (golden as unknown as readonly Golden[]).filter(({ collisions }) => collisions === undefined);
  const wrong: string[] = [];
  for (const [n, { what, template, hash }] of all.entries()) {
    if (!isSamePodTemplate(template, structuredClone(template))) wrong.push(`${what} and its copy`);
    // Compare each with the next 19: all pairs would be half a million.
    for (const other of all.slice(n + 1, n + 20)) {
      const isSame = isSamePodTemplate(template, other.template);
      if (isSame && hash !== other.hash && !other.what.startsWith("quantity ")) wrong.push(`${what} and ${other.what}`);
      if (!isSame && hash === other.hash) wrong.push(`${what} and ${other.what} have one hash`);
    }
  }
  expect(wrong).toEqual([]);
});
