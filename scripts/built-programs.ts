/** Programs in other languages: built once into the cache, in folders named by a hash of their sources. */
import { cpSync, existsSync } from "node:fs";
import { join } from "node:path";
import { buildOnce, cacheFolder, hashOf } from "./control-plane.ts";

/** A program that takes part, or why it does not. */
export type Program =
  { readonly is: "there"; readonly path: string } | { readonly is: "missing"; readonly why: string };

/** How a program is built. */
export interface Recipe {
  /** The folder with the sources. */
  readonly sources: string;
  /** The sources whose change makes a different program; default: all of them. */
  readonly matters?: (path: string) => boolean;
  /** Changes the copy of the sources in this folder before the build; `cachedAs` must reflect that. */
  readonly alter?: (folder: string) => void;
  /** Prefix of the name of the folder in the cache. */
  readonly cachedAs: string;
  /** What has to be installed. */
  readonly tool: string;
  /** Run in a copy of the sources. */
  readonly command: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** The file or folder that it builds: in that copy, or with cargo in cargo's target folder. */
  readonly makes: string;
  /** Its name in the cache. */
  readonly name: string;
}

/** Where the program is, whether or not it has been built. */
function placeOf({ sources, matters = () => true, cachedAs, name }: Recipe): { folder: string; path: string } {
  const folder = join(cacheFolder(), `${cachedAs}-${hashOf(sources, matters)}`);
  return { folder, path: join(folder, name) };
}

/** Where the program is; builds it first if necessary, which takes minutes in Rust. */
export async function builtProgram(recipe: Recipe): Promise<Program> {
  const { tool, command, env = {}, makes, name } = recipe;
  const { folder, path } = placeOf(recipe);
  if (existsSync(path)) return { is: "there", path };
  if (Bun.which(tool) === null) return { is: "missing", why: `${tool} is not installed` };
  process.stderr.write(`building ${recipe.cachedAs}\n`);
  const built = await buildOnce(folder, async (into) => {
    const work = join(into, "work");
    cpSync(recipe.sources, work, { recursive: true });
    recipe.alter?.(work);
    const why = await run(command, { cwd: work, env });
    const made = join(tool === "cargo" ? cargoTarget() : work, makes);
    if (why === undefined) cpSync(made, join(into, name), { recursive: true });
    return why;
  });
  return built.is === "built" ? { is: "there", path } : { is: "missing", why: built.why };
}

/** One place for everything cargo builds, so a change to the program does not rebuild its packages. */
function cargoTarget(): string {
  return join(cacheFolder(), "cargo-target");
}

interface Surroundings {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
}

async function run(command: readonly string[], { cwd, env }: Surroundings): Promise<string | undefined> {
  const child = Bun.spawn([...command], {
    cwd,
    env: { ...process.env, CARGO_TARGET_DIR: cargoTarget(), ...env },
    stdin: "ignore",
    stdout: "ignore",
    stderr: "pipe",
  });
  const errors = await new Response(child.stderr).text();
  if ((await child.exited) === 0) return undefined;
  return errors.trim().split("\n").slice(-3).join(" · ");
}
