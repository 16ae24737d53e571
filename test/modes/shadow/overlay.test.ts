import { describe, expect, test } from "bun:test";
import { ConfigMaps } from "../../../src/api/kinds.ts";
import { resourceOf } from "../../../src/api/kind.ts";
import type { StoredObject } from "../../../src/api/object.ts";
import { jsonResponse } from "../../../src/api/transport.ts";
import { createSandbox } from "../../../src/sandbox/sandbox.ts";
import { Overlay } from "../../../src/modes/shadow/overlay.ts";
import type { WouldBeWrite } from "../../../src/modes/shadow/would-be-write.ts";
import { seededRandom } from "../../../src/platform/random.ts";
import { virtualTimeline } from "../../../src/platform/virtual-timeline.ts";

const path = "/api/v1/namespaces/shop/configmaps";
const there: StoredObject = {
  metadata: {
    name: "there",
    namespace: "shop",
    uid: "u",
    resourceVersion: "5",
    creationTimestamp: "2026-01-01T00:00:00Z",
  },
};

/** Returns the response codes and the writes; the cache contains one ConfigMap. A name that ends in a hyphen is a generateName. */
async function played(
  ...requests: readonly (readonly ["POST" | "DELETE", name: string])[]
): Promise<{ readonly statuses: readonly number[]; readonly writes: readonly WouldBeWrite[] }> {
  const random = seededRandom(1);
  const timeline = virtualTimeline(0, random);
  const made = createSandbox({ timeline, random, apiServerObjects: false });
  await timeline.runUntil();
  const { server } = await made;
  const writes: WouldBeWrite[] = [];
  const overlay = new Overlay({
    transport: { send: () => Promise.resolve(jsonResponse(404, {})) },
    registry: server,
    actor: "a shadow",
    cached: (resource, key) =>
      resourceOf(resource) === resourceOf(ConfigMaps) && key === "shop/there" ? there : undefined,
    cachedMetadata: () => undefined,
    onWrite: (write) => writes.push(write),
  });
  const statuses: number[] = [];
  for (const [method, name] of requests) {
    const { signal } = new AbortController();
    const metadata = name.endsWith("-") ? { generateName: name } : { name };
    const body = new TextEncoder().encode(JSON.stringify({ kind: "ConfigMap", apiVersion: "v1", metadata }));
    const headers = { "content-type": "application/json", accept: "application/json" };
    const request =
      method === "POST"
        ? { method, path, headers, body, signal }
        : { method, path: `${path}/${name}`, headers, signal };
    const response = overlay.send(request);
    await timeline.runUntil();
    statuses.push((await response).status);
  }
  return { statuses, writes };
}

describe("a sync in shadow", () => {
  test("is refused to create a cached object, and that is not an intention", async () => {
    const { statuses, writes } = await played(["POST", "there"]);
    expect(statuses).toEqual([409]);
    expect(writes).toEqual([]);
  });

  test("can re-create what it has deleted", async () => {
    const { statuses, writes } = await played(["DELETE", "there"], ["POST", "there"]);
    expect(statuses).toEqual([200, 201]);
    expect(writes.map(({ verb }) => verb)).toEqual(["delete", "create"]);
  });

  test("reports with each write the uids and names that it made up before", async () => {
    const { writes } = await played(["POST", "one"], ["POST", "two"]);
    const [one, two] = writes;
    expect(one?.madeUp).toBeUndefined();
    expect([...(two?.madeUp?.uids ?? [])]).toEqual([one?.after?.metadata.uid ?? "none"]);
    expect([...(two?.madeUp?.names ?? [])]).toEqual([]);
    const generated = await played(["POST", "one-"], ["POST", "two"]);
    const [first, second] = generated.writes;
    expect([...(second?.madeUp?.names ?? [])]).toEqual([[first?.after?.metadata.name ?? "none", "one-"]]);
  });
});
