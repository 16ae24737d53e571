/** Counts of what the code base has too much of; `ceilings.json` contains the maxima, which only ever fall. */
import { join } from "node:path";
import { floorsOf } from "./house.ts";
import { publicApi, undocumented } from "./public-api.ts";
import { type Finding, tidinessOf } from "./tidiness.ts";

const file = join(import.meta.dir, "ceilings.json");

/** A copy of the project may have less history than the one that the figure comes from. */
export const mayBeFewer: ReadonlySet<string> = new Set(["commit subjects over 72 characters"]);

export type Ceilings = Readonly<Record<string, number>>;

export interface Counts {
  readonly counts: ReadonlyMap<string, number>;
  readonly findings: ReadonlyMap<string, readonly Finding[]>;
}

/** Counts in the work tree at `top`. */
export async function countsOf(top: string): Promise<Counts> {
  const { density } = await floorsOf(top);
  const findings = new Map<string, readonly Finding[]>(Object.entries(await tidinessOf(top)));
  findings.set("public API without documentation", undocumented(await publicApi(top)));
  const counts = new Map(
    [...density].map(([folder, { arrows, places }]) => [
      `arrows a place inside ${folder}`,
      hundredths(arrows / places),
    ]),
  );
  for (const [name, found] of findings) counts.set(name, found.length);
  const subjects = longSubjects(top);
  if (subjects !== undefined) counts.set("commit subjects over 72 characters", subjects);
  return { counts, findings };
}

/** Rounded up. */
function hundredths(value: number): number {
  return Math.ceil(value * 100) / 100;
}

export async function readCeilings(): Promise<Ceilings> {
  return (await Bun.file(file).json()) as Ceilings;
}

/** Lowers ceilings whose count fell; never raises one. */
export async function writeCeilings(counts: ReadonlyMap<string, number>, today: Ceilings): Promise<void> {
  const lowered = Object.fromEntries([...counts].map(([name, count]) => [name, Math.min(count, today[name] ?? count)]));
  await Bun.write(file, `${JSON.stringify({ ...today, ...lowered }, null, 2)}\n`);
}

/** In the history, which must be complete; undefined if it is not. */
function longSubjects(top: string): number | undefined {
  const git = (...args: string[]): string | undefined => {
    const run = Bun.spawnSync(["git", ...args], { cwd: top, stdio: ["ignore", "pipe", "ignore"] });
    return run.exitCode === 0 ? run.stdout.toString() : undefined;
  };
  if (git("rev-parse", "--is-shallow-repository")?.trim() !== "false") return undefined;
  return git("log", "--no-merges", "--format=%s")
    ?.split("\n")
    .filter((subject) => subject.length > 72).length;
}
