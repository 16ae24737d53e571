/**
 * Programs after `run --` that are killed, lose their server or their watches, or leak them: what is reported, what the API server
 * received, and that nothing is left behind.
 */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { mkdirSync, readdirSync } from "node:fs";
import { connect } from "node:net";
import { join } from "node:path";
import { isAlive } from "../../src/platform/process.ts";
import { type Cluster, clusterMissing, startCluster } from "../support/cluster.ts";
import { kubeconfigThrough } from "../support/fault-proxy.ts";
import { type HttpFaultProxy, startHttpFaultProxy } from "../support/http-fault-proxy.ts";
import { type Program, startProgram } from "./support/program.ts";

const maps = "/api/v1/namespaces/default/configmaps";
const operator = ["env", "LASTS=1", process.execPath, join(import.meta.dir, "support", "small-operator.ts")] as const;

/** Code of a program that reads its API server's address and credentials from its kubeconfig. */
const preface = `
  const config = await Bun.file(process.env.KUBECONFIG).text();
  const found = (field) => new RegExp(field + ": (\\\\S+)").exec(config)[1];
  const url = found("server") + "${maps}";
  const headers = { authorization: "Bearer " + found("token"), "user-agent": "faulty/1", "content-type": "application/json" };
  const tls = { ca: atob(found("certificate-authority-data")) };
  console.log("server " + found("server"));`;
const creates = `${preface}
  console.log("creating");
  await fetch(url, { method: "POST", headers, tls, body: JSON.stringify({ metadata: { name: "slow" } }) });
  console.log("created");`;

/** Opens watches and never closes them. */
function leaks(count: number): string {
  return `${preface}
  const { Agent, request } = require("node:https");
  const agent = new Agent({ maxSockets: Infinity, ...tls });
  const open = () => new Promise((resolve, reject) => {
    const watch = request(url + "?watch=1", { agent, headers }, (response) => resolve(response.on("data", () => undefined).statusCode));
    watch.on("error", reject).end();
  });
  let opened = 0;
  for (let n = 0; n < ${count}; n += 50)
    opened += (await Promise.all(Array.from({ length: 50 }, open))).filter((status) => status === 200).length;
  console.log("opened " + opened);
  await Bun.sleep(300_000);`;
}

interface Line {
  readonly stage: string;
  readonly verb?: string;
  readonly key?: string;
  readonly status?: number;
  readonly auditId?: string;
  readonly error?: string;
}

