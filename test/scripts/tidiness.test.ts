import { expect, test } from "bun:test";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { tidinessOf } from "../../scripts/tidiness.ts";

const text = `/** The first comment is the file's. */

import { x } from "./x.ts";
/** Documented; calls \`knownName\` and not \`unknownName\`, nor a \`word\`. */
export function knownName(a: number, b: number): void {}
export function three(a: number, b: number, c: number): void {}
export const arrow = (a: number, b: number, c: number): number => a;
export interface Bare {}
// Not a documentation comment.
export const fixed = ["a"] as const;
class Inner {
  method(a: number, b: number, c: number): void {}
}
const cast = x as string;

// It is one: see above.
const withReason = x as number;
const alsoWithReason = x as number; // said here
export { cast };
`;

test("counts deviations from the style, with their places", async () => {
  const top = mkdtempSync(join(tmpdir(), "tidiness-"));
  try {
    mkdirSync(join(top, "src"));
    mkdirSync(join(top, "test"));
    writeFileSync(join(top, "src/a.ts"), text);
    writeFileSync(join(top, "src/all.ts"), 'export * from "./public.ts";\n');
    writeFileSync(join(top, "src/public.ts"), "/** For users. */\nexport const ofTheApi = 1;\n");
    writeFileSync(join(top, "test/a.test.ts"), "three(1, 2, 3);\n");
    const found = Object.entries(await tidinessOf(top)).map(([name, findings]) => [
      name,
      findings.map(({ place, what }) => `${place} ${what}`),
    ]);
    expect(Object.fromEntries(found)).toEqual({
      "long parameter lists": ["src/a.ts:6 three", "src/a.ts:7 arrow", "src/a.ts:12 method"],
      "casts without a reason": ["src/a.ts:14 as string"],
      "exports without documentation": [
        "src/a.ts:6 three",
        "src/a.ts:7 arrow",
        "src/a.ts:8 Bare",
        "src/a.ts:10 fixed",
        "src/a.ts:19 cast",
      ],
      "values exported for their own file alone": ["src/a.ts:5 knownName", "src/a.ts:7 arrow", "src/a.ts:10 fixed"],
      "unknown names in comments": ["src/a.ts:4 unknownName"],
    });
  } finally {
    rmSync(top, { recursive: true, force: true });
  }
});
