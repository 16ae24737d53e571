import { afterAll, describe, expect, test } from "bun:test";
import { mkdtempSync, readFileSync, readdirSync, rmSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { readTextFile, writePrivateFile } from "../../src/platform/files.ts";

const dir = mkdtempSync(join(tmpdir(), "files-"));
afterAll(() => rmSync(dir, { recursive: true, force: true }));
const at = (name: string): string => join(dir, name);

describe("readTextFile", () => {
  test.each([
    { name: "UTF-8", bytes: Buffer.from("täg: 日本") },
    { name: "UTF-8 with a byte order mark", bytes: Buffer.from("\ufefftäg: 日本") },
    { name: "UTF-16, little endian", bytes: Buffer.from("\ufefftäg: 日本", "utf16le") },
    { name: "UTF-16, big endian", bytes: Buffer.from("\ufefftäg: 日本", "utf16le").swap16() },
  ])("reads $name", async ({ name, bytes }) => {
    writeFileSync(at(name), bytes);
    expect(await readTextFile(at(name))).toBe("täg: 日本");
  });

  test("returns nothing for a missing file; a folder is an error", async () => {
    expect(await readTextFile(at("none"))).toBeUndefined();
    expect(await readTextFile(dir).catch((error: { code: string }) => error.code)).toBe("EISDIR");
  });
});

describe("writePrivateFile", () => {
  test("creates a file that only the owner can read, even if an open one existed", async () => {
    writeFileSync(at("open"), "old", { mode: 0o644 });
    await writePrivateFile(at("open"), "new");
    expect(readFileSync(at("open"), "utf8")).toBe("new");
    expect(statSync(at("open")).mode & 0o777).toBe(0o600);
  });

  test("follows no planted link, neither in its place nor beside it", async () => {
    writeFileSync(at("victim"), "untouched");
    symlinkSync(at("victim"), at("planted"));
    symlinkSync(at("victim"), at(`planted.${process.pid}.new`));
    await writePrivateFile(at("planted"), "secret");
    expect(readFileSync(at("victim"), "utf8")).toBe("untouched");
    expect(readFileSync(at("planted"), "utf8")).toBe("secret");
    expect(readdirSync(dir).filter((name) => name.endsWith(".new"))).toEqual([]);
  });
});
