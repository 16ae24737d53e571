import { describe, expect, test } from "bun:test";
import { DeltaDetail } from "../../../src/trace/delta-detail.ts";
import { TraceBus } from "../../../src/trace/bus.ts";
import type { RequestEvent, StageEventBody } from "../../../src/trace/events.ts";
import { RightsFold } from "../../../src/views/process/rights.ts";
import { WriteDetail } from "../../../src/trace/write-detail.ts";
import { UsageFold } from "../../../src/views/process/usage.ts";
import { agent, of, request, write } from "./events.ts";

function seen(events: readonly StageEventBody[]): {
  readonly usage: UsageFold["usage"];
  readonly rights: RightsFold["rights"];
} {
  const bus = new TraceBus({ now: () => 0 });
  const [usage, rights] = [new UsageFold(), new RightsFold()];
  bus.listen((event) => {
    usage.accept(event);
    rights.accept(event);
  });
  for (const event of events) bus.emit(event);
  return { usage: usage.usage, rights: rights.rights };
}

describe("how a process uses the server", () => {
  test("requests by verb and resource, most frequent first; failures, and the slowest", () => {
    const { usage } = seen([
      request({ verb: "list", key: "shop/", ms: 20 }),
      request({ ms: 3 }),
      request({ ms: 5, status: 404 }),
      request({ verb: "watch", key: "shop/", ms: 60_000 }),
      request({ verb: "get", of: undefined, resource: undefined, key: "", uri: "/version?timeout=1s" } as never),
    ]);
    expect(usage).toMatchObject({ agents: ["operator/v1"], requests: 5, writes: 0, unreadBytes: 0 });
    expect(
      usage.verbs.map(({ verb, resource, requests, failed, slowestMs }) => [
        verb,
        resource,
        requests,
        failed,
        slowestMs,
      ]),
    ).toEqual([
      ["get", "deployments.apps", 2, 1, 5],
      ["list", "deployments.apps", 1, 0, 20],
      ["watch", "deployments.apps", 1, 0, 0],
      ["get", "/version", 1, 0, 1],
    ]);
  });

  test("writes that did not change the version, among those whose object was known", () => {
    const same = { resourceVersion: "7" };
    const { usage } = seen([
      write({}),
      write(same),
      write({ ...same, key: "shop/api" }),
      write(same),
      write({ before: "", ...same }),
    ]);
    expect(usage.ineffective).toEqual([{ of, subresource: undefined, count: 3, outOf: 4, example: "shop/web" }]);
  });

  describe("conflicts", () => {
    const delta = (writer: string, resourceVersion: string): StageEventBody => ({
      stage: "delta",
      agent,
      of,
      type: "Updated",
      key: "shop/web",
      uid: "u",
      resourceVersion,
      receivedAt: 0,
      detail: new DeltaDetail(of, undefined, undefined, writer),
    });
    const refused = write({ status: 409, error: "conflict", resourceVersion: "" });
    const one = { of, subresource: undefined, count: 1, example: "shop/web" };

    test("name the writer in between; a create of an existing object is not a conflict", () => {
      const exists = write({ verb: "create", status: 409, error: "exists" });
      const { usage } = seen([delta("kubectl-edit", "8"), refused, exists]);
      expect(usage.conflicts).toEqual([{ ...one, winners: ["kubectl-edit"], fromCopy: false }]);
    });

    test("name no writer if the latest change is the one that the write is based on", () => {
      const { usage } = seen([delta("kubectl-edit", "7"), refused]);
      expect(usage.conflicts).toEqual([{ ...one, winners: [], fromCopy: false }]);
    });

    test("reveal a second instance: it writes as the same manager changes that this process did not", () => {
      expect(seen([delta("operator", "8"), refused]).usage.conflicts).toMatchObject([{ winners: [], fromCopy: true }]);
      const own = write({ resourceVersion: "8", before: "6" });
      expect(seen([own, delta("operator", "8"), refused]).usage.conflicts).toMatchObject([{ fromCopy: false }]);
    });
  });

  test("repeated reads, and how often nothing had changed, without leader election", () => {
    const lease = {
      of: { group: "coordination.k8s.io", kind: "Lease" },
      resource: "leases",
      key: "kube-system/op",
      uri: "/lease",
    };
    const versions = ["1", "1", "2", "2", "2"];
    const { usage } = seen([
      ...versions.map((resourceVersion, n) => request({ resourceVersion, sentAt: n * 2000 })),
      ...versions.map((resourceVersion, n) => request({ ...lease, resourceVersion, sentAt: n * 2000 })),
    ]);
    expect(usage.polls).toEqual([
      {
        verb: "get",
        agent: "operator",
        uri: "/apis/apps/v1/namespaces/shop/deployments/web",
        count: 5,
        everyMs: 2000,
        unchanged: 3,
        firstAt: 0,
        lastAt: 8000,
      },
    ]);
    expect(usage.elections).toEqual([{ key: "kube-system/op", reads: 5, writes: 0 }]);
  });

  test("large lists from etcd or in one piece, and not paged lists from the cache", () => {
    const list = (query: string): RequestEvent =>
      request({ verb: "list", key: "", uri: `/apis/apps/v1/deployments${query}`, objects: 600 });
    expect(seen([list("?limit=500&resourceVersion=0")]).usage.largeLists).toEqual([]);
    expect(seen([list(""), list("")]).usage.largeLists).toEqual([
      { resource: "deployments.apps", count: 2, objects: 600, fromEtcd: true, unpaged: true },
    ]);
  });

  test("three watches that end within a minute, unless the process closes them", () => {
    const watch = (state: "opened" | "closed", why: string): StageEventBody => ({
      stage: "watch",
      agent: "operator/v1",
      of,
      state,
      resourceVersion: "1",
      why,
    });
    const rounds = (why: string): StageEventBody[] =>
      [1, 2, 3].flatMap(() => [watch("opened", "start"), watch("closed", why)]);
    expect(seen(rounds("closed by the client")).usage.restarts).toEqual([]);
    expect(seen(rounds("410 Expired")).usage.restarts).toEqual([{ of, count: 3, relists: 0, why: "410 Expired" }]);
  });
});

