/** Unmodified operators in Go, Python and Rust: on the compiled sandbox they print the same as on a real kube-apiserver. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Program } from "../../scripts/built-programs.ts";
import { clusterMissing } from "../support/cluster.ts";
import { type ProgramRun, runProgram } from "../support/program.ts";
import { type StepResponse, comparable, printed, reported } from "./answers.ts";
import { kubebuilderTests, operators, pythonPackages, vessels } from "./programs.ts";
import { type Side, type Sides, startSides } from "./servers.ts";

const unused: Program = { is: "missing", why: "no control plane" };
const there = clusterMissing === undefined;
const goTests = there ? await kubebuilderTests() : unused;
const packages = there ? await pythonPackages() : unused;
const kube = there ? await vessels() : unused;

/** Why a program cannot run, as a part of its test's name. */
function reason(program: Program): string {
  return program.is === "there" ? "" : ` (${program.why})`;
}

describe.skipIf(!there)("operators on the sandbox, beside a real kube-apiserver", () => {
  let sides: Sides;
  beforeAll(async () => {
    sides = await startSides();
  });
  afterAll(() => sides.stop());

  /** Runs a program on both servers, and expects the same responses. */
  async function compare(run: (side: Side) => Promise<readonly StepResponse[]>): Promise<readonly StepResponse[]> {
    const [mine, real] = await Promise.all([run(sides.mine), run(sides.real)]);
    expect(comparable(mine)).toEqual(comparable(real));
    return real;
  }

  async function responsesOf(
    command: readonly string[],
    env: Readonly<Record<string, string>>,
  ): Promise<StepResponse[]> {
    const run = await runProgram(command, { env: { ...process.env, ...env }, timeoutMs: 300_000 });
    checkEnd(run);
    return printed(run.stdout);
  }

  function checkEnd({ code, stdout, stderr }: ProgramRun): void {
    if (code !== 0) throw new Error(`It ended with ${code}:\n${stdout.slice(-4000)}\n${stderr.slice(-4000)}`);
  }

  async function suite(name: string, { assets }: Side): Promise<readonly StepResponse[]> {
    if (goTests.is !== "there") throw new Error(goTests.why);
    const folder = mkdtempSync(join(tmpdir(), "suite-"));
    try {
      const report = join(folder, "report.json");
      const [program, at] =
        name === "controller"
          ? ["controller.test", join("internal", "controller")]
          : ["v1.test", join("internal", "webhook", "v1")];
      const run = await runProgram([join(goTests.path, program), `--ginkgo.json-report=${report}`], {
        cwd: join(operators, "kubebuilder", at),
        env: { ...process.env, KUBEBUILDER_ASSETS: assets, KUBEBUILDER_CONTROLPLANE_START_TIMEOUT: "120s" },
        timeoutMs: 300_000,
      });
      checkEnd(run);
      return reported(readFileSync(report, "utf8"));
    } finally {
      rmSync(folder, { recursive: true });
    }
  }

  describe("a kubebuilder project", () => {
    for (const [name, specs] of [
      ["controller", 12],
      ["webhook", 12],
    ] as const) {
      test.skipIf(goTests.is !== "there")(`passes its ${name} suite by assets${reason(goTests)}`, async () => {
        const responses = await compare((side) => suite(name, side));
        const ended = responses.filter(({ answer }) => Array.isArray(answer) && answer[0] === "passed");
        expect(ended.filter(({ step }) => step.includes(" It ")).length).toBe(specs);
      });
    }
  });

  describe("Python", () => {
    const python = (file: string) => (side: Side) =>
      responsesOf(["python3", join(operators, "python", file)], {
        KUBECONFIG: side.kubeconfig,
        PYTHONPATH: packages.is === "there" ? packages.path : "",
        PYTHONDONTWRITEBYTECODE: "1",
      });

    test.skipIf(packages.is !== "there")(`the kubernetes client gets the same answers${reason(packages)}`, async () => {
      const responses = await compare(python("client_calls.py"));
      expect(responses.at(-1)).toEqual({ step: "its kind is gone", answer: 404 });
    });

    test.skipIf(packages.is !== "there")(`kopf runs an operator${reason(packages)}`, async () => {
      const responses = await compare(python("kopf_operator.py"));
      expect(responses.map(({ step }) => step)).toEqual([
        "planted",
        "grown and painted",
        "the operator ends",
        "events",
      ]);
    });
  });

  test.skipIf(kube.is !== "there")(`kube-rs plays its scene and runs an operator${reason(kube)}`, async () => {
    const program = kube.is === "there" ? kube.path : "";
    const responses = await compare((side) => responsesOf([program, "scene"], { KUBECONFIG: side.kubeconfig }));
    // Its event recorder increments the count of the existing Event for the second launch.
    expect(responses.at(-1)?.answer).toEqual([
      ["Normal", "Launched", "crew of 5"],
      ["Normal", "Scuttled", "its papers are gone"],
    ]);
  });
});
