import { describe, expect, test } from "bun:test";
import type { Pod } from "../../../src/api/types.ts";
import { requestsOf } from "../../../src/controllers/horizontal-pod-autoscaler/requests.ts";

/** A container that requests this memory. */
const container = (memory: string | undefined, more: object = {}): object => ({
  name: "c",
  ...(memory !== undefined && { resources: { requests: { memory } } }),
  ...more,
});
const sidecar = { restartPolicy: "Always" };

function requestOf(spec: object): bigint | undefined {
  // A pod with only the fields that the controller reads.
  const pod = { metadata: { name: "web" }, spec } as unknown as Pod;
  return requestsOf([pod], { resource: "memory", container: undefined }).get("web");
}

describe("a pod with pod-level requests", () => {
  const resources = { requests: { cpu: "1" } };

  test.each([
    ["its containers", { containers: [container("1"), container("2")] }, 3000n],
    [
      "a container that starts alone and needs more",
      { initContainers: [container("5")], containers: [container("2")] },
      5000n,
    ],
    [
      "one that starts beside a sidecar",
      { initContainers: [container("1", sidecar), container("3")], containers: [container("2")] },
      4000n,
    ],
    ["a sidecar beside the others", { initContainers: [container("4", sidecar)], containers: [container("2")] }, 6000n],
    ["some of which request none", { containers: [container("1"), container(undefined)] }, 1000n],
    ["and what running it costs", { containers: [container("1")], overhead: { memory: "500m" } }, 1500n],
  ])("requests of another resource what its containers do: %s", (_name, spec, milli) => {
    expect(requestOf({ ...spec, resources })).toBe(milli);
  });

  test("uses these, whatever its containers request", () => {
    expect(requestOf({ containers: [container("9")], resources: { requests: { memory: "2" } } })).toBe(2000n);
  });

  test("can request none of a resource, which is an error", () => {
    expect(() => requestOf({ containers: [container(undefined)], resources })).toThrow(
      "missing pod-level request for memory in Pod web",
    );
  });
});

test("an init container that ends does not count in a pod without pod-level requests", () => {
  expect(requestOf({ initContainers: [container("5"), container("1", sidecar)], containers: [container("2")] })).toBe(
    3000n,
  );
});
