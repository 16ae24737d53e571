/** `kubectl reconcile watch --sandbox`, as a program. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { programCommand, runProgram } from "../../../e2e/support/program.ts";

let folder: string;
let manifest: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "watch-test-"));
  manifest = join(folder, "web.yaml");
  const template = { metadata: { labels: { app: "web" } }, spec: { containers: [{ name: "web", image: "nginx" }] } };
  const spec = { replicas: 2, selector: { matchLabels: { app: "web" } }, template };
  writeFileSync(
    manifest,
    JSON.stringify({ apiVersion: "apps/v1", kind: "Deployment", metadata: { name: "web" }, spec }),
  );
});
afterAll(() => rmSync(folder, { recursive: true }));

test("--once shows what the manifests and the controllers made of them, then exits", async () => {
  const { stdout, code } = await runProgram(["watch", "rs", "pods", "--sandbox", "-f", manifest, "--once"]);
  expect(stdout.match(/Replaced Pod +web-\S+ .* there at the start/g)).toHaveLength(2);
  expect(stdout.match(/Replaced ReplicaSet +web-\S+ .* there at the start/g)).toHaveLength(1);
  expect(code).toBe(0);
}, 60_000);

test.each([
  {
    name: "deploy/nosuch",
    for: ["--for", "1s"],
    says: "Deployment default/nosuch; its deltas are shown as soon as it exists",
  },
  { name: "deploy/nosuch", for: ["--once"], says: "Deployment default/nosuch" },
  { name: "node/nosuch", for: ["--once"], says: "Node nosuch" },
  { name: "deploy/web", for: ["--for", "1s"], says: undefined },
  { name: "deploy/web", for: ["--once"], says: undefined },
])(
  "$name $for: says whether the object is missing",
  async ({ name, for: end, says }) => {
    const { stderr, code } = await runProgram(["watch", name, "--sandbox", "-f", manifest, ...end]);
    expect(/^there is no (.*)$/m.exec(stderr)?.[1]).toBe(says);
    expect(code).toBe(0);
  },
  60_000,
);

test.each([
  { cols: 80, rows: 24 },
  { cols: 140, rows: 60 },
])(
  "--live leaves one table on the screen when Ctrl-C ends it: $cols × $rows",
  async ({ cols, rows }) => {
    let printed = "";
    const data = (_: unknown, bytes: Uint8Array): void => void (printed += new TextDecoder().decode(bytes));
    await using program = Bun.spawn([...programCommand, "watch", "replicaset", "--sandbox", "--live"], {
      terminal: { cols, rows, data },
    });
    for (let tries = 0; tries < 1000 && (printed.match(/QUEUE/g)?.length ?? 0) < 2; tries++) await Bun.sleep(20);
    program.terminal?.write("\u0003");
    expect(await program.exited).toBe(0);
    for (let tries = 0; tries < 100 && !printed.includes("watched for"); tries++) await Bun.sleep(20);
    const end = printed.slice(printed.indexOf("^C"));
    expect(end).toContain("watched for");
    expect(end).not.toContain("QUEUE");
  },
  60_000,
);
