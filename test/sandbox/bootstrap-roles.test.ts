/** The default roles, which a sandbox with RBAC creates when they are first needed. */
import { expect, test } from "bun:test";
import { realTimeline } from "../../src/platform/real-timeline.ts";
import { seededRandom } from "../../src/platform/random.ts";
import { createSandbox } from "../../src/sandbox/sandbox.ts";
import { sendRequest } from "./support/requests.ts";

test("the roles of a new cluster are created for the first user, and aggregated ones are complete by then", async () => {
  const fresh = await createSandbox({ timeline: realTimeline(), random: seededRandom(1), rbac: true });
  const stored = fresh.server.store.collections;
  expect([...stored.keys()].filter((storage) => storage.endsWith("rbac.authorization.k8s.io"))).toEqual([]);
  const admin = fresh.transport({ actor: "admin" });
  const { revision } = fresh;
  const bound = {
    metadata: { name: "b" },
    roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: "admin" },
    subjects: [{ apiGroup: "rbac.authorization.k8s.io", kind: "User", name: "eve" }],
  };
  const bindings = "/apis/rbac.authorization.k8s.io/v1/namespaces/default/rolebindings";
  expect((await sendRequest(admin, "POST", bindings, { body: bound })).status).toBe(201);
  const eve = fresh.transport({ actor: "eve", user: { name: "eve", groups: ["system:authenticated"] } });
  // `admin` aggregates `edit`, which aggregates `view`.
  expect((await sendRequest(eve, "GET", "/api/v1/namespaces/default/pods")).status).toBe(200);
  expect((await sendRequest(eve, "GET", "/api/v1/nodes")).status).toBe(403);
  expect(fresh.revision - revision).toBeGreaterThan(100);
  fresh.stop();
});
