/** Builds upstream's integration tests with our controllers instead of Kubernetes' own. */
import { copyFileSync, cpSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { type Build, buildOnce, cacheFolder, controlPlaneScripts, hashOf } from "../control-plane.ts";
import { insertedPackage, insertions, withInsertions } from "./insertions.ts";

/** The pins of the control plane apply to its tests, too. */
const pins = join(controlPlaneScripts, "kubernetes");

const environment = { ...process.env, CGO_ENABLED: "0", GOFLAGS: "-buildvcs=false" };

/** Where the tests of the current pins belong. */
function testsFolder(): string {
  const pinned = hashOf(pins, (path) => /go\.(mod|sum)$/.test(path));
  const inserted = hashOf(import.meta.dir, (path) => /\.go$|(insertions|build)\.ts$/.test(path));
  return join(cacheFolder(), `upstream-tests-${pinned}-${inserted}`);
}

/** A test binary runs in the folder of its package, as with `go test`: some read files there. */
export function packageFolder(tests: string, name: string): string {
  return join(tests, "kubernetes", "test", "integration", name);
}

/** The binary with the tests of a package. */
export function testBinary(tests: string, name: string): string {
  return join(tests, "bin", name, "package.test");
}

/** Copies the sources of Kubernetes with the insertions outside the work tree, unless the current ones exist. */
export async function copySources(): Promise<Build> {
  if (Bun.which("go") === null) return { is: "failed", why: "Go is not installed" };
  return await buildOnce(testsFolder(), async (into) => {
    for (const file of ["go.mod", "go.sum"]) copyFileSync(join(pins, file), join(into, file));
    const source = await go(["list", "-m", "-f", "{{.Dir}}", "k8s.io/kubernetes"], into);
    if (source.code !== 0) return source.message;
    const copy = join(into, "kubernetes");
    cpSync(source.out.trim(), copy, { recursive: true });
    // The module cache is read-only.
    await Bun.$`chmod -R u+w ${copy}`.quiet();
    insertInto(copy);
    // Without the build folder in them, the binaries identify their sources by module and version.
    mkdirSync(join(into, "k8s.io"));
    symlinkSync("../kubernetes", join(into, "k8s.io", `kubernetes@${source.out.trim().split("@").at(-1) ?? ""}`));
    const replaced = await go(["mod", "edit", "-replace", "k8s.io/kubernetes=./kubernetes"], into);
    return replaced.code === 0 ? undefined : replaced.message;
  });
}

/**
 * Builds the tests of a package unless they exist; `tests` is the folder of `copySources`. The first build takes about ten minutes on two
 * cores with a cold Go cache, each further one one or two.
 */
export async function buildTests(tests: string, name: string): Promise<Build> {
  return await buildOnce(dirname(testBinary(tests, name)), async (into) => {
    const packagePath = `k8s.io/kubernetes/test/integration/${name}`;
    console.error(`building ${packagePath}`);
    const output = join(into, basename(testBinary(tests, name)));
    const flags = ["-trimpath", "-vet=off", "-mod=mod", "-ldflags=-s -w"];
    const built = await go(["test", "-c", ...flags, "-o", output, packagePath], tests);
    return built.code === 0 ? undefined : built.message;
  });
}

function insertInto(copy: string): void {
  const files = Map.groupBy(insertions, ({ file }) => file);
  for (const [file, here] of files) {
    const path = join(copy, file);
    writeFileSync(path, withInsertions(readFileSync(path, "utf8"), here));
  }
  cpSync(join(import.meta.dir, "ours"), join(copy, insertedPackage), { recursive: true });
}

interface Ended {
  readonly code: number;
  readonly out: string;
  /** That it failed, with the end of its standard error output. */
  readonly message: string;
}

async function go(args: readonly string[], cwd: string): Promise<Ended> {
  const run = Bun.spawn(["go", ...args], { cwd, env: environment, stdin: "ignore", stdout: "pipe", stderr: "pipe" });
  const [out, err] = await Promise.all([new Response(run.stdout).text(), new Response(run.stderr).text()]);
  return {
    code: await run.exited,
    out,
    message: `go ${args[0]} failed: ${err.trim().split("\n").slice(-10).join("\n")}`,
  };
}
