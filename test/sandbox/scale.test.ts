import { describe, expect, test } from "bun:test";
import { seededRandom } from "../../src/platform/random.ts";
import { realTimeline } from "../../src/platform/real-timeline.ts";
import { createSandbox, type Sandbox } from "../../src/sandbox/sandbox.ts";
import { sendRequest, watch, type Json } from "./support/requests.ts";

const maps = "/api/v1/namespaces/default/configmaps";

async function fresh(): Promise<Sandbox> {
  return createSandbox({ timeline: realTimeline(), random: seededRandom(1) });
}

describe("a sandbox with many objects", () => {
  test("10,000 watches are open, each sees only its own object, and the others are not woken", async () => {
    const sandbox = await fresh();
    const transport = sandbox.transport({ actor: "test" });
    const from = sandbox.revision;
    const open = await Promise.all(
      Array.from({ length: 10_000 }, (_, i) =>
        watch(transport, maps, `resourceVersion=${from}&fieldSelector=metadata.name%3Dm${i}`),
      ),
    );
    for (const name of ["m7", "m9999"]) await sendRequest(transport, "POST", maps, { body: { metadata: { name } } });
    expect(await open[7]?.next()).toMatchObject({ type: "ADDED", object: { metadata: { name: "m7" } } });
    expect(await open[9999]?.next()).toMatchObject({ type: "ADDED", object: { metadata: { name: "m9999" } } });
    for (const one of open) one.cancel();
    expect(sandbox.server.watches.size).toBe(0);
  });

  test("a slow reader gets a 410, and does not hold up others", async () => {
    const sandbox = await createSandbox({
      timeline: realTimeline(),
      random: seededRandom(1),
      history: { changes: 50 },
    });
    const transport = sandbox.transport({ actor: "test" });
    const slow = await watch(transport, maps, `resourceVersion=${sandbox.revision}`);
    for (let i = 0; i < 200; i++) await sendRequest(transport, "POST", maps, { body: { metadata: { name: `m${i}` } } });
    expect(await slow.next()).toMatchObject({ type: "ERROR", object: { code: 410, reason: "Expired" } });
    expect(await slow.next()).toBeUndefined();
  });

  test("loaded objects keep their uid, status and version, and earlier versions cannot be watched", async () => {
    const sandbox = await fresh();
    const transport = sandbox.transport({ actor: "test" });
    const pod: Json = {
      kind: "Pod",
      apiVersion: "v1",
      metadata: {
        name: "p",
        namespace: "default",
        uid: "u-1",
        resourceVersion: "4711",
        creationTimestamp: "2026-01-01T00:00:00Z",
      },
      spec: { containers: [{ name: "c", image: "i" }], nodeName: "n" },
      status: { phase: "Running" },
    };
    await sandbox.load([pod], { revision: 5000 });
    const read = await sendRequest(transport, "GET", "/api/v1/namespaces/default/pods/p");
    expect(read.body).toMatchObject({
      metadata: { uid: "u-1", resourceVersion: "4711" },
      status: { phase: "Running" },
    });
    expect(sandbox.revision).toBe(5000);
    const late = await watch(transport, "/api/v1/namespaces/default/pods", "resourceVersion=4999");
    expect(await late.next()).toMatchObject({ type: "ERROR", object: { code: 410 } });
  });
});
