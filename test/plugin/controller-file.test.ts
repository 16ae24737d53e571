/** `./tenant.ts` instead of a controller's name: with the compiled program, from a folder that contains nothing else. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { copyFileSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { runBinary } from "../support/binary.ts";
import type { ProgramRun } from "../support/program.ts";

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "controller-file-"));
  copyFileSync(join(import.meta.dir, "..", "..", "docs", "examples", "max-pods.ts"), join(folder, "max-pods.ts"));
  writeFileSync(
    join(folder, "shop.yaml"),
    'apiVersion: v1\nkind: Namespace\nmetadata: {name: shop, annotations: {example.com/max-pods: "20"}}\n',
  );
});
afterAll(() => rmSync(folder, { recursive: true }));

const run = (...args: readonly string[]): Promise<ProgramRun> =>
  runBinary(args, { cwd: folder, env: { KUBECONFIG: join(folder, "none") } });

describe("a controller in a file", () => {
  test("can be run", async () => {
    const { code, stdout } = await run("run", "./max-pods.ts", "--sandbox", "-f", "shop.yaml", "-A", "--once");
    expect(code).toBe(0);
    expect(stdout).toMatch(
      /max-pods shop +create-quota shop asks for at most 20 pods → create the quota\n\S+ +\+ ResourceQuota max-pods/,
    );
    expect(stdout).toMatch(/^stopped after .*: \d+ syncs, 1 write, 0 errors$/m);
  });

  test("can be traced, beside a built-in one", async () => {
    const { code, stdout } = await run(
      "trace",
      "max-pods.ts",
      "resourcequota",
      "--sandbox",
      "-f",
      "shop.yaml",
      "-A",
      "--for",
      "3s",
    );
    expect(code).toBe(0);
    expect(stdout).toMatch(/sync \d+ · max-pods shop · .*\n {2}why {3}Namespace shop Added/);
    expect(stdout).toMatch(/resourcequota shop\/max-pods/);
  });

  test("can be tried on manifests, explained, and has its permissions listed", async () => {
    const [dryRun, explained, role] = await Promise.all([
      run("dry-run", "./max-pods.ts", "-f", "shop.yaml", "--from", "manifests"),
      run("explain", join(folder, "max-pods.ts"), "create-quota"),
      run("controllers", "./max-pods.ts", "-o", "rbac"),
    ]);
    expect([dryRun.code, explained.code, role.code]).toEqual([0, 0, 0]);
    expect(dryRun.stdout).toContain(
      "+ ResourceQuota shop/max-pods  create-quota: shop asks for at most 20 pods → create the quota",
    );
    expect(explained.stdout).toContain("A namespace that asks for a limit and has no quota gets one.");
    expect(role.stdout).toContain("name: kubectl-reconcile-max-pods");
  });

  test("has its errors reported, with the line", async () => {
    const wrong = async (name: string, text: string): Promise<string> => {
      writeFileSync(join(folder, name), text);
      const { code, stdout, stderr } = await run("run", `./${name}`, "--sandbox", "--once");
      expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
      return stderr.replaceAll(folder, "");
    };
    expect(await wrong("throws.ts", 'import "kubectl-reconcile";\n\nthrow new Error("not today");\n')).toMatch(
      /^error: cannot load \.\/throws\.ts: not today\nat \/throws\.ts:3:\d+\n$/,
    );
    expect(await wrong("syntax.ts", "const a = 1;\nexport default (;\n")).toMatch(
      /^error: cannot load \.\/syntax\.ts: Unexpected ;\nat \/syntax\.ts:2:\d+\n$/,
    );
    expect(await wrong("imports.ts", 'import a from "not-installed";\nexport default a;\n')).toContain(
      "error: cannot load ./imports.ts: Cannot find package 'not-installed' imported from /imports.ts",
    );
    expect(await wrong("none.ts", "export default 3;\n")).toMatch(/^error: \.\/none\.ts exports no controller\n/);
    const missing = await run("run", "./missing.ts", "--sandbox");
    expect(missing.stderr).toBe(
      "error: ./missing.ts does not exist\ngive a file that exports a controller, or a controller's name\n",
    );
  });
});
