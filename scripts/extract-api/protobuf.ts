/**
 * Generates `src/api/wire/numbers.json` from the Go types of Kubernetes: the protobuf numbers of all fields of the types in
 * `src/api/wire/api.json`. `bun scripts/extract-api/protobuf.ts`; it needs Go, and no server.
 */
import { join } from "node:path";
import type { ApiData } from "../../src/api/wire/format.ts";

const top = join(import.meta.dir, "..", "..");
const run = Bun.spawnSync(["go", "run", join(import.meta.dir, "protobuf", "main.go")], {
  cwd: join(top, "scripts", "control-plane", "kubernetes"),
  stdio: ["ignore", "pipe", "inherit"],
});
if (run.exitCode !== 0) throw new Error("Cannot read the Go types: see above");

const api = (await Bun.file(join(top, "src", "api", "wire", "api.json")).json()) as ApiData;
const all = Object.entries(JSON.parse(run.stdout.toString()) as Record<string, string>);
// Inlined structs are not separate types in OpenAPI.
const inlined = new Set(all.flatMap(([, fields]) => [...fields.matchAll(/=([^,]+)/g)].map((match) => match[1])));
const kept = all.filter(([name, fields]) => fields !== "" && (name in api.types || inlined.has(name)));
const text = `${JSON.stringify(Object.fromEntries(kept.sort(([a], [b]) => (a < b ? -1 : 1))), null, 2)}\n`;
await Bun.write(join(top, "src", "api", "wire", "numbers.json"), text);
console.log(`src/api/wire/numbers.json: ${text.length} bytes, ${kept.length} types`);
