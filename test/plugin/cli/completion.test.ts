import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { type Candidate, choice, flag, text, texts } from "../../../plugin/cli/command.ts";
import type { CommandLine } from "../../../plugin/cli/command-line.ts";
import { complete } from "../../../plugin/cli/completion.ts";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { objectCandidates } from "../../../plugin/connections/cluster-candidates.ts";
import { clusterCommand, globals } from "../../../plugin/connections/globals.ts";
import { loadKubeconfig } from "../../../src/client/config/kubeconfig.ts";
import { realHost } from "../../../src/platform/host.ts";
import { realTimeline } from "../../../src/platform/real-timeline.ts";
import { fakeIo } from "../../support/fake-io.ts";
import { type ApiSide, sandboxSide } from "../../support/api-side.ts";

let lookedUp = 0;
const namespaces = async (): Promise<readonly Candidate[]> => {
  lookedUp++;
  return Promise.resolve([{ value: "shop", about: "" }]);
};
const failing = (): Promise<readonly Candidate[]> => Promise.reject(new Error("no cluster"));

const line: CommandLine = {
  about: "",
  version: "1",
  globals: { context: text("--context <name>", "the context", { candidates: failing }) },
  examples: [],
  commands: [
    clusterCommand({
      name: "run",
      about: "Run controllers",
      arguments: { name: "<controller...>", about: "which" },
      argumentCandidates: () => [{ value: "replicaset", about: "keeps pods" }],
      options: {
        output: choice("-o, --output <format>", "how", ["text", "json"]),
        namespace: text("-n, --namespace <name>", "where", { candidates: namespaces }),
        failOn: texts("--fail-on <what,...>", "when", { choices: ["delete", "unavailable"] }),
        manifests: texts("-f, --filename <path>", "which"),
        once: flag("--once", "once"),
      },
      examples: [],
      complete: () => undefined,
      run: () => Promise.resolve(0),
    }),
  ],
};

/** The values offered for the last word, and whether the shell offers its files. */
async function offers(of: CommandLine, ...args: string[]): Promise<{ values: string[]; files: boolean }> {
  const io = fakeIo();
  await complete(of, args, io);
  const printed = io.outText().trimEnd().split("\n");
  expect(printed.at(-1)).toMatch(/^:[04]$/);
  return { values: printed.slice(0, -1).map((text) => text.split("\t")[0] ?? ""), files: printed.at(-1) === ":0" };
}

const offered = async (...args: string[]): Promise<string[]> => (await offers(line, ...args)).values;

describe("completion", () => {
  test("offers commands, arguments, options and their values", async () => {
    expect(await offered("")).toEqual(["run"]);
    expect(await offered("run", "re")).toEqual(["replicaset"]);
    expect(await offered("run", "replicaset", "--out")).toEqual(["--output"]);
    expect(await offered("run", "replicaset", "-o", "")).toEqual(["text", "json"]);
    expect(await offered("run", "replicaset", "--cont")).toEqual(["--context"]);
  });

  test("queries the cluster only for the option being typed", async () => {
    lookedUp = 0;
    await offered("run", "replicaset", "-o", "");
    await offered("run", "");
    expect(lookedUp).toBe(0);
    expect(await offered("run", "replicaset", "-n", "")).toEqual(["shop"]);
    expect(lookedUp).toBe(1);
  });

  test("offers nothing if the candidates cannot be determined", async () => {
    expect(await offered("run", "replicaset", "--context", "")).toEqual([]);
  });

  test("offers values after =, the next item of a list, and nothing if any value is valid", async () => {
    expect(await offered("run", "replicaset", "--output=j")).toEqual(["--output=json"]);
    expect(await offered("run", "replicaset", "--fail-on", "")).toEqual(["delete", "unavailable"]);
    expect(await offered("run", "replicaset", "--fail-on", "delete,u")).toEqual(["delete,unavailable"]);
    expect(await offered("run", "replicaset", "--fail-on=delete,u")).toEqual(["--fail-on=delete,unavailable"]);
  });

  test("leaves files to the shell, and only for files", async () => {
    expect(await offers(line, "run", "replicaset", "-f", "")).toEqual({ values: [], files: true });
    expect(await offers(line, "run", "replicaset", "--filename=x")).toEqual({ values: [], files: true });
    expect((await offers(line, "run", "")).files).toBe(false);
  });

  test("finds the command after connection options", async () => {
    expect(await offered("--context", "dev", "")).toEqual(["run"]);
    expect(await offered("--context", "dev", "run", "re")).toEqual(["replicaset"]);
    expect(await offered("--context=dev", "run", "-o", "t")).toEqual(["text"]);
    expect(await offered("help", "r")).toEqual(["run"]);
  });
});

describe("completion from a cluster", () => {
  let served: ApiSide;
  let kubeconfig: string;
  beforeAll(async () => {
    served = await sandboxSide("shop");
    // There is no current context: only the one that a flag names is used.
    kubeconfig = join(served.dir, "contexts");
    writeFileSync(kubeconfig, readFileSync(served.kubeconfig, "utf8").replace("current-context:", "x:"));
    const post = (path: string, body: object): Promise<Response> => served.send("POST", path, body);
    for (const name of ["shop", "team"]) await post("/api/v1/namespaces", { metadata: { name } });
    await post("/api/v1/namespaces/shop/configmaps", { metadata: { name: "in-shop" } });
    await post("/api/v1/namespaces/team/configmaps", { metadata: { name: "in-team" } });
    const role = "/apis/rbac.authorization.k8s.io/v1/clusterroles";
    for (const name of ["plain", "hid\u001bden", "two words"]) await post(role, { metadata: { name }, rules: [] });
  });
  afterAll(() => served.stop());

  const why = clusterCommand({
    name: "why",
    about: "",
    arguments: { name: "[object...]", about: "" },
    argumentCandidates: (io, _, typing) => objectCandidates(io, typing),
    options: {},
    examples: [],
    complete: () => undefined,
    run: () => Promise.resolve(0),
  });
  const real: CommandLine = { about: "", version: "", globals, examples: [], commands: [why] };
  const of = async (...args: string[]): Promise<string[]> => {
    const [context = ""] = [...(await loadKubeconfig(realHost(), { kubeconfig })).contexts.keys()];
    const io = { ...fakeIo(), timeline: realTimeline() };
    await complete(real, ["--kubeconfig", kubeconfig, "--context", context, ...args], io);
    return io
      .outText()
      .split("\n")
      .slice(0, -2)
      .map((text) => text.split("\t")[0] ?? "");
  };

  test("offers kinds, then objects of the namespace, in both notations", async () => {
    expect(await of("why", "config")).toEqual(["configmaps"]);
    expect(await of("why", "cm/in")).toEqual(["cm/in-shop"]);
    expect(await of("why", "-nteam", "cm/in")).toEqual(["cm/in-team"]);
    expect(await of("-n=team", "why", "configmap", "in")).toEqual(["in-team"]);
    expect(await of("why", "nosuch/")).toEqual([]);
  });

  test("offers namespaces and contexts of the given kubeconfig", async () => {
    expect(await of("why", "--namespace", "t")).toEqual(["team"]);
    expect(await of("why", "--context", "")).toHaveLength(1);
  });

  test("offers no name that is more than one word, or has terminal escapes", async () => {
    expect(await of("why", "clusterroles/")).not.toContain("clusterroles/two words");
    expect((await of("why", "clusterroles/")).filter((name) => !/^clusterroles\/[\w:.-]+$/.test(name))).toEqual([]);
    expect(await of("why", "clusterroles/pl")).toEqual(["clusterroles/plain"]);
  });
});
