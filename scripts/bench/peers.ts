/** The programs that take part: peers are built once into the cache, ours every time. */
import { join } from "node:path";
import { builtProgram, type Program } from "../built-programs.ts";

export type { Program } from "../built-programs.ts";

const sources = join(import.meta.dir, "..", "bench-peers");

/** The peers; each has a folder with its name in `scripts/bench-peers/`. */
export type Peer = "client-go" | "firehose" | "informer" | "kube-rs" | "operator";

const go = (makes: string): { tool: string; command: string[]; makes: string } => ({
  tool: "go",
  command: ["go", "build", "-o", makes, "."],
  makes,
});

const recipes = {
  "client-go": go("peer-client-go"),
  firehose: go("firehose"),
  informer: go("informer"),
  operator: go("operator"),
  "kube-rs": { tool: "cargo", command: ["cargo", "build", "--release", "--locked"], makes: "release/peer-kubers" },
} as const satisfies Readonly<Record<Peer, object>>;

/** Where a peer's program is; builds it first if necessary, which takes minutes for kube-rs. */
export function peer(name: Peer): Promise<Program> {
  return builtProgram({ ...recipes[name], sources: join(sources, name), cachedAs: `bench-${name}`, name });
}

/** One of our programs in this folder (`ours`, `sandbox-ours`), compiled with byte code as in `npm run build`. */
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

/** `dist/kubectl-reconcile`, freshly built. */
export async function buildProgram(into: string): Promise<string> {
  const { build } = await import("../build.ts");
  await build({ outdir: into });
  return join(into, "kubectl-reconcile");
}
