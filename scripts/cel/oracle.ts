/**
 * Kubernetes' own CEL as an oracle: `scripts/cel/go/main.go`, built in the module of the control plane's pins and cached outside
 * the work tree.
 */
import { copyFileSync } from "node:fs";
import { join } from "node:path";
import { buildOnce, cacheFolder, controlPlaneScripts, hashOf } from "../control-plane.ts";

const pins = join(controlPlaneScripts, "kubernetes");
const source = join(import.meta.dir, "go");

/** A case: an expression, with the schema of `self` and `oldSelf`; or a schema with rules, and objects to validate against them. */
export interface Question {
  readonly expression?: string;
  readonly schema?: object;
  readonly self?: unknown;
  readonly oldSelf?: unknown;
  readonly rules?: object;
  readonly objects?: readonly { readonly object: unknown; readonly old?: unknown }[];
}

/** What cel-go and apiextensions-apiserver return for it; fields as in main.go. */
export interface Evaluation {
  readonly issues?: string;
  readonly type?: string;
  readonly estimate?: readonly [string, string];
  readonly programError?: string;
  readonly value?: string;
  readonly error?: string;
  readonly cost?: number;
  readonly schemaErrors?: readonly string[];
  readonly verdicts?: readonly (readonly string[])[];
  readonly problem?: string;
}

/** Builds the oracle unless it exists. @throws Error with the compiler's message if it cannot be built. */
async function binary(): Promise<string> {
  const folder = join(cacheFolder(), `cel-oracle-${hashOf(source, () => true)}-${hashOf(pins, () => true)}`);
  const built = await buildOnce(folder, async (into) => {
    copyFileSync(join(source, "main.go"), join(into, "main.go"));
    const run = Bun.spawn(["go", "build", "-trimpath", "-o", join(into, "cel-oracle"), join(source, "main.go")], {
      cwd: pins,
      env: { ...process.env, CGO_ENABLED: "0", GOFLAGS: "-buildvcs=false -mod=mod" },
      stdio: ["ignore", "ignore", "pipe"],
    });
    const errors = await new Response(run.stderr).text();
    return (await run.exited) === 0 ? undefined : errors;
  });
  if (built.is === "failed") throw new Error(`Cannot build the CEL oracle: ${built.why}`);
  return join(built.folder, "cel-oracle");
}

/** The oracle's results, in the order of the questions. */
export async function evaluate(questions: readonly Question[]): Promise<readonly Evaluation[]> {
  const run = Bun.spawn([await binary()], { stdin: "pipe", stdout: "pipe", stderr: "inherit" });
  await run.stdin.write(questions.map((question) => `${JSON.stringify(question)}\n`).join(""));
  await run.stdin.end();
  const text = await new Response(run.stdout).text();
  if ((await run.exited) !== 0) throw new Error("The CEL oracle failed");
  return text
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line) as Evaluation);
}
