import { afterAll, describe, expect, test } from "bun:test";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { runBunTests } from "../../scripts/bun-tests.ts";

const top = join(import.meta.dir, "..", "..");
const folder = mkdtempSync(join(tmpdir(), "bun-tests-test-"));

/** Runs a test file with this text. */
async function run(name: string, text: string, timeoutMs = 10_000): ReturnType<typeof runBunTests> {
  const path = join(folder, `${name}.test.ts`);
  writeFileSync(path, `import { afterAll, describe, expect, test } from "bun:test";\n${text}`);
  return await runBunTests({ files: [relative(top, path)], testTimeoutMs: 5_000, timeoutMs });
}

describe("running tests", () => {
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  test("returns the outcome of each test, and prints failures", async () => {
    const { results, output } = await run(
      "mixed",
      `describe('a "group" & <more>', () => {
        test("passes", () => expect(1).toBe(1));
        test("fails", () => expect("this").toBe("that"));
        test.skip("is skipped", () => {});
      });`,
    );
    expect(results.map(({ name, outcome }) => `${name}: ${outcome}`)).toEqual([
      'a "group" & <more> > passes: passed',
      'a "group" & <more> > fails: failed',
      'a "group" & <more> > is skipped: skipped',
    ]);
    expect(output).toContain('"that"');
    expect(output).not.toContain("(pass)");
  });

  test("counts the tests of a skipped group, but not its hooks", async () => {
    const { results } = await run(
      "skipped",
      `describe.skipIf(true)("a group", () => { afterAll(() => {}); test("one", () => {}); });`,
    );
    expect(results.map(({ name, outcome }) => `${name}: ${outcome}`)).toEqual(["a group > one: skipped"]);
  });

  const broken = [
    { name: "a file that cannot be loaded", text: 'throw new Error("at load");', says: "ran no test" },
    {
      name: "an error after a test that passed",
      text: 'test("a", () => expect(1).toBe(1)); afterAll(() => { throw new Error("at the end"); });',
      says: "(unnamed)",
    },
    { name: "a file without tests", text: "expect(1).toBe(1);", says: "ran no test" },
    { name: "an exit in the middle", text: 'test("a", () => process.exit(0));', says: "ran no test" },
  ];
  for (const { name, text, says } of broken) {
    test(`counts ${name} as a failure`, async () => {
      const { results } = await run("broken", text);
      expect(results.filter(({ outcome }) => outcome === "failed").map((result) => result.name)).toEqual([says]);
    });
  }

  test("ends a run that takes too long", async () => {
    const { results, ms } = await run("endless", 'test("a", () => { for (;;); });', 500);
    expect(results).toMatchObject([{ name: "was ended by a signal, after 0.5 s at most", outcome: "failed" }]);
    expect(ms).toBeLessThan(5_000);
  });
});
