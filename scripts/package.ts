/**
 * `npm pack` and `npm publish` run this first (`prepack`): builds `dist/lib`, the modules reachable from `src/index.ts`, as JavaScript with
 * declarations. JavaScript, because neither Node nor Deno runs TypeScript inside node_modules. Exits 1 if it does not compile.
 */
import { rmSync } from "node:fs";
import { join } from "node:path";

const top = join(import.meta.dir, "..");

rmSync(join(top, "dist", "lib"), { recursive: true, force: true });
const run = Bun.spawnSync(
  [join(top, "node_modules", ".bin", "tsc"), "--pretty", "false", "-p", "tsconfig.package.json"],
  {
    cwd: top,
    // npm pack --json prints its result on standard output.
    stdio: ["ignore", 2, 2],
  },
);
process.exit(run.exitCode === 0 ? 0 : 1);
