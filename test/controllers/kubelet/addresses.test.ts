import { describe, expect, test } from "bun:test";
import type { Node } from "../../../src/api/types.ts";
import { AddressRange } from "../../../src/controllers/kubelet/addresses.ts";
import { isSilent, isSimulated } from "../../../src/controllers/kubelet/simulated.ts";
import { annotation } from "../../support/pods.ts";

const nodeWith = (podCIDR: string, annotations: Readonly<Record<string, string>> = {}): Node => ({
  metadata: { name: "n", uid: "u", resourceVersion: "1", creationTimestamp: "", annotations },
  spec: { podCIDR },
});

describe("AddressRange", () => {
  test("gives each pod a separate address, across the end of an octet", () => {
    const range = new AddressRange(nodeWith("10.4.0.0/16"));
    const addresses = Array.from({ length: 600 }, () => range.allocate());
    expect(new Set(addresses).size).toBe(600);
    expect([addresses[0], addresses[254], addresses[255]]).toEqual(["10.4.0.1", "10.4.0.255", "10.4.1.0"]);
  });

  test("skips used addresses, and reuses a released one as late as possible", () => {
    const range = new AddressRange(nodeWith("10.4.0.0/29"));
    range.take("10.4.0.2");
    const addresses = [1, 2, 3].map(() => range.allocate());
    expect(addresses).toEqual(["10.4.0.1", "10.4.0.3", "10.4.0.4"]);
    range.release("10.4.0.1");
    expect([range.allocate(), range.allocate(), range.allocate()]).toEqual(["10.4.0.5", "10.4.0.6", "10.4.0.1"]);
  });

  test("returns a used address when there is no other", () => {
    const range = new AddressRange(nodeWith("10.4.0.0/30"));
    expect([1, 2, 3].map(() => range.allocate())).toEqual(["10.4.0.1", "10.4.0.2", "10.4.0.1"]);
  });
});

test("a node is simulated by this project's annotation or by kwok's", () => {
  const annotationSets = [
    {},
    { [annotation("node")]: "simulated" },
    { [annotation("node")]: "no" },
    { "kwok.x-k8s.io/node": "fake" },
  ];
  expect(annotationSets.map((annotations) => isSimulated(nodeWith("", annotations)))).toEqual([
    false,
    true,
    false,
    true,
  ]);
  expect(isSilent(nodeWith("", { [annotation("silent")]: "true" }))).toBe(true);
});
