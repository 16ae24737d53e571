import { describe, expect, test } from "bun:test";
import { choice, duration, flag, readDuration, text, texts, wholeNumber } from "../../../plugin/cli/command.ts";
import { clusterCommand } from "../../../plugin/connections/globals.ts";
import { type CommandLine, runCommandLine } from "../../../plugin/cli/command-line.ts";
import { reportError } from "../../../plugin/cli/report-error.ts";
import { fakeIo, type FakeIo } from "../../support/fake-io.ts";

const greet = clusterCommand({
  name: "greet",
  about: "Greet people",
  arguments: { name: "<person...>", about: "whom" },
  options: {
    times: wholeNumber("--times <n>", "how often", 1, { default: "1" }),
    as: texts("--as <name>", "under these names"),
    format: choice("-o, --output <format>", "how", ["text", "json"]),
    loud: flag("--loud", "louder"),
    pause: duration("--pause <duration>", "in between"),
  },
  examples: [{ comment: "Greet the world", line: "greet world" }],
  complete: (words) => words,
  run: async (words, { io }) => {
    io.out.write(JSON.stringify(words));
    return 7;
  },
});

const line: CommandLine = {
  about: "A program.",
  version: "1.2.3",
  commands: [greet],
  globals: {
    context: text("--context <name>", "the context"),
    verbosity: wholeNumber("-v, --v <level>", "requests", 0),
  },
  examples: [],
};

async function run(...args: string[]): Promise<{ code: number; out: string; err: string }> {
  const io: FakeIo = fakeIo();
  let code: number;
  try {
    code = await runCommandLine(line, args, io);
  } catch (error) {
    code = reportError(error, io);
  }
  return { code, out: io.outText(), err: io.errText() };
}

describe("runCommandLine", () => {
  test("passes typed arguments and options to a command, and returns its exit code", async () => {
    const { code, out } = await run(
      "greet",
      "a",
      "b",
      "--times",
      "3",
      "--as",
      "x",
      "--as",
      "y",
      "-o",
      "json",
      "--pause",
      "1m30s",
      "--context",
      "dev",
    );
    expect(code).toBe(7);
    expect(JSON.parse(out)).toEqual({
      arguments: ["a", "b"],
      options: { times: 3, as: ["x", "y"], format: "json", pause: 90_000, context: "dev" },
    });
  });

  test("omits options that were not given", async () => {
    expect(JSON.parse((await run("greet", "a")).out)).toEqual({ arguments: ["a"], options: {} });
  });

  const mistakes: readonly { readonly args: readonly string[]; readonly says: string }[] = [
    { args: ["gret"], says: "error: unknown command 'gret'\nDid you mean greet?" },
    { args: ["help", "gret"], says: 'error: unknown command "gret"\ndid you mean greet?' },
    { args: ["help", "nosuch"], says: 'error: unknown command "nosuch"\n`kubectl reconcile --help` lists' },
    { args: ["greet", "a", "--tims", "3"], says: "error: unknown option '--tims'\nDid you mean --times?" },
    { args: ["greet"], says: "error: no person given" },
    {
      args: ["greet", "a", "--times", "zero"],
      says: "argument 'zero' is invalid. It should be a whole number from 1 on",
    },
    { args: ["greet", "a", "--times", "0"], says: "It should be a whole number from 1 on" },
    { args: ["greet", "a", "--pause", "soon"], says: "It should be a duration such as 30s, 5m or 1h30m" },
    { args: ["greet", "a", "-o", "yaml"], says: "Allowed choices are text, json" },
    { args: ["greet", "a", "--times"], says: "argument missing" },
  ];
  for (const { args, says } of mistakes) {
    test(`${args.join(" ")} causes an error line, a next step, and exit code 2`, async () => {
      const { code, out, err } = await run(...args);
      expect([code, out]).toEqual([2, ""]);
      expect(err).toContain(says);
      expect(err.trimEnd().split("\n").length).toBeLessThanOrEqual(3);
    });
  }

  test("help shows usage, grouped options and examples, as the program was called", async () => {
    const { code, out } = await run("greet", "--help");
    expect(code).toBe(0);
    expect(out).toContain("Usage: kubectl reconcile greet [options] <person...>");
    expect(out).toContain("--times <n>");
    expect(out).toContain("how often (default 1)");
    expect(out).toContain("The options that choose the cluster, as kubectl has them: `kubectl reconcile options`");
    expect(out).not.toContain("--context");
    expect(out).toContain("  # Greet the world\n  kubectl reconcile greet world");
  });

  test.each([
    { args: ["--context", "dev", "greet", "a"], options: { context: "dev" } },
    { args: ["--context=dev", "-v6", "greet", "a"], options: { context: "dev", verbosity: 6 } },
    { args: ["greet", "a", "-v=6"], options: { verbosity: 6 } },
    { args: ["greet", "a", "--v=6"], options: { verbosity: 6 } },
    { args: ["-v", "6", "greet", "-o=json", "a"], options: { verbosity: 6, format: "json" } },
  ])("options stand before the command too, and their values behind =: $args", async ({ args, options }) => {
    const { code, out } = await run(...args);
    expect(code).toBe(7);
    expect(JSON.parse(out)).toEqual({ arguments: ["a"], options });
  });

  test("does not accept an option of a command before it", async () => {
    const { code, err } = await run("--times", "3", "greet", "a");
    expect(code).toBe(2);
    expect(err).toContain("unknown option '--times'");
  });

  test("--version prints the version", async () => {
    expect(await run("--version")).toEqual({ code: 0, out: "1.2.3\n", err: "" });
  });

  test("reports a missing command and points to the list", async () => {
    const { code, err } = await run();
    expect(code).toBe(2);
    expect(err).toContain("--help");
  });
});

test("durations are parsed in kubectl's formats", () => {
  expect(["30", "500ms", "30s", "1.5m", "1h30m"].map(readDuration)).toEqual([30_000, 500, 30_000, 90_000, 5_400_000]);
  for (const wrong of ["", "s", "-3s", "3 s", "3d", "1e3"]) expect(() => readDuration(wrong)).toThrow("a duration");
});
