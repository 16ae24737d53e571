/** Text written by others, from an API server or a file to a terminal or a log: the real program, with its streams read as bytes. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { echoServer } from "../platform/servers.ts";
import { type ProgramRun, runProgram } from "../support/program.ts";
import { type ApiSide, sandboxSide } from "../support/api-side.ts";

const top = join(import.meta.dir, "..", "..");
const program = [process.execPath, join(top, "plugin", "main.ts")];
/** A color, a title, a C1 byte, a carriage return, a reversed text direction, a line that looks like one of ours. */
const hostile = "\u001b[31mred\u001b]0;forged\u0007\u009b2J\rwell\u202egpj\nDeployment x is as it should be";
const shown = "^[[31mred^[]0;forged^G\\u009b2J^Mwell\\u202egpj\\nDeployment x is as it should be";

/** Output for a terminal or a log contains nothing that controls a terminal. */
function expectHarmless({ stdout, stderr }: ProgramRun): void {
  const controls = /[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}]/gu;
  expect((stdout + stderr).match(controls)?.filter((found) => found !== "\n") ?? []).toEqual([]);
  expect((stdout + stderr).match(/^\s*Deployment x is as/m)).toBeNull();
}

describe("terminal escapes are shown as text", () => {
  let served: ApiSide;
  beforeAll(async () => {
    served = await sandboxSide();
  });
  afterAll(() => served.stop());

  const run = (...args: string[]): Promise<ProgramRun> =>
    runProgram([...program, ...args], { env: { ...process.env, KUBECONFIG: served.kubeconfig }, timeoutMs: 30_000 });
  const send: ApiSide["send"] = (...request) => served.send(...request);

  test.each(["text", "json"])("in a value of a ConfigMap, as %s of `watch`", async (form) => {
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
    // A multi-line value is shown as JSON.
    if (form === "text") return expect(ran.stdout).toContain(JSON.stringify(hostile).slice(0, 20));
    const events = ran.stdout
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line) as object);
    expect(JSON.stringify(events)).toContain(JSON.stringify(hostile).slice(1, -1));
  });

  test("in the message of a condition, printed by `why`", async () => {
    const pods = "/api/v1/namespaces/default/pods";
    await send("POST", "/api/v1/namespaces/default/serviceaccounts", { metadata: { name: "default" } });
    const pod = { metadata: { name: "hostile" }, spec: { containers: [{ name: "c", image: "i" }] } };
    expect((await send("POST", pods, pod)).status).toBe(201);
    const condition = { type: "PodScheduled", status: "False", reason: "Unschedulable", message: hostile };
    expect((await send("PATCH", `${pods}/hostile/status`, { status: { conditions: [condition] } })).status).toBe(200);
    const ran = await run("why", "pod/hostile", "-n", "default");
    expectHarmless(ran);
    expect(ran.stdout).toContain(shown);
  });

  test("in the path of a request, logged by -v=6", async () => {
    const ran = await run("-v=6", "-n", "default", "why", "pod/\u001b[31mx");
    expectHarmless(ran);
    expect(ran.stderr).toMatch(
      /^GET https:\/\/127\.0\.0\.1:\d+\/api\/v1\/namespaces\/default\/pods\/\S+ 404 in \d+ ms$/m,
    );
    expect(ran.stderr).not.toContain(served.token);
  });

  test("in a refusal of an API server", async () => {
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
  });

  test("in names in a kubeconfig and in manifests", async () => {
    const file = join(served.dir, "config.json");
    const config = { contexts: [{ name: hostile, context: {} }], "current-context": "none" };
    writeFileSync(file, JSON.stringify(config));
    const named = await run("why", "pod/x", "--kubeconfig", file);
    expectHarmless(named);
    expect(named.stderr).toContain(shown);
    const manifest = join(served.dir, "manifest.json");
    writeFileSync(
      manifest,
      JSON.stringify({ apiVersion: "v1", kind: "ConfigMap", metadata: { name: hostile, namespace: "default" } }),
    );
    const refused = await run("dry-run", "--from", "manifests", "-f", manifest);
    expect(refused.code).toBe(2);
    expectHarmless(refused);
  });

  test("in manifests whose result is printed as equivalent YAML", async () => {
    const manifest = join(served.dir, "map.json");
    const data = { a: hostile };
    const map = { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "a", namespace: "default" }, data };
    writeFileSync(manifest, JSON.stringify(map));
    const ran = await run("dry-run", "--from", "manifests", "-f", manifest, "-o", "yaml");
    expectHarmless(ran);
    const documents = Bun.YAML.parse(ran.stdout) as readonly { readonly kind?: string; readonly data?: object }[];
    expect(documents.find((document) => document?.kind === "ConfigMap" && document.data !== undefined)?.data).toEqual(
      data,
    );
  });
});
