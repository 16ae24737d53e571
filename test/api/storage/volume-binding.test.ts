import { describe, expect, test } from "bun:test";
import { volumeFor } from "../../../src/api/storage/volume-binding.ts";
import type { PersistentVolume, PersistentVolumeClaim } from "../../../src/api/types.ts";

type Modes = readonly ("ReadWriteOnce" | "ReadOnlyMany" | "ReadWriteMany")[];

const claim = {
  metadata: { name: "data", namespace: "shop", uid: "uid-data" },
  spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } },
} as unknown as PersistentVolumeClaim;

function volume(
  name: string,
  storage: string,
  accessModes: Modes = ["ReadWriteOnce"],
  more: object = {},
): PersistentVolume {
  const spec = { capacity: { storage }, accessModes, ...more };
  return { metadata: { name }, spec, status: { phase: "Available" } } as unknown as PersistentVolume;
}

const chosen = (reservedOnly: boolean, ...volumes: readonly PersistentVolume[]): string | undefined =>
  volumeFor(claim, { volumes, reservedOnly })?.metadata.name;

const reserved = { claimRef: { name: "data", namespace: "shop" } };

// Source: kubernetes v1.36 pkg/controller/volume/persistentvolume/index.go findByClaim, component-helpers pv_helpers.go FindMatchingVolume.
describe("the volume for a claim", () => {
  test("is the smallest that is large enough, of equal ones the first by name", () => {
    expect(chosen(false, volume("d", "3Gi"), volume("c", "2Gi"), volume("b", "2048Mi"), volume("a", "1Mi"))).toBe("b");
  });

  test("is one of those with the fewest access modes, even if it is larger", () => {
    expect(chosen(false, volume("a", "1Gi", ["ReadWriteOnce", "ReadWriteMany"]), volume("b", "9Gi"))).toBe("b");
  });

  test("is one of the access modes that come first by name, of modes of equal number", () => {
    const many = ["ReadWriteOnce", "ReadWriteMany"] as const;
    const only = ["ReadWriteOnce", "ReadOnlyMany"] as const;
    expect(chosen(false, volume("a", "2Gi", many), volume("b", "3Gi", only))).toBe("b");
  });

  test("is not taken, of another mode, too small, nor being deleted", () => {
    const modes = ["ReadWriteOnce"] as const;
    const taken = { claimRef: { name: "data", namespace: "shop", uid: "uid-other" } };
    const going = volume("d", "1Gi");
    Object.assign(going.metadata, { deletionTimestamp: "2026-01-01T00:00:00Z" });
    const none = [volume("a", "1Gi", modes, taken), volume("b", "1Gi", modes, { volumeMode: "Block" }), going];
    expect(chosen(false, ...none, volume("c", "1Mi"))).toBe(undefined);
    expect(chosen(false, ...none, volume("e", "1Gi"))).toBe("e");
  });

  test("is the one reserved for it, the first by name, even if a smaller one is free", () => {
    const modes = ["ReadWriteOnce"] as const;
    expect(
      chosen(false, volume("a", "1Gi"), volume("c", "5Gi", modes, reserved), volume("b", "9Gi", modes, reserved)),
    ).toBe("b");
  });

  test("is only a reserved one if the scheduler chooses among the free ones", () => {
    expect(chosen(true, volume("a", "1Gi"))).toBe(undefined);
    expect(chosen(true, volume("a", "1Gi"), volume("b", "9Gi", ["ReadWriteOnce", "ReadWriteMany"], reserved))).toBe(
      "b",
    );
  });

  test("has all access modes of the claim", () => {
    expect(chosen(false, volume("a", "1Gi", ["ReadOnlyMany"]))).toBe(undefined);
  });
});
