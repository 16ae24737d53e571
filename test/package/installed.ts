/** The package as users have it: packed, and unpacked into an empty folder together with its dependencies. */
import { mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import manifest from "../../package.json" with { type: "json" };
import { type ProgramRun, runProgram } from "../support/program.ts";

const top = join(import.meta.dir, "..", "..");

/** A folder in which only `kubectl-reconcile` and its dependencies are installed. */
export interface Installed {
  readonly folder: string;
  /** The files of the tarball, sorted. */
  readonly files: readonly string[];
  remove(): void;
}

/**
 * Runs `npm pack` with its `prepack` build. The dependencies in package.json are linked from this checkout, so that no registry is used;
 * modules that it does not name cannot be found.
 */
export async function installPackage(): Promise<Installed> {
  const folder = mkdtempSync(join(tmpdir(), "installed-"));
  const packed = await program(["npm", "pack", "--silent", "--pack-destination", folder], top);
  const tarball = packed.stdout.trim().split("\n").at(-1) ?? "";
  const modules = join(folder, "node_modules");
  mkdirSync(modules);
  await program(["tar", "xzf", join(folder, tarball), "-C", modules], folder);
  await program(["mv", join(modules, "package"), join(modules, manifest.name)], folder);
  // The types of Node come with client-node, which depends on them.
  const wanted = [...Object.keys(manifest.dependencies), ...Object.keys(manifest.peerDependencies), "@types/node"];
  for (const name of wanted) {
    mkdirSync(dirname(join(modules, name)), { recursive: true });
    symlinkSync(join(top, "node_modules", name), join(modules, name));
  }
  await Bun.write(join(folder, "package.json"), '{ "type": "module" }\n');
  const files = readdirSync(join(modules, manifest.name), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(join(modules, manifest.name).length + 1))
    .sort();
  return { folder, files, remove: () => rmSync(folder, { recursive: true, force: true }) };
}

/** Compiles the TypeScript files of the folder strictly, as a user would, into JavaScript in `out`. Returns the errors. */
export async function compile(folder: string, files: readonly string[]): Promise<string> {
  const compilerOptions = {
    target: "ES2023",
    module: "NodeNext",
    strict: true,
    skipLibCheck: true,
    types: ["node"],
    rewriteRelativeImportExtensions: true,
    outDir: "out",
    rootDir: ".",
  };
  await Bun.write(join(folder, "tsconfig.json"), JSON.stringify({ compilerOptions, files }));
  const tsc = join(top, "node_modules", ".bin", "tsc");
  const { stdout, stderr } = await runProgram([tsc, "--pretty", "false"], { cwd: folder, timeoutMs: 240_000 });
  return stdout + stderr;
}

/** The supported runtimes, and how each runs a file; Node is the one that `npm` runs on. */
export const runtimes: Readonly<Record<string, readonly string[]>> = {
  Bun: [process.execPath],
  Deno: [join(top, "node_modules", ".bin", "deno"), "run", "-A", "--no-lock", "--cached-only"],
  Node: ["node"],
};

/** Runs a file of the folder. */
export function runOn(runtime: string, folder: string, args: readonly string[], env: object = {}): Promise<ProgramRun> {
  return runProgram([...(runtimes[runtime] ?? []), ...args], {
    cwd: folder,
    env: { ...process.env, NO_COLOR: "1", DENO_NO_UPDATE_CHECK: "1", ...env },
    timeoutMs: 240_000,
  });
}

async function program(command: readonly string[], cwd: string): Promise<ProgramRun> {
  const run = await runProgram([...command], { cwd, timeoutMs: 240_000 });
  if (run.code !== 0) throw new Error(`${command.join(" ")} exits ${run.code}: ${run.stderr}`);
  return run;
}
