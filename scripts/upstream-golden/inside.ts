/** Runs a Go test inside a copy of one of Kubernetes' packages, where it can call what the package does not export. */
import { copyFileSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** The pins of the control plane: the test runs on the sources that it is built from. */
const pins = join(import.meta.dir, "..", "control-plane", "kubernetes");

export interface Inside {
  /** Default: k8s.io/kubernetes. */
  readonly module?: string;
  /** Below the module: `pkg/controller/cronjob`. Empty for its root. */
  readonly package: string;
  /** The file with `TestGolden`, which reads the JSON in `$GOLDEN_INPUT` and writes its own to `$GOLDEN_OUTPUT`. */
  readonly test: string;
  readonly input: unknown;
}

/** What the test has written. @throws Error with Go's output if it cannot be built, or fails. */
export async function runInside<T>({ module = "k8s.io/kubernetes", package: name, test, input }: Inside): Promise<T> {
  const folder = mkdtempSync(join(tmpdir(), "upstream-golden-"));
  try {
    for (const file of ["go.mod", "go.sum"]) copyFileSync(join(pins, file), join(folder, file));
    const source = join(go(["list", "-m", "-f", "{{.Dir}}", module], { cwd: folder }).trim(), name);
    const copy = join(folder, "copy");
    mkdirSync(copy);
    for (const file of readdirSync(source)) {
      if (file.endsWith(".go") && !file.endsWith("_test.go")) copyFileSync(join(source, file), join(copy, file));
    }
    copyFileSync(test, join(copy, "golden_test.go"));
    const [given, written] = [join(folder, "input.json"), join(folder, "output.json")];
    await Bun.write(given, JSON.stringify(input));
    // Time zones are Go's own, as in kube-controller-manager's image; the local zone is UTC.
    const env = { ...process.env, TZ: "", CGO_ENABLED: "0", GOLDEN_INPUT: given, GOLDEN_OUTPUT: written };
    go(["test", "-mod=mod", "-vet=off", "-count=1", "-tags=timetzdata", "-run=^TestGolden$", "./copy"], {
      cwd: folder,
      env,
    });
    // The test's own output.
    return (await Bun.file(written).json()) as T;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function go(args: readonly string[], { cwd, env = process.env }: { cwd: string; env?: NodeJS.ProcessEnv }): string {
  const run = Bun.spawnSync(["go", ...args], { cwd, env, stdio: ["ignore", "pipe", "pipe"] });
  if (run.exitCode === 0) return run.stdout.toString();
  const output = `${run.stdout.toString()}${run.stderr.toString()}`.trim().split("\n").slice(-20).join("\n");
  throw new Error(`go ${args[0]} failed: ${output}`);
}
