/** An earlier state of a fork, completed with objects that were read later. */
import { expect, test } from "bun:test";
import type { StoredObject } from "../../../src/api/object.ts";
import type { Divergence } from "../../../src/modes/fork/divergences.ts";
import { completedState } from "../../../src/modes/rehearsal/states.ts";
import { entryName, type State } from "../../../src/views/state.ts";

const of = { group: "", kind: "ConfigMap" };
const map = (name: string, version: string): StoredObject => ({
  apiVersion: "v1",
  kind: "ConfigMap",
  metadata: { name, uid: `uid-${name}`, resourceVersion: version, creationTimestamp: "2026-01-01T00:00:00Z" },
});
const stateOf = (...objects: readonly StoredObject[]): State =>
  new Map(objects.map((object) => [entryName(of, object.metadata.name), { of, key: object.metadata.name, object }]));
const diverged = (name: string, { base, here }: Partial<Divergence>): Divergence => ({
  of,
  key: name,
  base,
  here,
  since: 0,
  cluster: { is: "silent" },
});

function shown(state: State): Record<string, string> {
  return Object.fromEntries([...state.values()].map(({ key, object }) => [key, object.metadata.resourceVersion]));
}

test("objects that were read later already existed, unless they were created here", () => {
  const now = stateOf(map("seen", "5"), map("read late", "2"), map("made here", "6"));
  const written = [
    diverged("seen", { base: map("seen", "1"), here: map("seen", "5") }),
    diverged("made here", { here: map("made here", "6") }),
  ];
  expect(shown(completedState(stateOf(map("seen", "3")), { now, divergences: written }))).toEqual({
    seen: "3",
    "read late": "2",
  });
});

test("objects that were read later and changed or deleted since have the cluster's state", () => {
  const now = stateOf(map("changed", "7"));
  const written = [
    diverged("changed", { base: map("changed", "1"), here: map("changed", "7") }),
    diverged("deleted", { base: map("deleted", "2"), here: undefined }),
  ];
  expect(shown(completedState(stateOf(), { now, divergences: written }))).toEqual({ changed: "1", deleted: "2" });
});

test("objects that were created here earlier have their state at that time", () => {
  const written = [diverged("made", { here: map("made", "9") })];
  expect(
    shown(completedState(stateOf(map("made", "4")), { now: stateOf(map("made", "9")), divergences: written })),
  ).toEqual({ made: "4" });
});
