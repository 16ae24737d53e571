import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { buildOnce, hashOf } from "../../scripts/control-plane.ts";

let cache: string;
beforeEach(() => {
  cache = mkdtempSync(join(tmpdir(), "cache-"));
});
afterEach(() => rmSync(cache, { recursive: true, force: true }));

describe("building into the cache", () => {
  test("returns an existing folder, and builds nothing", async () => {
    mkdirSync(join(cache, "there"));
    const end = await buildOnce(join(cache, "there"), () => Promise.reject(new Error("built")));
    expect(end).toEqual({ is: "built", folder: join(cache, "there") });
  });

  test("shows the folder only when it is complete", async () => {
    const folder = join(cache, "new");
    const end = await buildOnce(folder, (into) => {
      writeFileSync(join(into, "binary"), "");
      expect(existsSync(folder)).toBe(false);
      return Promise.resolve(undefined);
    });
    expect(end).toEqual({ is: "built", folder });
    expect(readdirSync(cache)).toEqual(["new"]);
    expect(readdirSync(folder)).toEqual(["binary"]);
  });

  test("leaves nothing of a build that failed", async () => {
    const end = await buildOnce(join(cache, "new"), () => Promise.resolve("no compiler"));
    expect(end).toEqual({ is: "failed", why: "no compiler" });
    expect(readdirSync(cache)).toEqual([]);
  });

  test("continues where a killed build has left its lock and its files", async () => {
    const gone = Bun.spawnSync(["true"]).pid;
    writeFileSync(join(cache, "new.lock"), String(gone));
    mkdirSync(join(cache, `new.${gone}`));
    const end = await buildOnce(join(cache, "new"), () => Promise.resolve(undefined));
    expect(end.is).toBe("built");
    expect(readdirSync(cache)).toEqual(["new"]);
  });
});

test("a hash of sources changes with a name or a byte of relevant files, and only then", () => {
  writeFileSync(join(cache, "go.mod"), "a");
  writeFileSync(join(cache, "up.sh"), "a");
  const hash = (): string => hashOf(cache, (path) => path !== "up.sh");
  const first = hash();
  writeFileSync(join(cache, "up.sh"), "b");
  expect(hash()).toBe(first);
  writeFileSync(join(cache, "go.mod"), "b");
  const second = hash();
  writeFileSync(join(cache, "go.sum"), "b");
  expect(new Set([first, second, hash()]).size).toBe(3);
  expect(first).toMatch(/^[0-9a-f]{12}$/);
});
