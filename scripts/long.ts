/** `npm run long`: the tests in their long form, with many more seeds and steps (`test/support/long.ts`). Hours, not minutes. */
import { join } from "node:path";

const run = Bun.spawn([process.execPath, join(import.meta.dir, "test.ts"), ...process.argv.slice(2)], {
  env: { ...process.env, LONG: "1" },
  stdin: "ignore",
  stdout: "inherit",
  stderr: "inherit",
});
process.exit(await run.exited);
