import { expect, test } from "bun:test";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { wrongQuotes } from "../../scripts/quoted-tests.ts";

const tests = `
describe("a deleted pod", () => {
  test("enqueues its controller", () => {});
  for (const { what } of [{ what: "with a bad name" }, { what: "without a secret" }])
    test(\`\${what} signs nothing\`, () => {});
  for (const count of counts) test(\`of \${count}, at most 1000 are mirrored\`, () => {});
  // Its fixed part is too short to identify it.
  test(\`\${what} or \${what}\`, () => {});
});
`;

const right = [
  "a deleted pod",
  "a deleted pod > enqueues its controller",
  "a deleted pod > enqueues …",
  "… its controller",
  "with a bad name signs nothing",
  "of 1001, at most 1000 are mirrored",
  "of 1001, at most …",
];

const wrong = [
  "a pod that is gone",
  "a deleted pod > enqueues nothing",
  "a deleted pod > … everything",
  "without an id signs nothing",
  "with a bad name signs all",
  "of many, at most 1000 are mirrored",
  "with a bad name or without a secret",
];

test("finds the quotes that no test has, in all cells but the first", async () => {
  const top = mkdtempSync(join(tmpdir(), "quoted-tests-"));
  try {
    mkdirSync(join(top, "test/pods"), { recursive: true });
    writeFileSync(join(top, "test/pods/pods.test.ts"), tests);
    const rows = [...right, ...wrong].map((quote) => `| "TestUpstream" | pods: "${quote}" |`);
    writeFileSync(join(top, "test/pods/README.md"), ['Text with a "quote" is not checked.', ...rows].join("\n"));
    expect(await wrongQuotes(top)).toEqual(
      wrong.map((quote, n) => `test/pods/README.md:${right.length + n + 2}: no test is named "${quote}"`),
    );
  } finally {
    rmSync(top, { recursive: true });
  }
});
