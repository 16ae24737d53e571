import { describe, expect, test } from "bun:test";
import type { Pod, PodSpec } from "../../../src/api/types.ts";
import { amountOf, requestsOf } from "../../../src/controllers/scheduler/requests.ts";

const container = (name: string, cpu: string, more: object = {}): object => ({
  name,
  resources: { requests: { cpu } },
  ...more,
});

const podWith = (spec: object): Pod => ({
  metadata: { name: "p", uid: "u", resourceVersion: "1", creationTimestamp: "" },
  spec: spec as PodSpec,
});

const sums: readonly { readonly name: string; readonly spec: object; readonly cpu: number }[] = [
  { name: "containers are added up", spec: { containers: [container("a", "1"), container("b", "250m")] }, cpu: 1250 },
  {
    name: "the largest init container counts if it is larger",
    spec: { initContainers: [container("i", "2"), container("j", "1")], containers: [container("a", "1")] },
    cpu: 2000,
  },
  {
    name: "a sidecar is added to containers and later init containers",
    spec: {
      initContainers: [
        container("i", "500m"),
        container("s", "1", { restartPolicy: "Always" }),
        container("j", "1500m"),
      ],
      containers: [container("a", "1")],
    },
    cpu: 2500,
  },
  {
    name: "an overhead is added",
    spec: { containers: [container("a", "1")], overhead: { cpu: "100m" } },
    cpu: 1100,
  },
  {
    name: "pod-level requests replace those of its containers",
    spec: { containers: [container("a", "1")], resources: { requests: { cpu: "3" } } },
    cpu: 3000,
  },
];

describe("requestsOf", () => {
  test.each(sums)("$name", ({ spec, cpu }) => {
    expect(requestsOf(podWith(spec)).requested.get("cpu")).toBe(cpu);
  });

  test("assumes 100m and 200 MiB for a container without requests, only for the score", () => {
    const { requested, scored } = requestsOf(podWith({ containers: [{ name: "a" }, { name: "b" }] }));
    expect([...requested]).toEqual([]);
    expect(Object.fromEntries(scored)).toEqual({ cpu: 200, memory: 2 * 200 * 1024 * 1024 });
  });
});

const amounts = [
  { resource: "cpu", text: "1", amount: 1000 },
  { resource: "cpu", text: "0.0005", amount: 1 },
  { resource: "memory", text: "1Gi", amount: 1024 ** 3 },
  { resource: "memory", text: "1.5", amount: 2 },
  { resource: "example.com/gpu", text: "2", amount: 2 },
  { resource: "cpu", text: "many", amount: 0 },
];

test.each(amounts)("amountOf($resource, $text) is $amount", ({ resource, text, amount }) => {
  expect(amountOf(resource, text)).toBe(amount);
});
