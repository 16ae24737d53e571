/** `run -- COMMAND` and `proxy` with an unmodified operator, on the embedded cluster. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseAllDocuments } from "yaml";
import { seededRandom } from "../../src/platform/random.ts";
import { realTimeline } from "../../src/platform/real-timeline.ts";
import { serveSandbox } from "../../src/sandbox/https.ts";
import { createSandbox, type Sandbox } from "../../src/sandbox/sandbox.ts";
import { runProgram, startProgram } from "./support/program.ts";

const operator = [process.execPath, join(import.meta.dir, "support", "small-operator.ts")] as const;

describe("a program after --", () => {
  let sandbox: Sandbox;
  let served: Awaited<ReturnType<typeof serveSandbox>>;
  let folder: string;
  let kubeconfig: string;
  beforeAll(async () => {
    const timeline = realTimeline();
    sandbox = await createSandbox({ timeline, random: seededRandom(1) });
    served = await serveSandbox(sandbox);
    folder = mkdtempSync(join(tmpdir(), "process-"));
    kubeconfig = join(folder, "kubeconfig");
    writeFileSync(kubeconfig, served.kubeconfig(), { mode: 0o600 });
  });
  afterAll(async () => {
    await served.close();
    sandbox.stop();
    rmSync(folder, { recursive: true });
  });

  const put = async (name: string, data: object): Promise<void> => {
    const [method, path] = known.has(name) ? ["PUT", `/${name}`] : ["POST", ""];
    known.add(name);
    const { status } = await fetch(`${served.url}/api/v1/namespaces/default/configmaps${path}`, {
      method,
      headers: { authorization: `Bearer ${served.identity.token}`, "content-type": "application/json" },
      tls: { ca: served.identity.certificate.ca },
      body: JSON.stringify({ metadata: { name, labels: { copy: "yes" } }, data }),
    });
    expect(status).toBeLessThan(300);
  };
  const known = new Set<string>();

  test("has its watches, triggers and writes reported, and its use of the server", async () => {
    await using program = startProgram(["run", "--", ...operator], { kubeconfig });
    await program.says(/watching ConfigMap · \d+ objects?/);
    await put("one", { size: "1" });
    await program.says(/\+ ConfigMap one-copy {2}POST 201/);
    await put("one", { size: "2" });
    await program.says(/~ ConfigMap one-copy {2}\.data\.size 1 → 2 {2}PUT 200/);
    program.signal("SIGINT");
    const { code, stdout, stderr } = await program.end();
    expect(code).toBe(0);
    expect(stderr).toBe("| copier begins\n");
    expect(stdout).toMatch(
      /ConfigMap default\/one because ConfigMap one Added \(own, [\d.]+ ms before\)\n\S+ {3}\+ ConfigMap one-copy/,
    );
    expect(stdout).toMatch(
      /ConfigMap default\/one because ConfigMap one Updated \.data\.size 1 → 2 \(own, [\d.]+ ms before\)\n\S+ {3}~ ConfigMap one-copy/,
    );
    expect(stdout).toMatch(/^stopped after [\d.]+ m?s: \d+ requests · 2 writes$/m);
    expect(stdout).toMatch(/^WATCH +configmaps +1$/m);
  });

  test("has writes without changes reported", async () => {
    await using program = startProgram(["run", "--quiet-child", "--", "env", "LOOP=1", ...operator], { kubeconfig });
    await program.says(/watching ConfigMap/);
    for (let n = 0; n < 5; n++) await put(`still-${n}`, { size: "1" });
    await program.says(/ConfigMap still-4-copy/);
    await put("still-0", { size: "1" });
    for (let n = 0; n < 3; n++) {
      await put("one", { size: "2", n: String(n) });
      await program.says(new RegExp(`\\.data\\.n ${n === 0 ? "0" : `${n - 1} → ${n}`}`));
    }
    program.signal("SIGTERM");
    const { code, stdout, stderr } = await program.end();
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    expect(stdout).toMatch(/= ConfigMap one-copy {2}nothing changed {2}PUT 200/);
    expect(stdout).toMatch(
      /^writes that changed nothing\n {2}\d+ of \d+ to ConfigMap, most to default\/\S+-copy: compare before writing/m,
    );
  });

  test("-o json: every request, delta and write is an event, with the cause of each write; -o rbac: the Role", async () => {
    const [json, rbac] = await Promise.all([
      runProgram(["run", "-o", "json", "--for", "3s", "--", ...operator], { kubeconfig }),
      runProgram(["run", "-o", "rbac", "--for", "3s", "--", ...operator], { kubeconfig }),
    ]);
    expect([json.code, rbac.code]).toEqual([0, 0]);
    const events = json.stdout
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line) as { readonly stage: string; readonly agent: string });
    expect(new Set(events.map(({ stage }) => stage))).toEqual(new Set(["request", "list", "watch", "delta"]));
    expect(new Set(events.map(({ agent }) => agent))).toEqual(new Set(["copier/v1"]));
    expect(json.stdout).not.toContain(served.identity.token);
    const [role, ...more] = parseAllDocuments(rbac.stdout).map((document) => document.toJS() as unknown);
    expect(more).toEqual([]);
    expect(role).toEqual({
      apiVersion: "rbac.authorization.k8s.io/v1",
      kind: "Role",
      metadata: { name: "copier", namespace: "default" },
      rules: [{ apiGroups: [""], resources: ["configmaps"], verbs: ["get", "list", "watch"] }],
    });
  });

  test("determines the exit code, and leaves nothing behind", async () => {
    // A separate folder, because other tests run programs at the same time.
    const temporary = mkdtempSync(join(folder, "tmp-"));
    const options = { kubeconfig, through: `TMPDIR=${temporary} exec "$@"` };
    const ended = await runProgram(["run", "--", "sh", "-c", "exit 7"], options);
    expect(ended.code).toBe(7);
    expect(ended.stderr).toMatch(/^sh exited with code 7 after/m);
    const unused = await runProgram(["run", "--for", "500ms", "--", "sleep", "100"], options);
    expect(unused.code).toBe(0);
    const missing = await runProgram(["run", "--", "/no/such/program"], options);
    expect(missing.code).toBe(2);
    expect(missing.stderr).toBe(
      "error: cannot start /no/such/program: there is no such program\ngive its path, such as ./manager, or a name on PATH\n",
    );
    await using twice = startProgram(
      ["run", "--", "sh", "-c", "trap '' INT; sleep 0.3; echo ready; sleep 100"],
      options,
    );
    await twice.says(/\| ready/);
    twice.signal("SIGINT");
    await Bun.sleep(100);
    twice.signal("SIGINT");
    expect((await twice.end()).code).toBe(130);
    expect(readdirSync(temporary)).toEqual([]);
  });

  test("is reported when it is restarted", async () => {
    await using program = startProgram(["run", "--restart", "--", "sh", "-c", "exit 3"], { kubeconfig });
    await program.says(/started sh -c exit 3 as process \d+ \(start 2\)/);
    program.signal("SIGINT");
    const { stderr } = await program.end();
    expect(stderr).toMatch(/^sh exited with code 3 .*\nstarting it again in 1 s$/m);
  });

  test("can use a kubeconfig of proxy, with mode 0600, which overwrites no other file", async () => {
    const file = join(folder, "behind");
    await using program = startProgram(["proxy", "--write-kubeconfig", file], { kubeconfig });
    await program.says(/export KUBECONFIG=/);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(readFileSync(file, "utf8")).not.toContain(served.identity.token);
    const behind = Bun.spawn([...operator], { env: { KUBECONFIG: file }, stdout: "ignore" });
    await program.says(/watching ConfigMap/);
    behind.kill();
    await behind.exited;
    program.signal("SIGINT");
    expect((await program.end()).code).toBe(0);
    const again = await runProgram(["proxy", "--for", "100ms", "--write-kubeconfig", file], { kubeconfig });
    expect(again.code).toBe(0);
    const other = await runProgram(["proxy", "--write-kubeconfig", kubeconfig], { kubeconfig });
    expect(other.code).toBe(2);
    expect(other.stderr).toContain("exists, and `proxy` did not write it");
  });

  test("cannot be combined with certain flags", async () => {
    const refused = async (...args: string[]): Promise<string> => {
      const { code, stderr } = await runProgram(["run", ...args], { kubeconfig });
      expect(code).toBe(2);
      return stderr.split("\n")[0] ?? "";
    };
    expect(await refused("--workers", "2", "--", "true")).toBe("error: --workers has no effect on a program");
    expect(await refused("rs", "--", "true")).toBe(
      "error: controllers (rs) and a program after -- are mutually exclusive",
    );
    expect(await refused("--")).toBe("error: no program after --");
    expect(await refused("rs", "--restart")).toBe("error: --restart is for a program after --");
    expect(await refused()).toBe("error: no controller given");
  });
});
