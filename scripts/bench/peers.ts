/** The programs that take part: built once into the cache, in folders named by what they are made from; ours built anew. */
import { copyFileSync, cpSync, existsSync } from "node:fs";
import { join } from "node:path";
import { buildOnce, cacheFolder, hashOf } from "../control-plane.ts";

const sources = join(import.meta.dir, "..", "bench-peers");

/** A program that takes part, or why it does not. */
export type Program =
  { readonly is: "there"; readonly path: string } | { readonly is: "missing"; readonly why: string };

interface Recipe {
  readonly tool: string;
  /** Run in a copy of the sources. */
  readonly command: readonly string[];
  /** The program's name, in that folder or in cargo's. */
  readonly makes: string;
}

/** The peers; each has a folder of its name in `scripts/bench-peers/`. */
export type Peer = "client-go" | "firehose" | "informer" | "kube-rs" | "operator";

const recipes: Readonly<Record<Peer, Recipe>> = {
  "client-go": { tool: "go", command: ["go", "build", "-o", "peer-client-go", "."], makes: "peer-client-go" },
  firehose: { tool: "go", command: ["go", "build", "-o", "firehose", "."], makes: "firehose" },
  informer: { tool: "go", command: ["go", "build", "-o", "informer", "."], makes: "informer" },
  operator: { tool: "go", command: ["go", "build", "-o", "operator", "."], makes: "operator" },
  "kube-rs": { tool: "cargo", command: ["cargo", "build", "--release", "--locked"], makes: "peer-kubers" },
};

/** Where a peer's program is; built first if need be, which takes kube-rs minutes. */
export async function peer(name: Peer): Promise<Program> {
  const recipe = recipes[name];
  const from = join(sources, name);
  const folder = join(cacheFolder(), `bench-${name}-${hashOf(from, () => true)}`);
  const path = join(folder, name);
  if (existsSync(path)) return { is: "there", path };
  if (Bun.which(recipe.tool) === null) return { is: "missing", why: `${recipe.tool} is not installed` };
  process.stderr.write(`building the peer ${name}\n`);
  const built = await buildOnce(folder, async (into) => {
    const work = join(into, "work");
    cpSync(from, work, { recursive: true });
    const why = await run(recipe.command, work);
    const made = join(recipe.tool === "cargo" ? join(cargoTarget(), "release") : work, recipe.makes);
    if (why === undefined) copyFileSync(made, join(into, name));
    return why;
  });
  return built.is === "built" ? { is: "there", path } : { is: "missing", why: built.why };
}

/** One place for all that cargo makes, so that a change of the program does not build its packages anew. */
function cargoTarget(): string {
  return join(cacheFolder(), "cargo-target");
}

async function run(command: readonly string[], cwd: string): Promise<string | undefined> {
  const env = { ...process.env, CARGO_TARGET_DIR: cargoTarget() };
  const child = Bun.spawn([...command], { cwd, env, stdin: "ignore", stdout: "ignore", stderr: "pipe" });
  const said = await new Response(child.stderr).text();
  if ((await child.exited) === 0) return undefined;
  return said.trim().split("\n").slice(-3).join(" · ");
}

/** A program of ours beside this file (`ours`, `sandbox-ours`), compiled with byte code as `npm run build` does it. */
export async function buildOurs(into: string, name: "ours" | "sandbox-ours" = "ours"): Promise<string> {
  const outfile = join(into, name);
  const result = await Bun.build({
    entrypoints: [join(import.meta.dir, `${name}.ts`)],
    target: "bun",
    format: "esm",
    bytecode: true,
    minify: { whitespace: true, syntax: true, identifiers: false },
    compile: {
      outfile,
      autoloadDotenv: false,
      autoloadBunfig: false,
      autoloadTsconfig: false,
      autoloadPackageJson: false,
    },
  });
  if (!result.success) throw new AggregateError(result.logs, "Cannot build our side");
  return outfile;
}

/** `dist/kubectl-reconcile`, built anew. */
export async function buildProgram(into: string): Promise<string> {
  const { build } = await import("../build.ts");
  await build({ outdir: into });
  return join(into, "kubectl-reconcile");
}
