/** The operators in this folder, built on demand; the cache is keyed by their sources. */
import { join } from "node:path";
import { builtProgram, type Program, type Recipe } from "../../scripts/built-programs.ts";

/** The sources of the programs: `kubebuilder`, `kube-rs`, `python`. */
export const operators: string = import.meta.dir;

/** The folder with `controller.test` and `v1.test`, the compiled test packages of the kubebuilder project. */
export function kubebuilderTests(): Promise<Program> {
  return builtProgram({
    sources: join(operators, "kubebuilder"),
    cachedAs: "operator-kubebuilder",
    tool: "go",
    command: [
      "go",
      "test",
      "-c",
      "-vet=off",
      "-ldflags=-s -w",
      "-o",
      "tests/",
      "example.com/site-operator/internal/controller",
      "example.com/site-operator/internal/webhook/v1",
    ],
    // Needs no C compiler, and uses packages that other builds left in Go's cache.
    env: { CGO_ENABLED: "0" },
    makes: "tests",
    name: "tests",
  });
}

/** The manager of the kubebuilder project. */
export function kubebuilderManager(): Promise<Program> {
  return goProgram("manager", { package: "./cmd", cachedAs: "operator-kubebuilder-manager" });
}

/** A candidate that uses client-go's leader election. */
export function goCandidate(): Promise<Program> {
  return goProgram("candidate", {
    package: "./cmd/candidate",
    cachedAs: "operator-go-candidate",
    matters: (path) => path.startsWith(join("cmd", "candidate")) || /^go\.(mod|sum)$/.test(path),
  });
}

interface GoProgram extends Pick<Recipe, "cachedAs" | "matters"> {
  readonly package: string;
}

/** A program of the kubebuilder project's module. */
function goProgram(name: string, { package: path, ...recipe }: GoProgram): Promise<Program> {
  return builtProgram({
    ...recipe,
    sources: join(operators, "kubebuilder"),
    tool: "go",
    command: ["go", "build", "-ldflags=-s -w", "-o", name, path],
    env: { CGO_ENABLED: "0" },
    makes: name,
    name,
  });
}

/** The program `vessels`: a scene and an operator that use kube-rs. */
export function vessels(): Promise<Program> {
  return builtProgram({
    sources: join(operators, "kube-rs"),
    cachedAs: "operator-kube-rs",
    tool: "cargo",
    command: ["cargo", "build", "--quiet", "--locked"],
    makes: join("debug", "vessels"),
    name: "vessels",
  });
}

const installed =
  "python3 -m pip install --quiet --disable-pip-version-check --require-hashes --no-deps --only-binary :all: " +
  "--target packages -r requirements.txt";

/** The folder with the packages of requirements.txt, for PYTHONPATH; installed with hash checks, and only from wheels. */
export async function pythonPackages(): Promise<Program> {
  const python = Bun.which("python3");
  if (python === null) return { is: "missing", why: "python3 is not installed" };
  const run = Bun.spawnSync([python, "-c", "import sys; print('%d.%d' % sys.version_info[:2])"]);
  const version = run.stdout.toString().trim();
  return await builtProgram({
    sources: join(operators, "python"),
    matters: (path) => path === "requirements.txt",
    // Wheels depend on the Python version.
    cachedAs: `operator-python-${version}`,
    tool: "python3",
    command: installed.split(" "),
    makes: "packages",
    name: "packages",
  });
}
