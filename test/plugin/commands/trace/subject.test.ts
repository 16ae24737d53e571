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
