// Starts a script of this project on Bun. Plain JavaScript, since Node 20 runs it before Bun is known to work.
// usage: node scripts/launch.mjs SCRIPT.ts [argument...]
import { spawn, spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const top = dirname(dirname(fileURLToPath(import.meta.url)));
const bun = join(top, "node_modules", "bun", "bin", process.platform === "win32" ? "bun.exe" : "bun.exe");

function works() {
  return existsSync(bun) && spawnSync(bun, ["--version"], { stdio: "ignore" }).status === 0;
}

if (!existsSync(join(top, "node_modules", "bun"))) {
  console.error("error: Bun is not installed here: run `npm ci` first");
  process.exit(2);
}
if (!works()) {
  // npm ran without install scripts: Bun's own one links the binary of the platform package, offline.
  console.error("Bun's install script has not run; running it now (node_modules/bun/install.js)");
  spawnSync(process.execPath, ["install.js"], { cwd: join(top, "node_modules", "bun"), stdio: "inherit" });
  if (!works()) {
    console.error("error: Bun does not start: remove node_modules and run `npm ci` again");
    process.exit(2);
  }
}
const [script, ...args] = process.argv.slice(2);
if (script === undefined) {
  console.error("usage: node scripts/launch.mjs SCRIPT.ts [argument...]");
  process.exit(2);
}
const child = spawn(bun, ["--no-env-file", join(top, script), ...args], { stdio: "inherit" });
// The terminal sends a signal to the whole group; one sent to this process alone is handed on.
for (const signal of ["SIGINT", "SIGTERM"]) process.on(signal, () => child.kill(signal));
child.on("exit", (code, signal) => process.exit(code ?? (signal === "SIGINT" ? 130 : 143)));
