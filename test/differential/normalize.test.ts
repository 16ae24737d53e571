/** The record of a write must differ in relevant respects, and writes that are recorded once must not be repeated endlessly. */
import { describe, expect, test } from "bun:test";
import type { Effect } from "../support/audit-log.ts";
import type { PodObject } from "./objects.ts";
import type { Stage } from "./stage.ts";
import type { Suite } from "./suite.ts";
import { excesses } from "./tally.ts";
import { namesOf, recordStep } from "./normalize.ts";
import type { StepRecord } from "./step-record.ts";
import { wholePods } from "./whole-pods.ts";

const base = Date.parse("2026-01-01T12:00:00.500Z");
const empty: Effect = {
  index: 0,
  agent: "kubectl-reconcile",
  component: "kubectl-reconcile",
  user: "",
  verb: "update",
  resource: "deployments.apps",
  namespace: "shop",
  name: "web",
  dryRun: false,
  query: {},
  request: {},
  response: {},
  code: 200,
  reason: "",
  at: base,
};

async function recorded(...effects: readonly Partial<Effect>[]): Promise<StepRecord> {
  const suite = { kinds: [], repeated: (what: string) => what.startsWith("delete ") } as unknown as Suite;
  const all = effects.map((effect) => ({ ...empty, ...effect }));
  return recordStep(suite, {} as Stage, all, namesOf("shop", base));
}

async function content(request: object): Promise<unknown> {
  return (await recorded({ request })).writes[0]?.content;
}

describe("the record of a write", () => {
  test("has a resourceVersion that was sent, so that an update without one differs", async () => {
    const update = (resourceVersion?: string): object => ({ metadata: { name: "web", resourceVersion } });
    expect(await content(update("12"))).toEqual(await content(update("99")));
    expect(await content(update("12"))).not.toEqual(await content(update()));
    expect(await content(update("12"))).not.toEqual(await content(update("")));
  });

  test("has a precondition of a delete", async () => {
    const gone = (preconditions: object): object => ({ kind: "DeleteOptions", preconditions });
    expect(await content(gone({ uid: "a", resourceVersion: "7" }))).not.toEqual(await content(gone({ uid: "a" })));
  });

  test("has a time as its distance from the script", async () => {
    const at = (lastUpdateTime: string): Promise<unknown> => content({ lastUpdateTime });
    expect(await at("2026-01-01T11:00:00Z")).toMatchObject({ body: { lastUpdateTime: "3600 s before the script" } });
    expect(await at("2026-01-01T12:00:00Z")).toMatchObject({ body: { lastUpdateTime: "TIME" } });
    expect(await at("2999-01-01T12:00:00Z")).toMatchObject({ body: { lastUpdateTime: "a time to come" } });
  });

  test("has a deletion by its grace period", async () => {
    const due = { deletionTimestamp: "2026-01-01T12:00:30Z", deletionGracePeriodSeconds: 30 };
    expect(await content(due)).toMatchObject({ body: { deletionTimestamp: "TIME + 30 s" } });
    expect(await content({ ...due, deletionTimestamp: "2026-01-01T12:00:00Z" })).toMatchObject({
      body: { deletionTimestamp: "30 s before the script + 30 s" },
    });
  });

  test("counts repeated status writes, refusals and other repetitions once", async () => {
    const { counted, writes } = await recorded(
      { resource: "deployments.apps/status", response: { metadata: { name: "web", uid: "u" } } },
      { code: 409, reason: "Conflict" },
      { code: 409, reason: "Conflict" },
      { verb: "delete" },
      { verb: "delete" },
    );
    expect(writes).toHaveLength(2);
    const [conflict, gone] = ["update deployments.apps 409", "delete deployments.apps 200"];
    expect(counted).toEqual([conflict, conflict, gone, gone, "update deployments.apps/status web"]);
  });
});

test("more than twice as many writes, with some to spare, are an excess", () => {
  const theirs = [new Map([["status", 3]]), new Map([["status", 4]])];
  expect(excesses(theirs, new Map([["status", 16]]), 8)).toEqual([]);
  expect(excesses(theirs, new Map([["status", 17]]), 8)).toEqual([{ what: "status", theirs: 4, ours: 17 }]);
  expect(excesses(theirs, new Map([["create pods 403", 9]]), 8)).toHaveLength(1);
});

test("a pod whose response has only its metadata is recorded with its last state", () => {
  const whole = wholePods();
  const pod = (phase: string): PodObject => ({
    metadata: { name: "web-1", uid: "u" },
    spec: { containers: [{ image: "i" }] },
    status: { phase },
  });
  const partial = { kind: "PartialObjectMetadata", metadata: { name: "web-1", uid: "u", labels: { a: "b" } } };
  const about = { ...empty, resource: "pods", name: "web-1" };
  const target = { name: "node" };
  expect(
    whole({ ...about, verb: "create", request: { ...pod(""), status: {} }, response: partial }).response,
  ).toMatchObject({
    metadata: partial.metadata,
    status: { phase: "Pending" },
  });
  whole({ ...about, verb: "patch", resource: "pods/status", response: pod("Running") });
  whole({ ...about, verb: "create", resource: "pods/binding", request: { target }, response: { kind: "Status" } });
  const { response } = whole({ ...about, verb: "delete", response: partial });
  expect(response).toMatchObject({
    metadata: { labels: { a: "b" } },
    spec: { nodeName: "node", containers: [{ image: "i" }] },
    status: { phase: "Running" },
  });
});
