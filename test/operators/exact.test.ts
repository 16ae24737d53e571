/** The wrappers of docs/exact.md: with one of them, each write of an operator names its reconcile. */
import { describe, expect, test } from "bun:test";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startProgram } from "../e2e/support/program.ts";
import { operators } from "./programs.ts";
import { operatorScenes } from "./scenes.ts";

const wrappers = [
  { language: "go", path: join("kubebuilder", "internal", "exact", "exact.go") },
  { language: "rust", path: join("kube-rs", "src", "exact.rs") },
  { language: "python", path: join("python", "exact.py") },
] as const;

describe("docs/exact.md", () => {
  test.each(wrappers)("has the tested wrapper for $language, in at most 40 lines", ({ language, path }) => {
    const page = readFileSync(join(operators, "..", "..", "docs", "exact.md"), "utf8");
    const wrapper = readFileSync(join(operators, path), "utf8");
    expect(page).toContain(`\`\`\`${language}\n${wrapper}\`\`\`\n`);
    expect(wrapper.trimEnd().split("\n").length).toBeLessThanOrEqual(40);
  });
});

interface Line {
  readonly stage: string;
  readonly seq: number;
  readonly verb?: string;
  readonly of?: { readonly kind: string };
  readonly subresource?: string;
  readonly key?: string;
  readonly write?: number;
  readonly grade?: string;
}

/** The grades of the causes of all writes, by verb, kind and key. */
function writtenIn(stdout: string): ReadonlyMap<string, readonly string[]> {
  const whole = stdout.split("\n").filter((text) => text.startsWith("{") && text.endsWith("}"));
  const lines = whole.map((text) => JSON.parse(text) as Line);
  const causes = new Map(lines.map(({ stage, write, grade }) => [stage === "cause" ? write : undefined, grade]));
  const done = lines.filter(({ stage, of }) => stage === "write" && !["Event", "Lease"].includes(of?.kind ?? ""));
  const nameOf = ({ verb, of, subresource, key }: Line): string =>
    `${verb} ${of?.kind}${subresource === undefined ? "" : `/${subresource}`} ${key}`;
  const byName = Map.groupBy(done, nameOf);
  return new Map([...byName].map(([name, each]) => [name, each.map(({ seq }) => causes.get(seq) ?? "none")]));
}

describe.each(operatorScenes)("$name", ({ program, command, definition, object, writes }) => {
  const why = program.is === "there" ? "" : ` (${program.why})`;

  async function grades(before: readonly string[]): Promise<ReadonlyMap<string, readonly string[]>> {
    if (program.is !== "there") throw new Error(program.why);
    const folder = mkdtempSync(join(tmpdir(), "exact-"));
    try {
      const manifests = join(folder, "objects.yaml");
      writeFileSync(manifests, `${JSON.stringify(definition)}\n---\n${JSON.stringify(object)}`);
      const args = ["run", "--sandbox", "-f", manifests, "--quiet-child", "-o", "json", "--"];
      await using run = startProgram([...args, ...before, ...command(program.path)], {});
      const isDone = (): boolean => writes.every((name) => writtenIn(run.stdout).has(name));
      for (let look = 0; look < 1200 && !isDone(); look++) await Bun.sleep(100);
      run.signal("SIGINT");
      const { stdout, stderr } = await run.end();
      const written = writtenIn(stdout);
      if (!writes.every((name) => written.has(name)))
        throw new Error(`it wrote ${[...written.keys()].join()}\n${stderr}`);
      return written;
    } finally {
      rmSync(folder, { recursive: true });
    }
  }

  test.skipIf(program.is !== "there")(
    `the cause of every write is exact${why}`,
    async () => {
      const found = await grades([]);
      expect(new Set([...found.values()].flat())).toEqual(new Set(["exact"]));
    },
    180_000,
  );

  test.skipIf(program.is !== "there")(
    `it says nothing to a server that did not ask for it${why}`,
    async () => {
      const found = await grades(["env", "-u", "KUBECTL_RECONCILE_EXACT"]);
      expect([...found.values()].flat()).not.toContain("exact");
    },
    180_000,
  );
});
