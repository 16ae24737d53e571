import { describe, expect, test } from "bun:test";
import process from "node:process";
import { runProgram } from "../../src/platform/subprocess.ts";

const sh = (script: string, env: Record<string, string> = {}): ReturnType<typeof runProgram> =>
  runProgram({
    command: "/bin/sh",
    args: ["-c", script],
    env: { PATH: process.env["PATH"], ...env },
    interactive: false,
  });

describe("runProgram", () => {
  test("returns the output and the exit code", async () => {
    expect(await sh('echo "$A"; exit 3', { A: "hällo" })).toEqual({ is: "ended", code: 3, out: "hällo\n" });
  });

  test("provides no standard input", async () => {
    expect(await sh("cat")).toEqual({ is: "ended", code: 0, out: "" });
  });

  test("reports that a program is missing, with and without a path", async () => {
    for (const command of ["no-such-program-here", "/no/such/program"]) {
      expect(await runProgram({ command, args: [], env: {}, interactive: false })).toEqual({ is: "missing" });
    }
  });

  test("reports that a program was killed", async () => {
    expect(await sh("kill -9 $$")).toEqual({ is: "failed", why: "it was ended by SIGKILL" });
  });
});
