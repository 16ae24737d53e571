import { afterEach, describe, expect, test } from "bun:test";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { floorsOf } from "../../scripts/house.ts";

let top = "";
afterEach(() => rmSync(top, { recursive: true, force: true }));

/** The rules broken by these files, given with their imports; the ceilings are the real ones. */
async function brokenIn(files: Readonly<Record<string, readonly string[]>>): Promise<readonly string[]> {
  top = mkdtempSync(join(tmpdir(), "house-"));
  for (const [path, imports] of Object.entries(files)) {
    mkdirSync(dirname(join(top, path)), { recursive: true });
    writeFileSync(join(top, path), imports.map((target) => `import ${JSON.stringify(target)};\n`).join(""));
  }
  return (await floorsOf(top)).broken.filter((line) => !line.startsWith("scripts/floors.ts"));
}

describe("the floors hold", () => {
  test("between rooms: no import from a floor above, or beside", async () => {
    expect(await brokenIn({ "src/api/a.ts": ["../cache/b.ts"], "src/cache/b.ts": ["../api/a.ts"] })).toEqual([
      "src/api/a.ts: src/api (floor 1) must not import src/cache (floor 4)",
    ]);
    expect(await brokenIn({ "src/views/a.ts": ["../workqueue/b.ts"], "src/workqueue/b.ts": [] })).toHaveLength(1);
  });

  test("between the places of a room, and of a place", async () => {
    const files = {
      "src/sandbox/meta/a.ts": ["../serving/b.ts"],
      "src/sandbox/serving/b.ts": ["../meta/a.ts"],
      "src/sandbox/registry/core/c.ts": ["../apps/d.ts"],
      "src/sandbox/registry/apps/d.ts": [],
    };
    expect(await brokenIn(files)).toEqual([
      "src/sandbox/meta/a.ts: imports src/sandbox/serving/b.ts, in a circle of folders inside src/sandbox",
      "src/sandbox/meta/a.ts: meta (floor 1) must not import serving (floor 9)",
      "src/sandbox/registry/core/c.ts: core (floor 3) must not import apps (floor 4)",
      "src/sandbox/serving/b.ts: imports src/sandbox/meta/a.ts, in a circle of folders inside src/sandbox",
    ]);
  });

  test("for the files at the top of a room with floors", async () => {
    expect(await brokenIn({ "plugin/main.ts": [], "plugin/cli/a.ts": ["../main.ts"] })).toEqual([
      "plugin/cli/a.ts: imports plugin/main.ts, which lies flat in plugin, its top",
    ]);
  });

  test("between commands, which import no other", async () => {
    expect(await brokenIn({ "plugin/commands/a/a.ts": ["../b/b.ts"], "plugin/commands/b/b.ts": [] })).toEqual([
      "plugin/commands/a/a.ts: a must not import b",
    ]);
  });

  test("for a cycle of three folders outside the table", async () => {
    const files = {
      "src/cache/a/x.ts": ["../b/x.ts"],
      "src/cache/b/x.ts": ["../y.ts"],
      "src/cache/y.ts": ["./a/x.ts"],
    };
    expect(await brokenIn(files)).toEqual([
      "src/cache/a/x.ts: imports src/cache/b/x.ts, in a circle of folders inside src/cache",
      "src/cache/b/x.ts: imports src/cache/y.ts, in a circle of folders inside src/cache",
      "src/cache/y.ts: imports src/cache/a/x.ts, in a circle of folders inside src/cache",
    ]);
  });
});
