/** The last bookmark of a watch, on a real kube-apiserver and the sandbox: it comes only after a write elsewhere, so no table has it. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { clusterMissing } from "../support/cluster.ts";
import { sendRequest, watch, type Json } from "../sandbox/support/requests.ts";
import { startSideBySide, type Side, type SideBySide } from "./side-by-side.ts";

const watched = "/api/v1/namespaces/bookmarks/configmaps";
const elsewhere = "/api/v1/namespaces/default/configmaps";

describe.skipIf(clusterMissing !== undefined)("before a watch times out, both servers", () => {
  let both: SideBySide;
  beforeAll(async () => {
    both = await startSideBySide();
    for (const { transport } of [both.real, both.mine])
      await sendRequest(transport, "POST", "/api/v1/namespaces", { body: { metadata: { name: "bookmarks" } } });
  });
  afterAll(() => both.stop());

  /** The types of the frames of a watch, each once, and the version of its last bookmark. */
  async function framesOf({ transport }: Side, seconds: number): Promise<{ types: string[]; newest: number }> {
    const { body } = await sendRequest(transport, "GET", watched);
    const { resourceVersion } = body["metadata"] as { readonly resourceVersion: string };
    const query = `resourceVersion=${resourceVersion}&timeoutSeconds=${seconds}&allowWatchBookmarks=true`;
    const frames = await watch(transport, watched, query);
    const written = await sendRequest(transport, "POST", elsewhere, { body: { metadata: { generateName: "a-" } } });
    const versionOf = (object: unknown): number => Number(((object as Json)["metadata"] as Json)["resourceVersion"]);
    const [types, versions] = [new Set<string>(), [0]];
    for (let frame = await frames.next(); frame !== undefined; frame = await frames.next()) {
      types.add(String(frame["type"]));
      versions.push(versionOf(frame["object"]));
    }
    return { types: [...types], newest: Math.max(...versions) - versionOf(written.body) };
  }

  test("send a bookmark of the newest write", async () => {
    for (const side of [both.real, both.mine])
      expect(await framesOf(side, 4)).toEqual({ types: ["BOOKMARK"], newest: 0 });
  });

  test("send none if the watch is too short", async () => {
    for (const side of [both.real, both.mine]) expect((await framesOf(side, 1)).types).toEqual([]);
  });
});
