import { beforeAll, describe, expect, test } from "bun:test";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import manifest from "../../package.json" with { type: "json" };
import { binaryFolder, runBinary } from "../support/binary.ts";

const top = join(import.meta.dir, "..", "..");

describe("the compiled program", () => {
  beforeAll(async () => void (await binaryFolder()), 60_000);

  test("prints the version in package.json", async () => {
    const { stdout, stderr, code } = await runBinary(["version"]);
    expect({ stderr, code }).toEqual({ stderr: "", code: 0 });
    expect(stdout).toContain(manifest.version);
  });

  test("prints the license of each package that it imports, and its own", async () => {
    const { stdout, stderr, code } = await runBinary(["version", "--licenses"]);
    expect({ stderr, code }).toEqual({ stderr: "", code: 0 });
    expect(stdout).toContain("licensed under Apache-2.0");
    const { stdout: json } = await runBinary(["version", "--licenses", "-o", "json"]);
    const listed = JSON.parse(json) as { readonly name: string; readonly version: string; readonly text: string }[];
    const packages = { ...manifest.dependencies, ...manifest.devDependencies };
    const imported = new Set<string>();
    for await (const path of new Bun.Glob("{src,plugin}/**/*.ts").scan(top)) {
      const text = await Bun.file(join(top, path)).text();
      for (const [, name = ""] of text.matchAll(/^(?:import|export|\}) (?!type ).*from "([^".][^"]*)"/gm))
        imported.add(name);
    }
    for (const [name, version] of Object.entries(packages)) {
      if (!imported.has(name) || name === "@kubernetes/client-node") continue;
      expect(listed).toContainEqual(expect.objectContaining({ name, version }));
      expect(stdout).toContain(`${name} ${version} (`);
    }
    expect(imported).toContain("commander");
    expect(listed.find(({ name }) => name === "chalk")?.text).toContain("Copyright (c) Sindre Sorhus");
  });

  test("reads no .env and no bunfig.toml in the current folder, whose code would run", async () => {
    const folder = mkdtempSync(join(tmpdir(), "trap-"));
    try {
      writeFileSync(join(folder, "bunfig.toml"), 'preload = ["./trap.ts"]\n');
      writeFileSync(join(folder, "trap.ts"), 'console.log("the trap was run");\n');
      writeFileSync(join(folder, ".env"), "KUBECONFIG=/from/dotenv\n");
      const version = await runBinary(["version"], { cwd: folder });
      expect(version.stdout).toStartWith("kubectl-reconcile ");
      const run = await runBinary(["run", "replicaset"], { cwd: folder });
      expect(run.code).toBe(2);
      expect(run.stdout + run.stderr).not.toContain("/from/dotenv");
      expect(run.stdout + run.stderr).not.toContain("trap");
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });

  test("explains a wrong word and exits with 2, with nothing on standard output", async () => {
    const { stdout, stderr, code } = await runBinary(["ru"]);
    expect({ stdout, code }).toEqual({ stdout: "", code: 2 });
    expect(stderr).toContain("run");
  });

  test("completes for kubectl through kubectl_complete-reconcile", async () => {
    const { stdout, code } = await runBinary(["run", "repl"], { program: "kubectl_complete-reconcile" });
    const lines = stdout.trim().split("\n");
    expect(code).toBe(0);
    expect(lines[0]).toStartWith("replicaset\t");
    expect(lines.at(-1)).toMatch(/^:\d+$/);
  });
});
