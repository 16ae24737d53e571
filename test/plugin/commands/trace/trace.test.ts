/** `kubectl reconcile trace --sandbox`, as a program. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { runProgram, startProgram } from "../../../e2e/support/program.ts";

/** A controller that goes on for ever. */
const restlessController = `
import { defineController, kinds, rule, watchPrimary } from "kubectl-reconcile";
const flip = rule<{ turn: string }>({ id: "flip", looksAt: [], chooses: "Always writes.", sentence: ({ turn }) => turn });
export const restless = defineController({
  name: "restless", purpose: "writes for ever", for: kinds.ConfigMaps, watches: [watchPrimary(kinds.ConfigMaps)], rules: [flip],
  permissions: [{ group: "", resource: "configmaps", verbs: ["update"] }],
  async sync(key, context) {
    const map = context.cache(kinds.ConfigMaps).get(key);
    if (map?.metadata.name !== "turns") return;
    const turn = map.data?.turn === "1" ? "0" : "1";
    await context.client.update(kinds.ConfigMaps, { ...map, data: { turn } }, { because: context.decide(flip, { turn }) });
  },
});`;

let folder: string;
let manifest: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "trace-test-"));
  manifest = join(folder, "web.yaml");
  await writeFile(
    manifest,
    `
apiVersion: apps/v1
kind: ReplicaSet
metadata: {name: web}
spec:
  replicas: 2
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec: {containers: [{name: web, image: nginx}]}
`,
  );
});

afterAll(() => rm(folder, { recursive: true }));

