import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { readdirSync } from "node:fs";
import { parseSync } from "oxc-parser";
import { basename, join } from "node:path";
import manifest from "../../package.json" with { type: "json" };
import { type Example, examplesOf, publicApi } from "../../scripts/public-api.ts";
import { sandboxSide, type ApiSide } from "../support/api-side.ts";
import { compile, type Installed, installPackage, runOn, runtimes } from "./installed.ts";

const top = join(import.meta.dir, "..", "..");
const minutes = 60_000;

/** Runs examples one after another in one process: prints `ok NAME`, or `FAILED NAME: why`. Each has a limit of one minute. */
const runner = `const names = process.argv.slice(2);
for (const name of names) {
  const late = setTimeout(() => { console.log("FAILED " + name + ": it does not end"); process.exit(1); }, 60_000);
  try {
    await import("./" + name + ".js");
    console.log("ok " + name);
  } catch (error) {
    console.log("FAILED " + name + ": " + (error?.stack ?? error));
  }
  clearTimeout(late);
}
process.exit(0);
`;

/** The example that runs until Ctrl-C. */
const endless = "run";

/** Runs the example, sends Ctrl-C once it reports that it runs, and returns its output; kills it after a minute. */
async function interrupted(runtime: string, cwd: string, env: object): Promise<readonly string[]> {
  const command = [...(runtimes[runtime] ?? []), join("out", `${endless}.js`)];
  const options = { cwd, env: { ...process.env, ...env }, stdout: "pipe", stderr: "inherit", detached: true } as const;
  const run = Bun.spawn(command, options);
  // To all processes of the group, as a terminal does: Deno's launcher and Deno are separate processes.
  const signal = (name: NodeJS.Signals): boolean => process.kill(-run.pid, name);
  const late = setTimeout(signal, minutes, "SIGKILL");
  let output = "";
  for await (const piece of run.stdout.pipeThrough(new TextDecoderStream())) {
    if (!output.includes("running on") && (output + piece).includes("running on")) signal("SIGINT");
    output += piece;
  }
  clearTimeout(late);
  return output.trim().split("\n");
}

/** The examples in doc comments, those of docs/examples, and each file that the tutorial has its reader write. */
async function allExamples(): Promise<readonly Example[]> {
  const folder = join(top, "docs", "examples");
  const files = readdirSync(folder).filter((name) => name.endsWith(".ts"));
  const whole = files.map(async (name) => ({
    name: basename(name, ".ts"),
    code: await Bun.file(join(folder, name)).text(),
  }));
  return [...examplesOf(await publicApi(top)), ...(await Promise.all(whole))];
}

test("the tutorial shows the files of docs/examples unchanged", async () => {
  const tutorial = await Bun.file(join(top, "docs", "writing-a-controller.md")).text();
  const shown = [...tutorial.matchAll(/```ts\n(.*?)```/gs)].map(([, code = ""]) => code);
  const files = ["max-pods", "try", "run"].map((name) => Bun.file(join(top, "docs", "examples", `${name}.ts`)).text());
  expect(shown).toEqual(await Promise.all(files));
});

describe("the package", () => {
  let installed: Installed;
  let served: ApiSide;
  let examples: readonly Example[];
  beforeAll(async () => {
    [installed, served, examples] = await Promise.all([installPackage(), sandboxSide(), allExamples()]);
  }, 5 * minutes);
  afterAll(async () => {
    installed.remove();
    await served.stop();
  });

  test("holds the compiled modules with their types, the licence and the tutorial, and nothing else", () => {
    const others = installed.files.filter((path) => !/^dist\/lib\/.*(\.js|\.d\.ts|\.json)$/.test(path));
    expect(others).toEqual(["LICENSE", "NOTICE", "README.md", "docs/writing-a-controller.md", "package.json"]);
    expect(installed.files).toContain("dist/lib/index.js");
    expect(installed.files).toContain("dist/lib/index.d.ts");
    const foreign = installed.files.filter((path) =>
      /^dist\/lib\/(diagnosis|views|modes\/(dry-run|shadow|why))\//.test(path),
    );
    expect(foreign).toEqual([]);
  });

  test("imports at run time only what package.json names, and types from its peer", async () => {
    const imported = async (extension: string): Promise<readonly string[]> => {
      const from = join(installed.folder, "node_modules", manifest.name);
      const paths = installed.files.filter((path) => path.endsWith(extension));
      const names = paths.map(async (path) => {
        const { module } = parseSync(path, await Bun.file(join(from, path)).text());
        return module.staticImports.map(({ moduleRequest }) => moduleRequest.value);
      });
      return [...new Set((await Promise.all(names)).flat())].filter((name) => !/^(\.|node:)/.test(name)).sort();
    };
    expect(await imported(".js")).toEqual(Object.keys(manifest.dependencies));
    const types = [...Object.keys(manifest.dependencies), ...Object.keys(manifest.peerDependencies)];
    expect((await imported(".d.ts")).filter((name) => !types.includes(name))).toEqual([]);
  });

  test(
    "all examples compile strictly and run on Bun, Deno and Node",
    async () => {
      const all = examples.map(({ name }) => name);
      expect(new Set(all).size).toBe(all.length);
      const names = all.filter((name) => name !== endless);
      const write = ({ name, code }: Example): Promise<number> =>
        Bun.write(join(installed.folder, `${name}.ts`), `${code}\nexport {};\n`);
      await Promise.all(examples.map(write));
      expect(
        await compile(
          installed.folder,
          all.map((name) => `${name}.ts`),
        ),
      ).toBe("");
      await Bun.write(join(installed.folder, "out", "examples.js"), runner);
      for (const runtime of Object.keys(runtimes)) {
        const env = { KUBECONFIG: served.kubeconfig };
        const { stdout, stderr } = await runOn(runtime, installed.folder, [join("out", "examples.js"), ...names], env);
        const outcomes = stdout.split("\n").filter((line) => /^(ok|FAILED) /.test(line));
        expect({ runtime, outcomes, stderr }).toMatchObject({ runtime, outcomes: names.map((name) => `ok ${name}`) });
        const last = (await interrupted(runtime, installed.folder, env)).at(-1);
        expect({ runtime, last }).toEqual({ runtime, last: "ended: stopped" });
      }
    },
    15 * minutes,
  );
});
