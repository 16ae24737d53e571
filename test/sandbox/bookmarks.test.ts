/** Bookmarks of watches, on paused time. */
import { describe, expect, test } from "bun:test";
import { seededRandom } from "../../src/platform/random.ts";
import { virtualTimeline } from "../../src/platform/virtual-timeline.ts";
import { createSandbox } from "../../src/sandbox/sandbox.ts";
import { sendRequest, watch } from "./support/requests.ts";

const maps = "/api/v1/namespaces/default/configmaps";

interface Scene {
  readonly timeoutSeconds: number;
  /** When ConfigMaps are written, in seconds after the watch opened; of these, the watch selects only the ones in `selected`. */
  readonly writes?: readonly number[];
  readonly selected?: readonly number[];
  readonly more?: string;
  /** When the client begins to read, in seconds after the watch opened. */
  readonly readsAfter?: number;
}

/** What a watch sends until it ends: `BOOKMARK after 60 s`. */
async function framesOf({
  timeoutSeconds,
  writes = [],
  selected = [],
  more = "",
  readsAfter = 0,
}: Scene): Promise<string[]> {
  const timeline = virtualTimeline(Date.UTC(2026, 0, 1), seededRandom(1));
  const sandbox = await createSandbox({ timeline, random: seededRandom(1) });
  const transport = sandbox.transport({ actor: "test" });
  const query = `resourceVersion=${sandbox.revision}&labelSelector=watched&timeoutSeconds=${timeoutSeconds}`;
  const seen: string[] = [];
  const openedAt = timeline.now();
  const reader = (async () => {
    const frames = await watch(transport, maps, `${query}&${more}`);
    if (readsAfter > 0)
      await new Promise<void>((resolve) => void timeline.after(readsAfter * 1000, "reader", () => resolve()));
    for (;;) {
      const frame = await frames.next();
      const seconds = Math.round((timeline.now() - openedAt) / 1000);
      seen.push(`${frame === undefined ? "END" : String(frame["type"])} after ${seconds} s`);
      if (frame === undefined) return;
    }
  })();
  for (const [index, seconds] of [...writes, ...selected].entries()) {
    const labels = index < writes.length ? {} : { watched: "" };
    const body = { metadata: { name: `m${index}`, labels } };
    timeline.after(seconds * 1000, "writer", () => void sendRequest(transport, "POST", maps, { body }));
  }
  timeline.after((timeoutSeconds + 1) * 1000, "end of the test", () => undefined);
  await timeline.runUntil();
  await reader;
  return seen;
}

const allowed = "allowWatchBookmarks=true";

describe("a watch that allows bookmarks", () => {
  test("gets one 2 s before it times out", async () => {
    expect(await framesOf({ timeoutSeconds: 10, writes: [1], more: allowed })).toEqual([
      "BOOKMARK after 8 s",
      "END after 10 s",
    ]);
  });

  test("gets one every minute, and the last one 2 s before it times out", async () => {
    expect(await framesOf({ timeoutSeconds: 150, writes: [1], more: allowed })).toEqual([
      "BOOKMARK after 60 s",
      "BOOKMARK after 120 s",
      "BOOKMARK after 148 s",
      "END after 150 s",
    ]);
  });

  test("gets none if it times out within 2 s", async () => {
    expect(await framesOf({ timeoutSeconds: 2, writes: [1], more: allowed })).toEqual(["END after 2 s"]);
  });

  test("gets none while nothing is written", async () => {
    expect(await framesOf({ timeoutSeconds: 90, more: allowed })).toEqual(["END after 90 s"]);
    expect(await framesOf({ timeoutSeconds: 90, writes: [70], more: allowed })).toEqual([
      "BOOKMARK after 88 s",
      "END after 90 s",
    ]);
  });

  test("gets the bookmark after the changes that it has not read yet", async () => {
    expect(await framesOf({ timeoutSeconds: 10, selected: [3], readsAfter: 9, more: allowed })).toEqual([
      "ADDED after 9 s",
      "BOOKMARK after 9 s",
      "END after 10 s",
    ]);
  });

  test("gets the bookmark after a change of the same moment", async () => {
    expect(await framesOf({ timeoutSeconds: 10, selected: [8], more: allowed })).toEqual([
      "ADDED after 8 s",
      "BOOKMARK after 8 s",
      "END after 10 s",
    ]);
  });
});

test("a watch that does not allow bookmarks gets none", async () => {
  expect(await framesOf({ timeoutSeconds: 70, writes: [1] })).toEqual(["END after 70 s"]);
});