describe.skipIf(clusterMissing !== undefined)("a program after run --, under faults", () => {
  let cluster: Cluster;
  let proxy: HttpFaultProxy;
  let kubeconfig: string;
  let runs = 0;
  beforeAll(async () => {
    cluster = await startCluster({ audit: true });
    proxy = await startHttpFaultProxy(cluster);
    kubeconfig = kubeconfigThrough(cluster, proxy.url);
  }, 120_000);
  afterAll(async () => {
    await proxy.stop();
    await cluster.stop();
  });

  interface Run {
    readonly program: Program;
    /** Folder for its temporary files. */
    readonly temporary: string;
  }

  function start(words: readonly string[], command: readonly string[]): Run {
    const temporary = join(cluster.dir, `tmp-${++runs}`);
    mkdirSync(temporary);
    const program = startProgram(["run", ...words, "--", ...command], {
      kubeconfig,
      through: `TMPDIR=${temporary} exec "$@"`,
    });
    return { program, temporary };
  }

  /** The process id in its output. */
  function childOf({ stderr, stdout }: Program): number {
    return Number(/ as process (\d+)/.exec(stderr + stdout)?.[1]);
  }

  async function isOpen(server: string): Promise<boolean> {
    const { hostname, port } = new URL(server);
    return new Promise((resolve) => {
      const socket = connect({ host: hostname, port: Number(port) }, () => {
        socket.destroy();
        resolve(true);
      });
      socket.on("error", () => resolve(false));
    });
  }

  /** No process, no kubeconfig and no open port is left. */
  async function expectNothingLeft({ program, temporary }: Run): Promise<void> {
    expect(isAlive(childOf(program))).toBe(false);
    expect(readdirSync(temporary)).toEqual([]);
    const server = /\| server (https:\S+)/.exec(program.stderr)?.[1];
    if (server !== undefined) expect(await isOpen(server)).toBe(false);
  }

  const linesOf = (stdout: string): readonly Line[] =>
    stdout.split("\n").flatMap((line) => (line.startsWith("{") ? [JSON.parse(line) as Line] : []));

  test("is killed in the middle of a write: its exit code, and the write as received by the server", async () => {
    const isCreate = ({ method, path }: { readonly method: string; readonly path: string }): boolean =>
      method === "POST" && path === maps;
    const slow = proxy.inject({ match: isCreate, fault: { is: "delay", ms: 1500 } });
    const run = start(["-o", "json"], [process.execPath, "-e", creates]);
    await using program = run.program;
    await program.says(/\| creating/);
    expect(readdirSync(run.temporary).length).toBe(1);
    await Bun.sleep(500);
    process.kill(childOf(program), "SIGKILL");
    const { stdout, stderr, code } = await program.end();
    slow.remove();
    expect(code).toBe(137);
    expect(stderr).toMatch(/ exited with code 137 after /);
    expect(stderr).not.toMatch(/^\| created$/m);
    await Bun.sleep(1500);
    const logged = (await cluster.audit()).filter(
      ({ verb, userAgent }) => verb === "create" && userAgent === "faulty/1",
    );
    const reported = linesOf(stdout).filter(({ stage }) => stage === "write");
    // Whether the server received it depends on when the connection broke: the report must not claim more than is known.
    expect(reported.map(({ verb }) => verb)).toEqual(["create"]);
    const [{ status, error } = {}] = reported;
    if (status === 201) expect(logged.length).toBe(1);
    else expect({ status, says: error !== undefined }).toEqual({ status: 0, says: true });
    await expectNothingLeft(run);
  }, 60_000);

  test("loses the API server and gets it back: the program continues, and broken watches are reported", async () => {
    const run = start([], operator);
    await using program = run.program;
    await program.says(/watching ConfigMap/);
    await cluster.restartApiServer();
    await program.says(/watch of ConfigMap broke: |listed ConfigMap again/);
    const made = await cluster.request("POST", maps, { metadata: { name: "after", labels: { copy: "yes" } } });
    expect(made.status).toBe(201);
    await program.says(/\+ ConfigMap after-copy {2}POST 201/);
    program.signal("SIGINT");
    const { code } = await program.end();
    expect(code).toBe(0);
    await expectNothingLeft(run);
  }, 120_000);

  test("has its watches cut repeatedly: they are counted, with the lists that followed", async () => {
    const run = start([], operator);
    await using program = run.program;
    await program.says(/watching ConfigMap/);
    for (let cut = 0; cut < 4; cut++) {
      proxy.breakConnections();
      await Bun.sleep(500);
    }
    const made = await cluster.request("POST", maps, { metadata: { name: "cut", labels: { copy: "yes" } } });
    expect(made.status).toBe(201);
    await program.says(/\+ ConfigMap cut-copy {2}POST 201/);
    program.signal("SIGINT");
    const { code, stdout } = await program.end();
    expect(code).toBe(0);
    expect(stdout).toMatch(/^watches that ended early, and lists that followed\n {2}ConfigMap: /m);
    await expectNothingLeft(run);
  }, 120_000);

  test("leaks more than a thousand watches: reported as they grow, and gone with the program", async () => {
    const run = start([], [process.execPath, "-e", leaks(1050)]);
    await using program = run.program;
    // Each takes two handshakes: a busy machine needs most of a minute for a thousand.
    await program.says(/^\S+ 100 watches of ConfigMap are open at once$/m);
    await program.says(/^\S+ 1,000 watches of ConfigMap are open at once$/m, 120_000);
    await program.says(/\| opened 1050/);
    process.kill(childOf(program), "SIGKILL");
    const { code, stdout } = await program.end();
    expect(code).toBe(137);
    expect(stdout).toMatch(/^watches open at once\n {2}ConfigMap: up to 1,050 by faulty\/1; one for each kind/m);
    await expectNothingLeft(run);
    await cluster.restartApiServer();
  }, 240_000);
});
