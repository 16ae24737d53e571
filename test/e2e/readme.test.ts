/** The README's first example prints what the README shows. */
import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { runProgram } from "./support/program.ts";

const top = join(import.meta.dir, "../..");

/** Without line breaks, generated names and times. */
function plain(text: string): string {
  return text
    .replace(/\s+/g, " ")
    .replace(/web-[0-9a-f]{9,10}\b/g, "web-HASH")
    .replace(/web-HASH-[a-z0-9]{5}\b/g, "web-HASH-POD")
    .replace(/in \d+ m [\d.]+ s/g, "in TIME")
    .replace(/just now|[\d.]+ (?:ms|s) ago/g, "AGO")
    .replace(/ \(for [\d.]+ (?:ms|s)\)/g, "")
    .trim();
}

test("the README's first example prints what it shows", async () => {
  const readme = readFileSync(join(top, "README.md"), "utf8");
  const [, , command = "", shown = ""] = /( {4}kubectl reconcile (why \S.*)\n\n((?: {4}.*\n)+))/.exec(readme) ?? [];
  const words = command.trim().split(/\s+/);
  const file = words.at(-1) ?? "";
  const args = [...words.slice(0, -1), join(top, file)];
  const { stdout } = await runProgram(args);
  expect(stdout).toContain("Deployment web is waiting");
  const output = plain(stdout)
    .replaceAll(join(top, file), file)
    .replaceAll("kubectl-reconcile trace", "kubectl reconcile trace");
  expect(output).toBe(plain(shown));
});
