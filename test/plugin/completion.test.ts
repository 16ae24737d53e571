import { describe, expect, spyOn, test } from "bun:test";
import { type Candidate, choice, command, text } from "../../plugin/command.ts";
import type { CommandLine } from "../../plugin/command-line.ts";
import { complete } from "../../plugin/completion.ts";
import { fakeIo } from "../support/fake-io.ts";

let lookedUp = 0;
const namespaces = async (): Promise<readonly Candidate[]> => {
  lookedUp++;
  return Promise.resolve([{ value: "shop", about: "" }]);
};
const failing = (): Promise<readonly Candidate[]> => Promise.reject(new Error("no cluster"));

const line: CommandLine = {
  about: "",
  version: "1",
  globals: { context: text("--context <name>", "the context", { complete: failing }) },
  examples: [],
  commands: [
    command({
      name: "run",
      about: "Run controllers",
      arguments: { name: "<controller...>", about: "which" },
      completeArgument: () => [{ value: "replicaset", about: "keeps pods" }],
      options: {
        output: choice("-o, --output <format>", "how", ["text", "json"]),
        namespace: text("-n, --namespace <name>", "where", { complete: namespaces }),
      },
      examples: [],
      run: () => Promise.resolve(0),
    }),
  ],
};

/** The values offered for the last word. */
async function offered(...args: string[]): Promise<string[]> {
  const printed: string[] = [];
  const log = spyOn(console, "log").mockImplementation((text: string) => void printed.push(text));
  try {
    await complete(line, args, fakeIo());
  } finally {
    log.mockRestore();
  }
  expect(printed.at(-1)).toMatch(/^:\d+$/);
  return printed.slice(0, -1).map((text) => text.split("\t")[0] ?? "");
}

describe("completion", () => {
  test("offers commands, arguments, options and their values", async () => {
    expect(await offered("")).toEqual(["run"]);
    expect(await offered("run", "re")).toEqual(["replicaset"]);
    expect(await offered("run", "replicaset", "--out")).toEqual(["--output"]);
    expect(await offered("run", "replicaset", "-o", "")).toEqual(["text", "json"]);
    expect(await offered("run", "replicaset", "--cont")).toEqual(["--context"]);
  });

  test("asks the cluster only for the option that is being typed", async () => {
    lookedUp = 0;
    await offered("run", "replicaset", "-o", "");
    await offered("run", "");
    expect(lookedUp).toBe(0);
    expect(await offered("run", "replicaset", "-n", "")).toEqual(["shop"]);
    expect(lookedUp).toBe(1);
  });

  test("offers nothing where the candidates cannot be found out", async () => {
    expect(await offered("run", "replicaset", "--context", "")).toEqual([]);
  });
});
