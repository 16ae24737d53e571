/** PersistentVolumeClaims and ReplicationControllers. */
import { paths } from "../case.ts";
import { podSpec } from "./core-kinds.ts";
import type { Dice } from "./dice.ts";
import type { Body, RandomKind } from "./kind.ts";
import { scale } from "./workload-kinds.ts";

const modes = ["ReadWriteOnce", "ReadOnlyMany", "ReadWriteOncePod"];

const source = (dice: Dice): Body =>
  dice.one<Body>([
    { kind: "PersistentVolumeClaim", name: "b" },
    { kind: "VolumeSnapshot", apiGroup: "snapshot.storage.k8s.io", name: "s" },
    { kind: "Else", apiGroup: "example.com", name: "e" },
    { kind: "Else", name: "" },
  ]);

const claims: RandomKind = {
  name: "persistentvolumeclaims",
  path: paths.persistentvolumeclaims,
  body: (dice, name) => ({
    metadata: { name },
    spec: {
      accessModes: dice.chance(0.9) ? dice.one([["ReadWriteOnce"], ["ReadOnlyMany"]]) : dice.some([...modes, "Else"]),
      resources: dice.chance(0.95) ? { requests: { storage: dice.one(["1Gi", "2Gi", "1.5Gi", "0"]) } } : undefined,
      storageClassName: dice.maybe(0.3, () => dice.one(["", "fast", "Not Good"])),
      volumeMode: dice.maybe(0.2, () => dice.one(["Block", "Filesystem", "Else"])),
      volumeName: dice.maybe(0.15, () => dice.one(["v", "w"])),
      selector: dice.maybe(0.1, () => ({ matchLabels: { a: dice.one(["b", "not good"]) } })),
      dataSource: dice.maybe(0.1, () => source(dice)),
      dataSourceRef: dice.maybe(0.1, () => source(dice)),
    },
  }),
  patches: (dice) => [
    ["merge", { spec: { resources: { requests: { storage: dice.one(["1Gi", "3Gi"]) } } } }],
    ["merge", { spec: { volumeName: dice.one(["v", "w", null]) } }],
    ["merge", { spec: { storageClassName: dice.one(["fast", "slow", null]) } }],
  ],
  status: (dice) => ({
    phase: dice.one(["Pending", "Bound", "Bound", "Lost"]),
    capacity: dice.maybe(0.5, () => ({ storage: dice.one(["1Gi", "2Gi"]) })),
  }),
};

const labels = { app: "a" };

const replicationControllers: RandomKind = {
  name: "replicationcontrollers",
  path: paths.replicationcontrollers,
  body: (dice, name) => ({
    metadata: { name },
    spec: {
      replicas: dice.maybe(0.8, () => dice.below(4) - (dice.chance(0.05) ? 4 : 0)),
      selector: dice.maybe(0.5, () => dice.one<Body>([labels, labels, {}, { app: "b" }])),
      template: dice.chance(0.95) ? { metadata: dice.maybe(0.95, () => ({ labels })), spec: podSpec(dice) } : undefined,
      minReadySeconds: dice.maybe(0.1, () => dice.one([5, -1])),
    },
  }),
  patches: (dice) => [
    ["merge", { spec: { replicas: dice.below(5) } }],
    ["merge", { spec: { selector: dice.one([null, labels, { app: "b" }]) } }],
    ["strategic", { spec: { template: { spec: { containers: [{ name: "c", image: dice.one(["i", "j"]) }] } } } }],
  ],
  status: (dice) => ({ replicas: dice.below(3), readyReplicas: dice.below(3) }),
  others: scale,
  fields: ["status.replicas=1", "status.replicas=0", "spec.replicas=1"],
};

export const storageKinds: readonly RandomKind[] = [claims, replicationControllers];
