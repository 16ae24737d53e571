import { describe, expect, test } from "bun:test";
import { type StepResponse, comparable, reported } from "./answers.ts";

const uidA = "0a1b2c3d-0000-4000-8000-000000000001";
const uidB = "0a1b2c3d-0000-4000-8000-000000000002";

function object(metadata: object): StepResponse {
  return { step: "made", answer: { metadata } };
}

describe("the responses of two servers", () => {
  test("are equal if only identities, versions, times and ports differ", () => {
    const one = object({
      uid: uidA,
      resourceVersion: "7",
      creationTimestamp: "2026-11-22T10:00:00Z",
      at: "127.0.0.1:1",
    });
    const two = object({
      uid: uidB,
      resourceVersion: "300",
      creationTimestamp: "2027-01-01T00:00:09Z",
      at: "127.0.0.1:29",
    });
    expect(comparable([one])).toEqual(comparable([two]));
  });

  test("differ if one of two versions changed, and the other did not", () => {
    const still = [object({ uid: uidA, resourceVersion: "7" }), object({ uid: uidA, resourceVersion: "7" })];
    const moved = [object({ uid: uidA, resourceVersion: "7" }), object({ uid: uidA, resourceVersion: "8" })];
    expect(comparable(still)).not.toEqual(comparable(moved));
  });

  test("differ if an object refers to another one", () => {
    const own = [object({ uid: uidA, resourceVersion: "1", owner: uidA })];
    const other = [object({ uid: uidA, resourceVersion: "1", owner: uidB })];
    expect(comparable(own)).not.toEqual(comparable(other));
  });

  test("have uids and times replaced inside strings, too", () => {
    const answer = { note: `"${uidA}" at 2026-11-22T10:00:00.123456+00:00` };
    expect(comparable([{ step: "s", answer }])).toEqual([{ step: "s", answer: { note: '"UID1" at TIME' } }]);
  });

  test("have uids replaced in keys, too", () => {
    const answer = { [`k:{"uid":"${uidA}"}`]: {} };
    expect(comparable([{ step: "s", answer }])).toEqual([{ step: "s", answer: { 'k:{"uid":"UID1"}': {} } }]);
  });

  test("have managers in any order, each with its fields", () => {
    const [a, b, c] = ["a", "b", "c"].map((manager) => ({ manager, fieldsV1: { [`f:${manager}`]: {} } }));
    expect(comparable([object({ managedFields: [a, b] })])).toEqual(comparable([object({ managedFields: [b, a] })]));
    expect(comparable([object({ managedFields: [a, b] })])).not.toEqual(
      comparable([object({ managedFields: [a, c] })]),
    );
  });

  test("are read from Ginkgo's report, each spec with its result", () => {
    const spec = {
      ContainerHierarchyTexts: ["Site"],
      LeafNodeType: "It",
      LeafNodeText: "is made",
      State: "failed",
      Failure: { Message: "no" },
      ReportEntries: [{ Name: "site", Value: { AsJSON: '{"kind":"Site"}' } }],
    };
    expect(reported(JSON.stringify([{ SpecReports: [spec] }]))).toEqual([
      { step: "Site It is made: site", answer: { kind: "Site" } },
      { step: "Site It is made", answer: ["failed", "no"] },
    ]);
  });
});