describe("the permissions that it used", () => {
  test("by namespace; refused ones are separate, and those that everyone has are left out", () => {
    const { rights } = seen([
      request({}),
      request({ verb: "update", subresource: "status" }),
      request({ verb: "list", key: "", status: 403 }),
      request({ verb: "watch", key: "", status: 403 }),
      request({ verb: "watch", key: "" }),
      request({ verb: "get", of: undefined, resource: undefined, key: "", uri: "/apis?x" } as never),
      request({ verb: "get", of: undefined, resource: undefined, key: "", uri: "/metrics" } as never),
      request({ as: "system:serviceaccount:shop:bot" }),
    ]);
    expect(rights).toEqual({
      used: [
        { namespace: "shop", group: "apps", resource: "deployments", verb: "get" },
        { namespace: "shop", group: "apps", resource: "deployments/status", verb: "update" },
        { namespace: "", group: "apps", resource: "deployments", verb: "watch" },
        { namespace: "shop", group: "", resource: "serviceaccounts", verb: "impersonate" },
      ],
      paths: [{ verb: "get", path: "/metrics" }],
      refused: [{ namespace: "", group: "apps", resource: "deployments", verb: "list" }],
    });
  });

  test("include finalizers for a blocking owner reference, if the write succeeded", () => {
    const owner = (blockOwnerDeletion: boolean): unknown => ({
      metadata: {
        ownerReferences: [{ apiVersion: "apps/v1", kind: "Deployment", name: "web", uid: "u", blockOwnerDeletion }],
      },
    });
    const pods = { verb: "create", of: { group: "", kind: "Pod" }, key: "shop/web-1" } as const;
    const finalizers = { namespace: "shop", group: "apps", resource: "deployments/finalizers", verb: "update" };
    const rightsOf = (sent: unknown, status = 201): unknown =>
      seen([request({}), write({ ...pods, status, detail: new WriteDetail(sent, undefined) })]).rights.used.slice(1);
    expect(rightsOf(owner(true))).toEqual([finalizers]);
    expect(rightsOf(owner(false))).toEqual([]);
    expect(rightsOf(owner(true), 403)).toEqual([]);
  });
});
