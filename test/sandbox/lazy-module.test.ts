import { expect, test } from "bun:test";
import { seededRandom } from "../../src/platform/random.ts";
import { virtualTimeline } from "../../src/platform/virtual-timeline.ts";
import { lazyModule } from "../../src/sandbox/meta/lazy-module.ts";
import { rejection } from "../support/rejection.ts";

test("a lazy module is loaded once, when it is first needed", async () => {
  let loads = 0;
  const lazy = lazyModule(() => Promise.resolve(++loads), "a number");
  expect(() => lazy.get()).toThrow("Cannot use a number: it is not loaded yet");
  await Promise.all([lazy.ready(), lazy.ready()]);
  expect([lazy.ready(), lazy.get(), loads]).toEqual([undefined, 1, 1]);
});

test("a module that cannot be loaded rejects all who wait for it", async () => {
  const lazy = lazyModule(() => Promise.reject(new Error("no such file")), "a number");
  expect(String(await rejection(Promise.resolve(lazy.ready())))).toBe("Error: no such file");
});

test("virtual time stops while a module is loaded", async () => {
  const timeline = virtualTimeline(0, seededRandom(1));
  const { promise, resolve } = Promise.withResolvers<string>();
  const lazy = lazyModule(() => promise, "a text");
  let at: number | undefined;
  const needs = async (): Promise<void> => {
    await lazy.ready();
    at = timeline.now();
  };
  timeline.after(5, "needs", () => void needs());
  timeline.after(10, "other", () => undefined);
  const running = timeline.runUntil();
  for (let turns = 0; turns < 10; turns++) await new Promise((next) => setImmediate(next));
  resolve("loaded");
  expect([await running, at, timeline.now()]).toEqual(["steady", 5, 10]);
});
