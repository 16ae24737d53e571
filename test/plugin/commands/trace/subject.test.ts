import { expect, test } from "bun:test";
import { subjectOfWords } from "../../../../plugin/commands/trace/subject.ts";
import { fakeIo } from "../../../support/fake-io.ts";

const chainOf = (word: string): readonly string[] =>
  subjectOfWords([word], { why: undefined, io: fakeIo() }).controllers.map(({ name }) => name);

test("the chain of a Deployment ends at its pods", () => {
  expect(chainOf("deploy/web")).toEqual([
    "deployment",
    "replicaset",
    "ephemeral-volume",
    "device-taint-eviction",
    "taint-eviction",
    "pod-garbage-collector",
  ]);
});

test("the chain of a Pod includes its claims", () => {
  expect(chainOf("pod/web")).toContain("persistentvolumeclaim-protection");
});

test.each([
  { words: ["rs", "web"], object: "rs/web" },
  { words: ["pod", "web-1"], object: "pod/web-1" },
  { words: ["rs", "deploy"], object: undefined },
  { words: ["rs", "all"], object: undefined },
  { words: ["rs", "deploy/web"], object: "deploy/web" },
])("$words names the object $object", ({ words, object }) => {
  expect(subjectOfWords(words, { why: undefined, io: fakeIo() }).object).toBe(object);
});

test.each([
  { words: ["rs", "deploymen"], says: 'unknown controller "deploymen"' },
  { words: ["foo", "web"], says: 'unknown controller "foo"' },
  { words: ["rs", "web", "api"], says: 'unknown controller "web"' },
])("$words are refused", ({ words, says }) => {
  expect(() => subjectOfWords(words, { why: undefined, io: fakeIo() })).toThrow(says);
});
