/** `loops -- COMMAND`: the loops of a program in a fork, whose writes do not reach the cluster. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { join } from "node:path";
import { defaultMinMs } from "../../src/views/loops/loop.ts";
import { type ApiSide, sandboxSide } from "../support/api-side.ts";
import { type ProgramEnd, startProgram } from "./support/program.ts";

const operator = [process.execPath, join(import.meta.dir, "support", "small-operator.ts")] as const;
const maps = "/api/v1/namespaces/default/configmaps";
const longEnoughMs = defaultMinMs + 1000;

/** The start of a program: `ask` sends a request. */
const asks = `
  const config = await Bun.file(process.env.KUBECONFIG).text();
  const found = (field) => new RegExp(field + ": (\\\\S+)").exec(config)[1];
  const ask = async (method, path, body) => {
    const response = await fetch(found("server") + path, {
      method,
      headers: { authorization: "Bearer " + found("token"), "user-agent": "restless/1", "content-type": "application/json" },
      tls: { ca: atob(found("certificate-authority-data")) },
      body: body && JSON.stringify(body),
    });
    return await response.json();
  };
  const maps = "${maps}";`;

/**
 * Ten times a second, or as often as the machine allows: a write without a change, a write that is refused, and the same read. Exits after
 * ten times and as many milliseconds as a loop must last.
 */
const restless = `${asks}
  const from = Date.now();
  for (let turns = 0; turns < 10 || Date.now() - from < ${longEnoughMs}; turns++) {
    const { metadata, data } = await ask("GET", maps + "/calm");
    await ask("PUT", maps + "/calm", { metadata, data });
    await ask("PUT", maps + "/refused", { metadata: { ...metadata, name: "refused", uid: "" }, data: { "not a key!": "" } });
    await ask("GET", maps + "/never");
    await Bun.sleep(100);
  }`;

describe("loops of a program", () => {
  let side: ApiSide;
  beforeAll(async () => {
    side = await sandboxSide();
    for (const [name, labels] of [
      ["web", { copy: "yes" }],
      ["calm", {}],
      ["refused", {}],
    ] as const)
      await send("POST", "", { metadata: { name, labels }, data: { size: "1", colour: "red" } });
  });
  afterAll(() => side.stop());

  async function send(method: string, name: string, body: object): Promise<void> {
    expect((await side.send(method, maps + name, body)).status).toBeLessThan(300);
  }

  async function loops(options: readonly string[], program: readonly string[]): Promise<ProgramEnd> {
    await using run = startProgram(["loops", "--quiet-child", ...options, "--", ...program], {
      kubeconfig: side.kubeconfig,
    });
    return await run.end();
  }

  test("names an object that the program rewrites, with field, values and causes", async () => {
    const before = (await side.audit()).length;
    const args = ["loops", "--for", "10s", "--fail-on", "loop", "--", "env", "BUG=endless", ...operator];
    await using run = startProgram(args, { kubeconfig: side.kubeconfig });
    await run.says(/copier begins/);
    await Bun.sleep(500);
    // From here on the copier never stops.
    await send("PUT", "/web", { metadata: { name: "web", labels: { copy: "yes" } }, data: { size: "2" } });
    const { code, stdout, stderr } = await run.end();
    expect(stderr).toContain("writes go to a fork: the cluster is only read");
    expect(stdout).toMatch(/^loop +ConfigMap default\/web-copy: written \d+ times in /m);
    expect(stdout).toMatch(/^ +\.data\.turn 0 ⇄ 1 /m);
    expect(stdout).toMatch(/^ +because ConfigMap web\S* \w+.* \d+ of \d+ times$/m);
    expect(code).toBe(3);
    const ours = (await side.audit())
      .slice(before)
      .filter(({ userAgent = "" }) => userAgent.startsWith("kubectl-reconcile/"));
    const wrote = ours.filter(({ verb, objectRef }) => {
      const isReview = objectRef?.resource?.startsWith("selfsubject") === true;
      return !isReview && !["get", "list", "watch"].includes(verb);
    });
    expect(wrote).toEqual([]);
  }, 60_000);

  test("finds writes without effect, refused writes and repeated reads", async () => {
    const { code, stdout } = await loops(["--for", "60s"], [process.execPath, "-e", restless]);
    expect(stdout).toMatch(
      /^loop +ConfigMap default\/calm: written \d+ times in [\d.]+ s, \d+ a second, and nothing changed: compare before writing$/m,
    );
    expect(stdout).toMatch(
      /^loop +ConfigMap default\/refused: written \d+ times in .*, and refused each time: .*not a key!/m,
    );
    expect(stdout).toMatch(
      /^loop +GET \/api\/v1\/namespaces\/default\/configmaps\/never: read \d+ times by restless, every \d+ ms, with the same response$/m,
    );
    expect(stdout).toMatch(/^ +by restless$/m);
    expect(code).toBe(0);
  }, 60_000);

  test("finds none in a program that comes to rest", async () => {
    const { code, stdout, stderr } = await loops(["--for", "6s", "--fail-on", "loop"], operator);
    expect(stdout + stderr).toMatch(/: no loop in \d+ changes?/);
    expect(code).toBe(0);
  }, 60_000);

  test("cannot tell from a program that ran for less than a loop takes, and names what it rewrote", async () => {
    const burst = `${asks}
      for (let n = 0; n < 20; n++) await ask("PUT", maps + "/calm", { metadata: { name: "calm" }, data: { n: String(n % 2) } });
      process.exit(7);`;
    const program = [process.execPath, "-e", burst];
    const failing = await loops(["--fail-on", "loop"], program);
    expect(failing.stderr).toMatch(/^loop .* for 5 s or longer /m);
    expect(failing.stderr.replaceAll(/\s+/g, " ")).toMatch(
      /; cannot tell: watched for [\d.]+ m?s, a loop shows after 5 s; ConfigMap default\/calm: rewritten \d+ times in [\d.]+ m?s, too short to call it a loop/,
    );
    expect(failing.code).toBe(5);
    const json = await loops(["-o", "json"], program);
    expect(JSON.parse(json.stdout)).toMatchObject({
      verdict: { is: "cannot tell" },
      tooShort: [{ is: "rewritten", key: "default/calm" }],
    });
    expect(json.code).toBe(7);
  }, 60_000);

  test("exits with the program's own code if there is no loop", async () => {
    const quiet = `${asks}
      await ask("GET", maps + "/calm");
      await Bun.sleep(${longEnoughMs});
      process.exit(7);`;
    const { code, stderr } = await loops(["--fail-on", "loop"], [process.execPath, "-e", quiet]);
    expect(stderr).toMatch(/: (no loop in \d+ changes?|nothing was written)$/m);
    expect(code).toBe(7);
  }, 60_000);

  test("reports a program that cannot be started", async () => {
    const { code, stdout, stderr } = await loops([], ["/nonexistent/manager"]);
    expect(stderr).toContain("error: cannot start /nonexistent/manager: there is no such program");
    expect([code, stdout]).toEqual([2, ""]);
  }, 30_000);
});
