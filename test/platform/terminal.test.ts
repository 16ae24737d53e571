import { expect, test } from "bun:test";
import { join } from "node:path";

const program = `import { openTerminal } from ${JSON.stringify(join(import.meta.dir, "../../src/platform/terminal.ts"))};
const { out } = openTerminal();
out.line(\`\${out.columns} columns, \${out.rows} rows\`);`;

/** What the program prints on a terminal whose size `stty` has set. */
async function printedOnTerminal(stty: string): Promise<string> {
  const line = Promise.withResolvers<string>();
  let printed = "";
  const data = (_: unknown, bytes: Uint8Array): void => {
    printed += new TextDecoder().decode(bytes);
    if (printed.includes("\n")) line.resolve(printed.trim());
  };
  const command = ["sh", "-c", `stty ${stty} && exec "$0" -e "$1"`, process.execPath, program];
  const ours = Bun.spawn(command, { terminal: { data } });
  expect(await ours.exited).toBe(0);
  return line.promise;
}

test.each([
  { knows: "its size", stty: "cols 132 rows 50", says: "132 columns, 50 rows" },
  { knows: "no size", stty: "cols 0 rows 0", says: "80 columns, 24 rows" },
])("the size of a terminal that knows $knows", async ({ stty, says }) => {
  expect(await printedOnTerminal(stty)).toBe(says);
});

test("a pipe has no size", () => {
  const { stdout } = Bun.spawnSync([process.execPath, "-e", program]);
  expect(stdout.toString()).toBe("undefined columns, undefined rows\n");
});
