import { expect, test } from "bun:test";
import { nearest } from "../../../plugin/cli/nearest.ts";

const names = ["job", "ttl", "trace", "replicaset"];

test.each([
  ["all", undefined],
  ["foo", undefined],
  ["jb", "job"],
  ["trac", "trace"],
  ["replicaste", "replicaset"],
  ["replicasets", "replicaset"],
  ["nothing", undefined],
])("%s means %s", (word, name) => expect(nearest(word, names)).toBe(name));
