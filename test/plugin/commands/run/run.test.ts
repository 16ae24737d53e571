/** `kubectl reconcile run --sandbox`, as a program. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { runProgram } from "../../../e2e/support/program.ts";

const maxPods = join(import.meta.dir, "..", "..", "..", "..", "docs", "examples", "max-pods.ts");
let folder: string;
const file = (name: string): string => join(folder, name);
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "run-test-"));
  const template = { metadata: { labels: { app: "web" } }, spec: { containers: [{ name: "web", image: "nginx" }] } };
  const spec = { replicas: 1, selector: { matchLabels: { app: "web" } }, template };
  for (const kind of ["Deployment", "ReplicaSet"])
    writeFileSync(file(kind), JSON.stringify({ apiVersion: "apps/v1", kind, metadata: { name: "web" }, spec }));
  const annotations = { "example.com/max-pods": "20" };
  const shop = { apiVersion: "v1", kind: "Namespace", metadata: { name: "shop", annotations } };
  writeFileSync(file("shop"), JSON.stringify(shop));
});
afterAll(() => rmSync(folder, { recursive: true }));

test("a controller of cluster-scoped objects runs in a sandbox without -A", async () => {
  const { code, stdout } = await runProgram(["run", maxPods, "--sandbox", "-f", file("shop"), "--once"]);
  expect(stdout).toMatch(/\+ ResourceQuota max-pods/);
  expect(code).toBe(0);
}, 60_000);

test("but not in a single namespace, if -n names one", async () => {
  const { code, stderr } = await runProgram(["run", maxPods, "--sandbox", "-n", "shop", "--once"]);
  expect(stderr).toContain("error: cannot run max-pods in one namespace");
  expect(code).toBe(2);
}, 60_000);

test.each([
  {
    run: "rs",
    manifests: ["Deployment"],
    warns: "no controller that runs here acts on Deployment default/web: add deployment",
  },
  { run: "deploy", manifests: ["Deployment"], warns: undefined },
  { run: "rs", manifests: ["Deployment", "ReplicaSet"], warns: undefined },
  { run: "gc", manifests: ["Deployment"], warns: undefined },
  { run: "rs", manifests: ["shop"], warns: undefined },
])(
  "run $run with $manifests: warns if nothing concerns the controllers",
  async ({ run, manifests, warns }) => {
    const given = manifests.flatMap((name) => ["-f", file(name)]);
    const { stderr, stdout, code } = await runProgram(["run", run, "--sandbox", ...given, "--for", "1s"]);
    expect(/^warning: (no controller .*)$/m.exec(stderr)?.[1]).toBe(warns);
    expect(stdout).toMatch(/^(running|starting) .* workers?.*, for 1 s$/m);
    expect(code).toBe(0);
  },
  60_000,
);
