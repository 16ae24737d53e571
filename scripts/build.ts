/**
 * `npm run build`: builds `dist/kubectl-reconcile`, one binary with everything in it, and `dist/kubectl_complete-reconcile`, which kubectl
 * runs for completions. With dist/ on PATH, `kubectl reconcile` works.
 *
 * `--target bun-darwin-arm64 --executable PATH --outdir DIR` builds for another machine, with that machine's Bun.
 */
import { chmodSync, mkdirSync, statSync, writeFileSync } from "node:fs";
import { join, relative } from "node:path";
import { parseArgs } from "node:util";

const top = join(import.meta.dir, "..");

/** Output folder and target; the defaults are for this machine. */
export interface BuildOptions {
  readonly outdir?: string;
  /** `bun-linux-x64`, `bun-darwin-arm64`, … */
  readonly target?: Bun.Build.CompileTarget;
  /** The Bun of `target`, from npm's `@oven/bun-…`; needed if the network must not be used. */
  readonly executable?: string;
}

/** A file that was built. */
export interface Built {
  readonly path: string;
  readonly bytes: number;
  readonly ms: number;
}

/** What kubectl runs for `kubectl reconcile <TAB>`: the words typed are its arguments. */
const completionScript = `#!/bin/sh
# kubectl's completion of its plugin: https://kubernetes.io/docs/tasks/extend-kubectl/kubectl-plugins/
program="$(dirname "$0")/kubectl-reconcile"
[ -x "$program" ] || program=kubectl-reconcile
exec "$program" complete -- "$@"
`;

/** Builds all files. @throws Error with what the bundler found. */
export async function build(options: BuildOptions = {}): Promise<readonly Built[]> {
  const outdir = options.outdir ?? join(top, "dist");
  mkdirSync(outdir, { recursive: true });
  return [
    await timed(join(outdir, "kubectl-reconcile"), (path) => compile(path, options)),
    await timed(join(outdir, "kubectl_complete-reconcile"), (path) => {
      writeFileSync(path, completionScript);
      chmodSync(path, 0o755);
    }),
  ];
}

async function compile(outfile: string, { target, executable }: BuildOptions): Promise<void> {
  const result = await Bun.build({
    entrypoints: [join(top, "plugin", "main.ts")],
    target: "bun",
    format: "esm",
    bytecode: true,
    // Minified, it starts no faster and is only 0.6 % smaller, and its stack traces say nothing.
    minify: false,
    compile: {
      outfile,
      // Running code from a bunfig.toml in the working directory would be a trap.
      autoloadDotenv: false,
      autoloadBunfig: false,
      autoloadTsconfig: false,
      autoloadPackageJson: false,
      ...(target !== undefined && { target }),
      ...(executable !== undefined && { executablePath: executable }),
    },
  });
  if (!result.success) throw new AggregateError(result.logs, `Cannot build ${outfile}`);
}

async function timed(path: string, make: (path: string) => void | Promise<void>): Promise<Built> {
  const start = performance.now();
  await make(path);
  return { path, bytes: statSync(path).size, ms: performance.now() - start };
}

if (import.meta.main) {
  const { values } = parseArgs({
    options: { outdir: { type: "string" }, target: { type: "string" }, executable: { type: "string" } },
  });
  const { outdir, target, executable } = values;
  const built = await build({
    ...(outdir !== undefined && { outdir }),
    // Bun itself refuses a target it does not know.
    ...(target !== undefined && { target: target as Bun.Build.CompileTarget }),
    ...(executable !== undefined && { executable }),
  });
  for (const { path, bytes, ms } of built) {
    const size = bytes < 1e6 ? `${bytes} B` : `${(bytes / 1e6).toFixed(1)} MB`;
    console.log(`${relative(process.cwd(), path).padEnd(34)} ${size.padStart(9)} ${`${ms.toFixed(0)} ms`.padStart(9)}`);
  }
}
