/** Runs docs/ci.md as printed, in a repository with a branch that changes the manifests. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parse } from "yaml";
import { replicaSet } from "./support/dry-run-manifests.ts";
import { programCommand } from "./support/program.ts";

const doc = readFileSync(join(import.meta.dir, "../../docs/ci.md"), "utf8");

/** The code blocks of a language, in order. */
function blocks(language: string): readonly string[] {
  return [...doc.matchAll(new RegExp(`\`\`\`${language}\\n([\\s\\S]*?)\`\`\``, "g"))].map((match) => match[1] ?? "");
}

const workflow = parse(blocks("yaml")[0] ?? "") as {
  readonly jobs: Record<string, { readonly steps: readonly { readonly name?: string; readonly run?: string }[] }>;
};
const printedStep = workflow.jobs["dry-run"]?.steps.find(({ run }) => run !== undefined)?.run ?? "";

const web = (replicas: number, cpu: string): string => `apiVersion: v1
kind: ConfigMap
metadata: {name: settings, namespace: shop}
---
${replicaSet(replicas, `, resources: {requests: {cpu: "${cpu}"}}`)}`;

describe("the CI example", () => {
  let folder: string;
  let repository: string;

  async function shell(
    line: string,
    env: Readonly<Record<string, string>> = {},
  ): Promise<{ code: number; out: string; err: string }> {
    const run = Bun.spawn(["bash", "-eu", "-o", "pipefail", "-c", line], {
      cwd: repository,
      env: {
        HOME: folder,
        PATH: `${join(folder, "bin")}:${process.env["PATH"] ?? ""}`,
        KUBECONFIG: join(folder, "none"),
        ...env,
      },
      stdin: "ignore",
      stdout: "pipe",
      stderr: "pipe",
    });
    const [out, err, code] = await Promise.all([
      new Response(run.stdout).text(),
      new Response(run.stderr).text(),
      run.exited,
    ]);
    return { code, out, err };
  }

  /** Commits the manifests on top of the current commit. */
  async function commit(text: string): Promise<void> {
    writeFileSync(join(repository, "shop/web.yaml"), text);
    const committed = await shell("git add -A && git -c user.name=t -c user.email=t@example.com commit -qm change");
    expect(committed).toMatchObject({ code: 0 });
  }

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), "ci-"));
    repository = join(folder, "repository");
    mkdirSync(join(repository, "shop"), { recursive: true });
    mkdirSync(join(folder, "bin"));
    const words = programCommand.map((word) => `'${word}'`).join(" ");
    writeFileSync(join(folder, "bin/kubectl-reconcile"), `#!/bin/sh\nexec ${words} "$@"\n`, { mode: 0o755 });
    await shell("git init -q -b main");
    await commit(web(2, "1"));
    await shell("git update-ref refs/remotes/origin/main HEAD");
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  async function job(name: string): Promise<{ code: number; out: string; err: string; summary: string }> {
    const temporary = join(folder, name);
    mkdirSync(temporary);
    const summary = join(temporary, "summary.md");
    const env = { RUNNER_TEMP: temporary, GITHUB_BASE_REF: "main", GITHUB_STEP_SUMMARY: summary };
    const ended = await shell(printedStep, env);
    await shell(`git worktree remove --force ${temporary}/base`);
    return { ...ended, summary: readFileSync(summary, "utf8") };
  }

  test("passes a change without problems, with an annotation on the manifest and a job summary", async () => {
    await commit(web(4, "1"));
    const { code, out, summary } = await job("works");
    expect(out).toContain(
      "::notice file=shop/web.yaml,line=5,title=ReplicaSet shop/web configured::~ ReplicaSet shop/web  applied: .spec.replicas 2 → 4%0A+ 2 Pods shop/web-…",
    );
    expect(out).not.toMatch(/^::error/m);
    expect(summary).toContain("### kubectl reconcile dry-run");
    expect(summary).toContain("| + | 2 Pods shop/web-… | scale-up: 2 of 4 pods are missing");
    expect(summary).toContain("````diff\n--- ReplicaSet shop/web (before)");
    expect(code).toBe(0);
  });

  test("fails a change whose pods cannot be scheduled, and names the line", async () => {
    await commit(web(30, "2"));
    const { code, out, summary } = await job("full");
    expect(out).toMatch(
      /^::error file=shop\/web.yaml,line=5,title=not available::ReplicaSet shop\/web: available \d+ of 30: Pod web-…: 0\/3 nodes are available: 3 Insufficient cpu\.$/m,
    );
    expect(summary).toContain("⚠ ReplicaSet shop/web: available");
    expect(code).toBe(4);
  });

  test("prints a summary and JSON lines for other systems", async () => {
    await commit(web(3, "1"));
    const [, others = "", saved = ""] = blocks("sh");
    expect(await shell(others)).toMatchObject({ code: 0 });
    expect(readFileSync(join(repository, "report.xml"), "utf8")).toContain('name="ReplicaSet shop/web"/>');
    expect(readFileSync(join(repository, "summary.md"), "utf8")).toContain("**steady after");
    const lines = readFileSync(join(repository, "changes.jsonl"), "utf8").trimEnd().split("\n");
    const read = lines.map((line) => JSON.parse(line) as { readonly v: number; readonly is: string });
    expect(read.every(({ v }) => v === 1)).toBe(true);
    expect(read.at(-1)).toMatchObject({ is: "end", created: 5, exitCode: 0 });
    expect(saved).toContain("--baseline shop-now.json -f shop");
  });

  test("passes an unknown result only if the job accepts that", async () => {
    const daemons = web(1, "1").replace("kind: ReplicaSet", "kind: DaemonSet").replace("  replicas: 1\n", "");
    await commit(daemons);
    // The named controllers do not include that of DaemonSets.
    const [content = ""] = blocks("sh").map((block) => block.replace("dry-run ", "dry-run replicaset "));
    const plain = await shell(
      "kubectl-reconcile dry-run replicaset --from manifests -f shop --fail-on delete,unavailable",
    );
    expect(plain.out).toContain(
      "? DaemonSet shop/web: cannot tell whether it becomes available: no controller here runs DaemonSets",
    );
    expect(plain.code).toBe(5);
    expect(await shell(content)).toMatchObject({ code: 0 });
    await commit(web(1, "20"));
    expect(await shell(content)).toMatchObject({ code: 4 });
  });

  test("names an invalid manifest", async () => {
    await commit(web(3, "1").replace("replicas: 3", "replicas: many"));
    const { code, err } = await shell("kubectl-reconcile dry-run --from manifests -f shop");
    expect(err).toContain("shop/web.yaml, document 2 (ReplicaSet web), line 9: ");
    expect(code).toBe(2);
    const annotated = await shell("kubectl-reconcile dry-run --from manifests -f shop -o github");
    expect(annotated.out).toMatch(/^::error file=shop\/web\.yaml,line=9,title=ReplicaSet web::/);
    expect(annotated.code).toBe(2);
  });
});
