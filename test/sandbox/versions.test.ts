import { expect, test } from "bun:test";
import { kindOf } from "../../src/api/kind.ts";
import { Events } from "../../src/api/kinds.ts";
import type { StoredObject } from "../../src/api/object.ts";
import { virtualCluster } from "../support/virtual-cluster.ts";

interface NewEvent extends StoredObject {
  readonly regarding?: unknown;
  readonly note?: string;
  readonly deprecatedCount?: number;
}
const NewEvents = kindOf<NewEvent>({
  group: "events.k8s.io",
  version: "v1",
  kind: "Event",
  plural: "events",
  namespaced: true,
});

test("an Event written in the core group can be read in events.k8s.io, alone and in lists", async () => {
  const cluster = await virtualCluster();
  const client = cluster.clientFor("test");
  const involvedObject = { kind: "Pod", namespace: "default", name: "web" };
  const at = { namespace: "default", name: "web.1" };
  await cluster.settle(
    client.create(Events, { metadata: at, involvedObject, message: "hello", reason: "Hi", count: 2 }),
  );
  const wanted = { regarding: involvedObject, note: "hello", reason: "Hi", deprecatedCount: 2 };
  const one = await cluster.settle(client.get(NewEvents, at));
  expect(one).toMatchObject({ apiVersion: "events.k8s.io/v1", kind: "Event", ...wanted });
  const list = await cluster.settle(client.list(NewEvents, { namespace: "default" }));
  expect(list.items).toMatchObject([{ metadata: at, ...wanted }]);
  expect(list.items[0]).not.toHaveProperty("message");
  const core = await cluster.settle(client.list(Events, { namespace: "default" }));
  expect(core.items).toMatchObject([{ involvedObject, message: "hello", count: 2 }]);
});
