import { expect, test } from "bun:test";
import { distance, nearest } from "../../../plugin/cli/nearest.ts";

const names = ["job", "ttl", "trace", "replicaset"];

test.each([
  ["all", undefined],
  ["foo", undefined],
  ["jb", "job"],
  ["jbo", "job"],
  ["obj", undefined],
  ["trac", "trace"],
  ["replicaste", "replicaset"],
  ["replicasets", "replicaset"],
  ["nothing", undefined],
])("%s means %s", (word, name) => expect(nearest(word, names)).toBe(name));

test.each([
  ["shop", "shpo", 1],
  ["kitten", "sitting", 3],
  ["", "abc", 3],
  ["ab", "ba", 1],
  ["abcd", "badc", 2],
  ["same", "same", 0],
])("from %s to %s it is %i letters", (a, b, letters) => {
  expect([distance(a, b), distance(b, a)]).toEqual([letters, letters]);
});
