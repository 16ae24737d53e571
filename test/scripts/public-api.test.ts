import { afterAll, beforeAll, expect, test } from "bun:test";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { examplesOf, publicApi, undocumented } from "../../scripts/public-api.ts";

const parts = `/** Documented, with an example.
 *
 * @example
 * \`\`\`ts
 * shown();
 * if (true) {
 *   shown();
 * }
 * \`\`\`
 */
export function shown(): void {}
/** Documented, without an example. */
export function unshown(): void {}
export const bare = 1;
/** Has members. */
export interface Shape {
  /** Documented. */
  readonly width: number;
  readonly height: number;
}
/** A class that is returned to the caller. */
export class Returned {
  #hidden = 1;
  protected inner = 2;
  /** Documented once for both. */
  over(a: number): void;
  over(a: string): void;
  over(): void {}
  plain(): void {}
}
export interface Internal {
  readonly secret: number;
}
`;

let top: string;
beforeAll(() => {
  top = mkdtempSync(join(tmpdir(), "public-api-"));
  mkdirSync(join(top, "src"));
  writeFileSync(join(top, "src/parts.ts"), parts);
  writeFileSync(join(top, "src/kinds.ts"), "/** Pods. */\nexport const Pods = 1;\nexport const Nodes = 2;\n");
  const exported = [
    `export { shown, unshown, bare } from "./parts.ts";`,
    `export type { Returned, Shape } from "./parts.ts";`,
    `export * as kinds from "./kinds.ts";`,
  ];
  writeFileSync(join(top, "src/index.ts"), exported.join("\n"));
});
afterAll(() => rmSync(top, { recursive: true, force: true }));

test("finds what is missing in the public API's documentation, and ignores internals", async () => {
  const found = undocumented(await publicApi(top)).map(({ place, what }) => `${place} ${what}`);
  expect(found).toEqual([
    "src/parts.ts:13 unshown: no @example",
    "src/parts.ts:14 bare",
    "src/parts.ts:29 Returned.plain",
    "src/parts.ts:19 Shape.height",
    "src/kinds.ts:3 Nodes",
  ]);
});

test("extracts examples from comments, with their indentation", async () => {
  const code = "shown();\nif (true) {\n  shown();\n}\n";
  expect(examplesOf(await publicApi(top))).toEqual([{ name: "shown", code }]);
});
