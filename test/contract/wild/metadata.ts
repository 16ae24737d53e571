/** Metadata in which one or a few fields are wild. */
import type { Dice } from "../random/dice.ts";
import { texts } from "./changes.ts";
import type { Json } from "./example.ts";

const times: readonly unknown[] = [
  "2020-01-01T00:00:00Z",
  null,
  "soon",
  "2020-01-01T00:00:00.5Z",
  "2020-01-01T00:00:00+02:00",
];

const mapOf = (dice: Dice): Json =>
  Object.fromEntries(Array.from({ length: dice.below(3) }, () => [dice.one(texts), dice.one(texts)]));

const ownerOf = (dice: Dice): Json => ({
  apiVersion: dice.one(["v1", "apps/v1", "", "a/b/c", "v1"]),
  kind: dice.one(["ConfigMap", "Event", "", "ReplicaSet"]),
  name: dice.one(["o", "", "A_b", "a/b"]),
  uid: dice.one(["u", "u", "", "a b"]),
  controller: dice.maybe(0.6, () => dice.chance(0.7)),
  blockOwnerDeletion: dice.maybe(0.3, () => dice.chance(0.5)),
});

const managerOf = (dice: Dice): Json => ({
  manager: dice.one(["m", "", "x".repeat(129), "a\u0001b"]),
  operation: dice.one(["Update", "Apply", "", "Delete"]),
  apiVersion: dice.one(["v1", "apps/v1", "", "nowhere/v1"]),
  time: dice.one(times),
  fieldsType: dice.one(["FieldsV1", "FieldsV1", "", "FieldsV2"]),
  fieldsV1: dice.one<unknown>([{}, { "f:metadata": { "f:labels": {} } }, { x: {} }, { "f:a": 1 }, null]),
  subresource: dice.maybe(0.3, () => dice.one(["status", "scale", "none", "x".repeat(257)])),
});

/** Generators of possible values, keyed by field. */
const fields: Readonly<Record<string, (dice: Dice) => unknown>> = {
  name: (dice) => dice.one(texts),
  generateName: (dice) => dice.one([...texts, "x".repeat(63)]),
  namespace: (dice) => dice.one(["{ns}", "default", "A_b", ""]),
  labels: mapOf,
  annotations: (dice) => (dice.chance(0.1) ? { big: "x".repeat(262_144) } : mapOf(dice)),
  finalizers: (dice) =>
    Array.from({ length: 1 + dice.below(2) }, () =>
      dice.one([...texts, "example.com/a", "example.com/a/b", "foregroundDeletion", "orphan", "kubernetes"]),
    ),
  ownerReferences: (dice) => Array.from({ length: 1 + dice.below(2) }, () => ownerOf(dice)),
  managedFields: (dice) => Array.from({ length: dice.below(3) }, () => managerOf(dice)),
  uid: (dice) => dice.one(["u", "", "11111111-1111-4111-8111-111111111111"]),
  resourceVersion: (dice) => dice.one(["0", "1", "", "abc", "-1", "18446744073709551616"]),
  generation: (dice) => dice.one([0, 1, -1, 7, 2 ** 53]),
  selfLink: (dice) => dice.one(["/a", ""]),
  creationTimestamp: (dice) => dice.one(times),
  deletionTimestamp: (dice) => dice.one(times),
  deletionGracePeriodSeconds: (dice) => dice.one([0, 1, -1, 30]),
};

/** The given metadata with some fields replaced or added. */
export function wildMetadata(dice: Dice, given: Json): Json {
  const made: Json = { ...given };
  do {
    const key = dice.one(Object.keys(fields));
    made[key] = fields[key]?.(dice);
  } while (dice.chance(0.35));
  if (dice.chance(0.05)) delete made["name"];
  return made;
}
