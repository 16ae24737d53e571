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

/** What is wrong with these lines of a README, beside the tests above. */
async function foundIn(lines: readonly string[]): Promise<readonly string[]> {
  const top = mkdtempSync(join(tmpdir(), "quoted-tests-"));
  try {
    mkdirSync(join(top, "test/pods/golden"), { recursive: true });
    mkdirSync(join(top, "test/golden"));
    writeFileSync(join(top, "test/pods/pods.cluster.test.ts"), tests);
    writeFileSync(join(top, "test/pods/golden/packed.json"), "{}");
    writeFileSync(join(top, "test/pods/README.md"), lines.join("\n"));
    return await wrongQuotes(top);
  } finally {
    rmSync(top, { recursive: true });
  }
}

test("finds the quotes that no test has, in all cells but the first", async () => {
  const rows = [...right, ...wrong].map((quote) => `| "TestUpstream" | pods: "${quote}" |`);
  expect(await foundIn(['Text with a "quote" is not checked.', ...rows])).toEqual(
    wrong.map((quote, n) => `test/pods/README.md:${right.length + n + 2}: no test is named "${quote}"`),
  );
});

test("finds paths that do not exist below test/", async () => {
  const cells = [
    "pods/pods",
    "pods/golden/packed",
    "golden/packed",
    "pods/pod, pods/gold; cores/core",
    'x: "pods/none"',
  ];
  expect(await foundIn(cells.map((cell) => `| pods/upstream | ${cell} |`))).toEqual([
    "test/pods/README.md:4: test/ has no file pods/pod",
    "test/pods/README.md:4: test/ has no file pods/gold",
    'test/pods/README.md:5: no test is named "pods/none"',
  ]);
});