describe("trace --sandbox", () => {
  test("shows each sync of the named controller, and ends when nothing is left to do", async () => {
    const { stdout, stderr, code } = await runProgram(["trace", "rs", "--sandbox", "-f", manifest, "--once"]);
    expect({ stderr, code }).toEqual({ stderr: "", code: 0 });
    expect(stdout).toMatch(/sync 1 · replicaset default\/web · waited/);
    expect(stdout).toMatch(/why {3}ReplicaSet web Added \d+ · by kubectl-reconcile-manifests/);
    expect(stdout).toMatch(/did {3}scale-up: 2 of 2 pods are missing/);
    expect(stdout).toMatch(/POST Pod web-\w{5} +201 · \d+/);
    expect(stdout).toMatch(/status: replicas 0 → 2/);
    expect(stdout).toMatch(/its writes triggered sync \d/);
    expect(stdout).not.toMatch(/^sync \d+ · (kubelet|scheduler)/m);
    expect(stdout).toMatch(/^stopped after .*: \d+ syncs, \d+ writes(, \d+ waits? for a cache)?, 0 errors$/m);
  });

  test("--why follows one chain through several controllers, back to the first cause", async () => {
    const args = ["trace", "rs", "kubelet", "--sandbox", "-f", manifest, "--why", "rs/web", "--once"];
    const { stdout, code } = await runProgram(args);
    expect(code).toBe(0);
    expect(stdout).toMatch(/· kubelet default\/web-\w{5} ·/);
    expect(stdout).toMatch(/from {2}.*replicaset sync 1 · first cause · ReplicaSet web Added/);
  });

  test("an object alone selects the controllers of its chain; quiet syncs are counted, --all shows each", async () => {
    const args = ["trace", "rs/web", "--sandbox", "-f", manifest, "--once"];
    const { stdout, code } = await runProgram(args);
    expect(code).toBe(0);
    expect(stdout).toMatch(/sync 1 · replicaset default\/web/);
    expect(stdout).toMatch(/^quiet {3}/m);
    expect(stdout).not.toContain("steady: 2 of 2 pods → nothing to do\n  then");
    const all = await runProgram([...args, "--all"]);
    expect(all.stdout).not.toMatch(/^quiet/m);
    expect(all.stdout).toContain("steady: 2 of 2 pods → nothing to do\n  then");
  });

  test("--count ends it, and -o json prints stage events that link writes to deltas", async () => {
    const { stdout, stderr, code } = await runProgram([
      "trace",
      "rs",
      "--sandbox",
      "-f",
      manifest,
      "--count",
      "3",
      "-o",
      "json",
    ]);
    expect(code).toBe(0);
    const events = stdout
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line) as { readonly stage: string });
    expect(events.filter(({ stage }) => stage === "link").length).toBeGreaterThan(0);
    expect(events.filter(({ stage }) => stage === "done").length).toBeGreaterThanOrEqual(3);
    expect(stderr).toMatch(/^stopped after/);
  });

  test("--fail-on loop cannot tell after a short time, and names what was rewritten; controllers at rest are in no loop", async () => {
    const [restless, map] = [join(folder, "restless.ts"), join(folder, "map.yaml")];
    await writeFile(map, "{apiVersion: v1, kind: ConfigMap, metadata: {name: turns}, data: {turn: '0'}}");
    await writeFile(restless, restlessController);
    const args = ["--sandbox", "-f", map, "--fail-on", "loop"];
    const short = await runProgram(["trace", restless, ...args, "--count", "30"]);
    expect(short.stderr).toMatch(
      /^cannot tell whether there is a loop: watched for [\d.]+ m?s, a loop shows after 5 s; .*: \w+ \d+ .* in [\d.]+ m?s, too short to call it a loop/m,
    );
    expect(short.code).toBe(5);
    const long = await runProgram(["trace", restless, ...args, "--for", "60s"]);
    expect(long.stdout).toMatch(/^ +writer  restless \d+ writes$/m);
    expect([long.code, long.stderr]).toEqual([3, "ended by --fail-on loop\n"]);
    const resting = await runProgram(["trace", "rs", ...args, "-f", manifest, "--once"]);
    expect([resting.code, resting.stderr]).toEqual([0, ""]);
  }, 120_000);

  test.each([
    { args: ["all", "--why", "deploy/nosuch"], says: "Deployment default/nosuch" },
    { args: ["rs", "default/nosuch"], says: "ReplicaSet default/nosuch" },
    { args: ["rs", "--why", "rs/web"], says: undefined },
  ])("$args: says whether the object is missing", async ({ args, says }) => {
    const { stdout, code } = await runProgram(["trace", ...args, "--sandbox", "-f", manifest, "--once"]);
    const missing = /^there is no (.*)$/m.exec(stdout);
    expect(missing?.[1]).toBe(says);
    expect(code).toBe(0);
  });

  test("Ctrl-C ends it with a summary", async () => {
    await using program = startProgram(["trace", "rs", "--sandbox", "-f", manifest]);
    await program.says(/sync 2/);
    program.signal("SIGINT");
    const { stdout, code } = await program.end();
    expect(code).toBe(0);
    expect(stdout).toMatch(/stopped after/);
  });

  test.each([
    { name: "two objects", args: ["rs", "rs/a", "rs/b"], says: "error: trace accepts at most one TYPE/NAME" },
    { name: "-f without --sandbox", args: ["rs", "-f", "x.yaml"], says: "error: -f is for --sandbox" },
    { name: "-A with -n", args: ["rs", "-A", "-n", "x"], says: "error: -A and -n are mutually exclusive" },
    { name: "no controller", args: [], says: "error: no controller given" },
    {
      name: "a chain for a type of no named controller",
      args: ["rs", "--sandbox", "--why", "svc/web"],
      says: "error: --why svc/web: none of these controllers knows a type svc",
    },
    {
      name: "an object of a type without a controller",
      args: ["widget/web", "--sandbox"],
      says: 'error: no built-in controller is for the type "widget"',
    },
    { name: "half an object name", args: ["rs", "--sandbox", "rs/"], says: 'error: "rs/" does not name an object' },
  ])("refuses $name in one line, with what to do", async ({ args, says }) => {
    const { stderr, code } = await runProgram(["trace", ...args]);
    expect(code).toBe(2);
    expect(stderr).toContain(says);
    expect(stderr.trim().split("\n").length).toBeGreaterThan(1);
  });
});
