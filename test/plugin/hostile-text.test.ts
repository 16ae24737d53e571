/** What others wrote, from an API server or a file to a terminal or a log: the real program, its streams read as bytes. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { seededRandom } from "../../src/platform/random.ts";
import { realTimeline } from "../../src/platform/real-timeline.ts";
import { serveSandbox, type SandboxHttps } from "../../src/sandbox/https.ts";
import { createSandbox, type Sandbox } from "../../src/sandbox/sandbox.ts";
import { echoServer } from "../platform/servers.ts";
import { type ProgramRun, runProgram } from "../support/program.ts";

const top = join(import.meta.dir, "..", "..");
const program = [process.execPath, join(top, "plugin", "main.ts")];
/** Colour, a title, a byte of C1, a carriage return, a turned direction. */
const hostile = "\u001b[31mred\u001b]0;forged\u0007\u009b2J\rwell\u202egpj";
const shown = "^[[31mred^[]0;forged^G\\u009b2J^Mwell\\u202egpj";

/** Nothing that drives a terminal, in what was meant for one or for a log. */
function expectHarmless({ stdout, stderr }: ProgramRun): void {
  const controls = /[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}]/gu;
  expect((stdout + stderr).match(controls)?.filter((found) => found !== "\n") ?? []).toEqual([]);
}

describe("text that would drive a terminal", () => {
  const dir = mkdtempSync(join(tmpdir(), "hostile-"));
  const kubeconfig = join(dir, "config");
  let sandbox: Sandbox;
  let https: SandboxHttps;
  beforeAll(async () => {
    sandbox = await createSandbox({ timeline: realTimeline(), random: seededRandom(1) });
    https = await serveSandbox(sandbox);
    writeFileSync(kubeconfig, https.kubeconfig());
  });
  afterAll(async () => {
    sandbox.stop();
    await https.close();
    rmSync(dir, { recursive: true, force: true });
  });

  const run = (...args: string[]): Promise<ProgramRun> =>
    runProgram([...program, ...args], { env: { ...process.env, KUBECONFIG: kubeconfig }, timeoutMs: 30_000 });
  const send = (method: string, path: string, body: object): Promise<Response> =>
    fetch(`${https.url}${path}`, {
      method,
      headers: {
        authorization: `Bearer ${https.token}`,
        "content-type": method === "PATCH" ? "application/merge-patch+json" : "application/json",
      },
      body: JSON.stringify(body),
      tls: { ca: https.ca },
    });

  test.each(["text", "json"])(
    "in a value of a ConfigMap, as %s of `watch`",
    async (form) => {
      const maps = "/api/v1/namespaces/default/configmaps";
      const name = `hostile-${form}`;
      await send("POST", maps, { metadata: { name }, data: { a: "before" } });
      const watching = run(
        "watch",
        `configmaps/${name}`,
        "-n",
        "default",
        "--count",
        "2",
        ...(form === "json" ? ["-o", "json"] : []),
      );
      const ended = watching.then(() => true);
      const value = (n: number): string => `${hostile}${n}`;
      for (let n = 0; !(await Promise.race([ended, Bun.sleep(200)])) && n < 100; n++) {
        await send("PATCH", `${maps}/${name}`, { data: { a: value(n) } });
      }
      const ran = await watching;
      expect(ran.code).toBe(0);
      expectHarmless(ran);
      if (form === "text") return expect(ran.stdout).toContain(shown.slice(0, 20));
      const events = ran.stdout
        .trim()
        .split("\n")
        .map((line) => JSON.parse(line) as object);
      expect(JSON.stringify(events)).toContain(JSON.stringify(hostile).slice(1, -1));
    },
    60_000,
  );

  test("in the message of a condition, as `why` prints it", async () => {
    const pods = "/api/v1/namespaces/default/pods";
    await send("POST", "/api/v1/namespaces/default/serviceaccounts", { metadata: { name: "default" } });
    const pod = { metadata: { name: "hostile" }, spec: { containers: [{ name: "c", image: "i" }] } };
    expect((await send("POST", pods, pod)).status).toBe(201);
    const condition = { type: "PodScheduled", status: "False", reason: "Unschedulable", message: hostile };
    expect((await send("PATCH", `${pods}/hostile/status`, { status: { conditions: [condition] } })).status).toBe(200);
    const ran = await run("why", "pod/hostile", "-n", "default");
    expectHarmless(ran);
    expect(ran.stdout).toContain(shown);
  }, 60_000);

  test("in the path of a request, as -v=6 tells of it", async () => {
    const ran = await run("-v=6", "-n", "default", "why", "pod/\u001b[31mx");
    expectHarmless(ran);
    expect(ran.stderr).toMatch(
      /^GET https:\/\/127\.0\.0\.1:\d+\/api\/v1\/namespaces\/default\/pods\/\S+ 404 in \d+ ms$/m,
    );
    expect(ran.stderr).not.toContain(https.token);
  }, 60_000);

  test("in the refusal of an API server", async () => {
    const server = await echoServer(undefined, (_, response) => {
      response.statusCode = 403;
      response.setHeader("content-type", "application/json");
      response.end(JSON.stringify({ kind: "Status", code: 403, reason: "Forbidden", message: `no: ${hostile}` }));
      return true;
    });
    const ran = await run("why", "pod/x", "-n", "default", "--server", `http://127.0.0.1:${server.port}`);
    server.close();
    expect(ran.code).toBe(2);
    expectHarmless(ran);
    expect(ran.stderr).toContain(shown);
  }, 60_000);

  test("in names of a kubeconfig and of manifests", async () => {
    const file = join(dir, "config.json");
    const config = { contexts: [{ name: hostile, context: {} }], "current-context": "none" };
    writeFileSync(file, JSON.stringify(config));
    const named = await run("why", "pod/x", "--kubeconfig", file);
    expectHarmless(named);
    expect(named.stderr).toContain(shown);
    const manifest = join(dir, "manifest.json");
    writeFileSync(
      manifest,
      JSON.stringify({ apiVersion: "v1", kind: "ConfigMap", metadata: { name: hostile, namespace: "default" } }),
    );
    const refused = await run("dry-run", "--from", "manifests", "-f", manifest);
    expect(refused.code).toBe(2);
    expectHarmless(refused);
  }, 60_000);

  test("in manifests whose result is printed as YAML, which says the same afterwards", async () => {
    const manifest = join(dir, "map.json");
    const data = { a: hostile };
    const map = { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "a", namespace: "default" }, data };
    writeFileSync(manifest, JSON.stringify(map));
    const ran = await run("dry-run", "--from", "manifests", "-f", manifest, "-o", "yaml");
    expectHarmless(ran);
    const documents = Bun.YAML.parse(ran.stdout) as readonly { readonly kind?: string; readonly data?: object }[];
    expect(documents.find((document) => document?.kind === "ConfigMap" && document.data !== undefined)?.data).toEqual(
      data,
    );
  }, 60_000);
});
