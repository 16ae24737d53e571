/** Output that cannot be written is an error, whatever the command; a reader that has closed is none. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { runProgram } from "../e2e/support/program.ts";

let folder: string;
let manifest: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "lost-output-"));
  manifest = join(folder, "web.yaml");
  const template = { metadata: { labels: { app: "web" } }, spec: { containers: [{ name: "web", image: "nginx" }] } };
  const spec = { replicas: 1, selector: { matchLabels: { app: "web" } }, template };
  writeFileSync(
    manifest,
    JSON.stringify({ apiVersion: "apps/v1", kind: "ReplicaSet", metadata: { name: "web" }, spec }),
  );
});
afterAll(() => rmSync(folder, { recursive: true }));

describe.skipIf(!existsSync("/dev/full"))("output on a full device", () => {
  test.each([
    ["--help"],
    ["explain deployment"],
    ["completion bash"],
    ["why rs/web --sandbox -f FILE"],
    ["trace rs --sandbox -f FILE --for 20s"],
    ["run rs --sandbox -f FILE --for 20s"],
    ["dry-run --from manifests -f FILE -o json"],
  ])(
    "ends %s with an error",
    async (words) => {
      const args = words.split(" ").map((word) => (word === "FILE" ? manifest : word));
      const { code, stderr } = await runProgram(args, { through: '"$@" > /dev/full' });
      expect(stderr).toMatch(/^error: cannot write the output: no space left on device$/m);
      expect(code).toBe(2);
    },
    60_000,
  );

  test("has the same exit code if nobody can be told", async () => {
    const { code, stderr } = await runProgram(["explain", "deployment"], { through: '"$@" > /dev/full 2>&1' });
    expect({ code, stderr }).toEqual({ code: 2, stderr: "" });
  }, 60_000);
});

test("a reader that has closed ends a command silently", async () => {
  const through = '"$@" | head -n 1; exit "${PIPESTATUS[0]}"';
  const args = ["trace", "rs", "--sandbox", "-f", manifest, "--for", "20s"];
  const { code, stdout, stderr } = await runProgram(args, { through });
  expect({ code, stderr, lines: stdout.trim().split("\n").length }).toEqual({ code: 0, stderr: "", lines: 1 });
}, 60_000);
