/**
 * The gate without the tests: derived files, format, floors, quotes of tests, ceilings, lint, types. `--write` fixes what can be fixed
 * automatically, `--findings` lists the places that the ceilings count. Exits 1 if anything is wrong, 2 for an unknown option.
 */
import { join } from "node:path";
import { countsOf, mayBeFewer, readCeilings, writeCeilings } from "./ceilings.ts";
import { levels, rooms } from "./floors.ts";
import { floorsOf, lintConfig, withPicture } from "./house.ts";
import { licensesText, type ThirdPartyPackage } from "../plugin/commands/version/licenses.ts";
import { thirdPartyLicenses } from "./licenses.ts";
import { wrongQuotes } from "./quoted-tests.ts";

const top = join(import.meta.dir, "..");
const options = ["--write", "--findings"];
const given = process.argv.slice(2);
const unknown = given.find((word) => !options.includes(word));
if (unknown !== undefined) {
  console.error(`error: unknown option ${unknown}; it takes ${options.join(" and ")}`);
  process.exit(2);
}
const write = given.includes("--write");
/** Results of the formatter's and compiler's last run; per checkout, since several may share their node_modules. */
const cache = join(top, "node_modules", ".cache", `check-${Bun.hash(top).toString(36)}`);

/** Runs a tool of node_modules/.bin; true if it exits 0. */
function tool(name: string, ...args: string[]): boolean {
  // The tools' launchers are Node programs: run by path, so PATH is not searched.
  const run = Bun.spawnSync([join(top, "node_modules", ".bin", name), ...args], {
    cwd: top,
    stdio: ["ignore", "inherit", "inherit"],
  });
  return run.exitCode === 0;
}

interface Derived {
  readonly path: string;
  /** What it is generated from, for the message when it is out of date. */
  readonly from: string;
  readonly make: (today: string) => string | Promise<string>;
}

async function derived({ path, from, make }: Derived): Promise<boolean> {
  const file = Bun.file(join(top, path));
  const today = (await file.exists()) ? await file.text() : "";
  const wanted = await make(today);
  if (wanted === today) return true;
  if (write) {
    await Bun.write(file, wanted);
    return true;
  }
  console.error(`${path} does not agree with ${from}: run npm run check -- --write`);
  return false;
}

const thirdParty = thirdPartyLicenses(top);

const derivedFiles: readonly Derived[] = [
  { path: "src/README.md", from: "scripts/floors.ts", make: (today) => withPicture(today, rooms) },
  ...levels.map(({ folder, places }) => ({
    path: `${folder}/README.md`,
    from: "scripts/floors.ts",
    make: (today: string) => withPicture(today, places),
  })),
  { path: ".oxlintrc.json", from: "scripts/floors.ts", make: lintConfig },
  {
    path: "plugin/commands/version/third-party.json",
    from: "the packages that the binary holds",
    make: () => thirdParty,
  },
  {
    path: "THIRD-PARTY-LICENSES.txt",
    from: "the packages that the binary holds",
    // The list is our own, generated a moment ago.
    make: async () => licensesText(JSON.parse(await thirdParty) as readonly ThirdPartyPackage[]),
  },
];

async function floors(): Promise<boolean> {
  const { broken } = await floorsOf(top);
  for (const line of broken) console.error(line);
  return broken.length === 0;
}

async function quotes(): Promise<boolean> {
  const wrong = await wrongQuotes(top);
  for (const line of wrong) console.error(line);
  return wrong.length === 0;
}

/** Counts that may only fall; `--write` lowers those that fell. `--findings` lists the places. */
async function ceilings(): Promise<boolean> {
  const ceilings = await readCeilings();
  const { counts, findings } = await countsOf(top);
  const over = [...counts].filter(([name, count]) => count > (ceilings[name] ?? 0));
  const under = [...counts].filter(([name, count]) => count < (ceilings[name] ?? 0) && !mayBeFewer.has(name));
  for (const [name, count] of counts) console.log(`${String(count).padStart(5)}  ${name}`);
  if (given.includes("--findings"))
    for (const [name, found] of findings)
      for (const { place, what } of found) console.log(`${place}: ${name}: ${what}`);
  for (const [name, count] of over)
    console.error(`${name}: ${count}, and there were ${ceilings[name] ?? 0}; npm run check -- --findings lists them`);
  if (write) await writeCeilings(counts, ceilings);
  else
    for (const [name, count] of under)
      console.error(`${name}: ${count}, fewer than ${ceilings[name]}: run npm run check -- --write`);
  return over.length === 0 && (write || under.length === 0);
}

const formatCache = ["--cache", "--cache-strategy", "content", "--cache-location", join(cache, "format")];
const steps: readonly (readonly [string, () => boolean | Promise<boolean>])[] = [
  ["derived files", async () => (await Promise.all(derivedFiles.map(derived))).every((ok) => ok)],
  ["format", () => tool("prettier", ...formatCache, "--log-level", "warn", write ? "--write" : "--check", ".")],
  ["floors", floors],
  ["quotes of tests", quotes],
  ["ceilings", ceilings],
  ["lint", () => tool("oxlint", "--type-aware", "--deny-warnings", ...(write ? ["--fix"] : []))],
  ["types", () => tool("tsc", "--pretty", "false", "--incremental", "--tsBuildInfoFile", join(cache, "types"))],
];

let failed = 0;
for (const [name, step] of steps) {
  const ok = await step();
  console.log(`${ok ? "ok    " : "FAILED"}  ${name}`);
  if (!ok) failed++;
}
process.exit(failed === 0 ? 0 : 1);
