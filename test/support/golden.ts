/** Reviewed outputs. `UPDATE_GOLDEN=1` rewrites them: read the difference before you commit it. */
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect } from "bun:test";

const folder = join(import.meta.dir, "..", "golden");

/** Compares a text with `test/golden/<name>`. */
export function expectGolden(name: string, text: string): void {
  const file = join(folder, name);
  if (process.env["UPDATE_GOLDEN"] === "1") {
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
  }
  expect(text).toBe(readFileSync(file, "utf8"));
}
