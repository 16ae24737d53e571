/**
 * A real control plane for a test: etcd and kube-apiserver on loopback; on request also kube-controller-manager, kube-scheduler and
 * simulated nodes (kwok). It ends with the test's process, however that ends: scripts/control-plane/up.sh runs in the foreground and stops
 * everything when its standard input is closed.
 */
import { existsSync, mkdtempSync, openSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  clusterBinaries,
  controllerBinaries,
  controlPlaneBinary,
  controlPlaneFolder,
  controlPlaneScripts,
  missingFor,
} from "../../scripts/control-plane.ts";
import { isAlive } from "../../src/platform/process.ts";
import { auditLog, type AuditEvent } from "./audit-log.ts";
import { stateIn } from "./process-state.ts";
import { type ProgramRun, runProgram } from "./program.ts";

/** Why no cluster can be started here, or undefined: `describe.skipIf(clusterMissing !== undefined)(…)`. */
export const clusterMissing: string | undefined = missingFor(clusterBinaries);
/** The same for a cluster with `controllers`. */
export const controllersMissing: string | undefined = missingFor([...clusterBinaries, ...controllerBinaries]);

export interface ClusterOptions {
  /** The value of kube-controller-manager's `--controllers`: `*`, `replicaset-controller`. `none`: its other processes without it. */
  readonly controllers?: string;
  /** With `controllers`: the number of simulated nodes, three by default; 0 starts no kwok. */
  readonly nodes?: number;
  /** With `controllers`: whether kube-scheduler runs, by default yes. */
  readonly scheduler?: boolean;
  /** Writes an audit log. */
  readonly audit?: boolean;
  readonly apiServerFlags?: readonly string[];
  readonly kcmFlags?: readonly string[];
  readonly schedulerFlags?: readonly string[];
}

/** The processes of a cluster, named as in DIR/pids. */
export type ClusterProcess = "etcd" | "kube-apiserver" | "kube-controller-manager" | "kube-scheduler" | "kwok";

export interface ClusterResponse {
  readonly status: number;
  /** Parsed if it is JSON, otherwise text. */
  // oxlint-disable-next-line typescript/no-explicit-any -- each test reads only fields that it knows to exist
  readonly body: any;
}

export interface Cluster {
  /** Path of the admin's kubeconfig, with a bearer token. */
  readonly kubeconfig: string;
  /** The same with a client certificate. */
  readonly certKubeconfig: string;
  /** `https://127.0.0.1:PORT`. */
  readonly url: string;
  readonly port: number;
  /** All files of the cluster: certificates (`ca.crt`, `ca.key`, `admin.crt`, `admin.key`), logs (`NAME.log`), `audit.log`. */
  readonly dir: string;
  readonly token: string;
  /** The certificate authority in PEM. */
  readonly ca: string;
  /** Runs kubectl as admin, for three minutes at most. */
  kubectl(args: readonly string[], stdin?: string): Promise<ProgramRun>;
  /** Sends one request as admin, without the 50 ms that kubectl takes to start; the path includes the query. */
  request(
    method: string,
    path: string,
    body?: unknown,
    headers?: Readonly<Record<string, string>>,
  ): Promise<ClusterResponse>;
  /** Creates a namespace and its default ServiceAccount, so that pods can be created in it. */
  createNamespace(name: string): Promise<void>;
  /** All audit events so far; empty without `audit`. */
  audit(): Promise<readonly AuditEvent[]>;
  /** Kills a process with SIGKILL. */
  kill(name: ClusterProcess): Promise<void>;
  /** Restarts a killed process; for kube-apiserver it waits until it is ready, and restarts kwok, too. */
  start(name: ClusterProcess): Promise<void>;
  /** Kills kube-apiserver, so that its connections break. */
  killApiServer(): Promise<void>;
  /** Kills kube-apiserver and restarts it on the same port; waits until it is ready. */
  restartApiServer(): Promise<void>;
  /** Suspends a process (SIGSTOP) and waits until it is suspended: its connections then stay open and silent. */
  stopProcess(name: ClusterProcess): Promise<void>;
  /** Resumes a suspended process (SIGCONT). */
  continueProcess(name: ClusterProcess): void;
  /** Stops all processes and removes the files. */
  stop(): Promise<void>;
}

/**
 * Starts a cluster on free ports. It is ready in 3 to 4 s, with controllers a second later.
 * @throws Error with the last lines of the logs if it does not become ready.
 */
export async function startCluster(options: ClusterOptions = {}): Promise<Cluster> {
  const missing = options.controllers === undefined ? clusterMissing : controllersMissing;
  if (missing !== undefined) throw new Error(`Cannot start a cluster: ${missing}`);
  for (let attempt = 1; ; attempt++) {
    try {
      return await startOnce(options);
    } catch (error) {
      // Another process may have taken a port after it was found free.
      if (attempt === 3 || !/address already in use/.test(String(error))) throw error;
    }
  }
}

async function startOnce(options: ClusterOptions): Promise<Cluster> {
  const port = await freePorts(5);
  const dir = mkdtempSync(join(tmpdir(), "cluster-"));
  const up = spawnUp(dir, port, options);
  if (!(await saysReady(up.stdout))) {
    await up.exited;
    const log = readFileSync(join(dir, "up.log"), "utf8");
    rmSync(dir, { recursive: true, force: true });
    throw new Error(`Cannot start a cluster on port ${port}: ${log}`);
  }
  return clusterIn(dir, port, async () => {
    await up.stdin.end();
    await up.exited;
  });
}

function spawnUp(dir: string, port: number, options: ClusterOptions): Bun.Subprocess<"pipe", "pipe", number> {
  const script = join(controlPlaneScripts, "up.sh");
  const binaries = controlPlaneBinary("kube-controller-manager") === undefined ? dir : controlPlaneFolder();
  return Bun.spawn(["bash", script, binaries, dir, String(port), options.controllers ?? ""], {
    // A separate session: Ctrl-C reaches only the test, which ends the cluster by closing its standard input.
    detached: true,
    stdin: "pipe",
    stdout: "pipe",
    stderr: openSync(join(dir, "up.log"), "w"),
    env: {
      ...process.env,
      FOREGROUND: "1",
      AUDIT: options.audit === true ? "1" : "",
      NODES: String(options.nodes ?? 3),
      SCHEDULER: options.scheduler === false ? "no" : "yes",
      APISERVER_FLAGS: (options.apiServerFlags ?? []).join(" "),
      KCM_FLAGS: (options.kcmFlags ?? []).join(" "),
      SCHEDULER_FLAGS: (options.schedulerFlags ?? []).join(" "),
    },
  });
}

async function saysReady(stdout: ReadableStream<Uint8Array>): Promise<boolean> {
  const decoder = new TextDecoder();
  let text = "";
  for await (const chunk of stdout) {
    text += decoder.decode(chunk, { stream: true });
    if (text.includes("ready:")) return true;
  }
  return false;
}

function clusterIn(dir: string, port: number, stop: () => Promise<void>): Cluster {
  const log = auditLog(join(dir, "audit.log"));
  const kubeconfig = join(dir, "kubeconfig");
  const url = `https://127.0.0.1:${port}`;
  const ca = readFileSync(join(dir, "ca.crt"), "utf8");
  const token = readFileSync(join(dir, "token"), "utf8").trim();
  const request = requester(url, token, ca);
  const processes = processesOf(dir, request);
  return {
    kubeconfig,
    certKubeconfig: join(dir, "kubeconfig-cert"),
    url,
    port,
    dir,
    token,
    ca,
    kubectl: (args, stdin) => runKubectl(kubeconfig, args, stdin),
    request,
    createNamespace: (name) => createNamespace(request, name),
    audit: () => log.read(),
    ...processes,
    killApiServer: () => processes.kill("kube-apiserver"),
    async restartApiServer() {
      await processes.kill("kube-apiserver");
      await processes.start("kube-apiserver");
    },
    stop,
  };
}

/** Returns the first of `count` consecutive free ports, below the range of ephemeral ports. */
export async function freePorts(count: number): Promise<number> {
  for (let attempt = 0; attempt < 100; attempt++) {
    const first = 20_000 + Math.floor(Math.random() * 2_500) * 5;
    const free = await Promise.all(Array.from({ length: count }, (_, index) => isFree(first + index)));
    if (free.every(Boolean)) return first;
  }
  throw new Error(`Cannot find ${count} free ports in a row between 20000 and 32500`);
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once("error", () => resolve(false));
    server.listen(port, "127.0.0.1", () => server.close(() => resolve(true)));
  });
}

function runKubectl(kubeconfig: string, args: readonly string[], stdin?: string): Promise<ProgramRun> {
  const command = [controlPlaneBinary("kubectl") ?? "kubectl", "--kubeconfig", kubeconfig, ...args];
  return runProgram(command, { timeoutMs: 180_000, ...(stdin !== undefined && { stdin }) });
}

/** Admin requests to any API server that accepts a bearer token, such as a sandbox over HTTPS. */
export function adminOf(server: {
  readonly url: string;
  readonly token: string;
  readonly ca: string;
}): Pick<Cluster, "request" | "createNamespace"> {
  const request = requester(server.url, server.token, server.ca);
  return { request, createNamespace: (name) => createNamespace(request, name) };
}

/** Sends requests to the API server at `url`, with a bearer token. */
export function requester(url: string, token: string, ca: string): Cluster["request"] {
  const send = (
    kept: boolean,
    ...[method, path, body, headers = {}]: Parameters<Cluster["request"]>
  ): Promise<Response> =>
    fetch(url + path, {
      method,
      keepalive: kept,
      tls: { ca },
      headers: {
        authorization: `Bearer ${token}`,
        accept: "application/json",
        ...(body !== undefined && { "content-type": "application/json" }),
        ...headers,
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
      signal: AbortSignal.timeout(180_000),
    });
  return async (method, ...rest) => {
    // The server may close a kept connection just as it is reused; Go's client repeats such requests, too. Bun does not report whether the
    // server had read a write, but a live server closes only idle connections.
    const response = await send(true, method, ...rest).catch(async (error: unknown) => {
      if ((error as { readonly code?: string }).code !== "ECONNRESET") throw error;
      if (method !== "GET") await send(false, "GET", "/livez").catch(() => Promise.reject(error));
      return send(false, method, ...rest);
    });
    const text = await response.text();
    const isJson = response.headers.get("content-type")?.startsWith("application/json") === true;
    return { status: response.status, body: isJson ? (JSON.parse(text) as unknown) : text };
  };
}

async function createNamespace(request: Cluster["request"], name: string): Promise<void> {
  const made = await request("POST", "/api/v1/namespaces", { metadata: { name } });
  if (made.status !== 201) throw new Error(`Cannot create namespace ${name}: ${JSON.stringify(made.body)}`);
  const account = await request("POST", `/api/v1/namespaces/${name}/serviceaccounts`, {
    metadata: { name: "default" },
  });
  // If all of kube-controller-manager's controllers run, its serviceaccount controller may have been first.
  if (account.status !== 201 && account.status !== 409) {
    throw new Error(`Cannot create the ServiceAccount of ${name}: ${JSON.stringify(account.body)}`);
  }
}

function processesOf(
  dir: string,
  request: Cluster["request"],
): Pick<Cluster, "kill" | "start" | "stopProcess" | "continueProcess"> {
  const script = async (...command: string[]): Promise<void> => {
    const run = Bun.spawn(["bash", ...command], { stdin: "ignore", stdout: "ignore", stderr: "pipe" });
    const stderr = await new Response(run.stderr).text();
    if ((await run.exited) !== 0) throw new Error(stderr);
  };
  const kill = async (name: ClusterProcess): Promise<void> => {
    const pid = pidOf(dir, name);
    process.kill(pid, "SIGKILL");
    for (let tries = 0; isAlive(pid) && tries < 500; tries++) await Bun.sleep(10);
  };
  const start = async (name: ClusterProcess): Promise<void> => {
    // A new kwok would wait until the Leases of the last one have expired.
    if (name === "kwok") await request("DELETE", "/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases");
    await script(join(controlPlaneScripts, "start.sh"), dir, name);
    if (name !== "kube-apiserver") return;
    await script(join(controlPlaneScripts, "wait-ready.sh"), dir);
    // kwok never repeats a write that the killed server left without a response: such a pod would never become ready, or never be removed.
    if (!runs(dir, "kwok")) return;
    await kill("kwok");
    await start("kwok");
  };
  return {
    kill,
    start,
    async stopProcess(name) {
      const pid = pidOf(dir, name);
      process.kill(pid, "SIGSTOP");
      for (let tries = 0; !standsStill(pid); tries++) {
        if (tries === 1000) throw new Error(`${name} does not stand still after 10 s`);
        await Bun.sleep(10);
      }
    },
    continueProcess: (name) => void process.kill(pidOf(dir, name), "SIGCONT"),
  };
}

/** The process's line in DIR/pids, if it was started in this cluster. */
function lineOf(dir: string, name: ClusterProcess): string | undefined {
  const lines = readFileSync(join(dir, "pids"), "utf8").trim().split("\n");
  return lines.find((line) => line.endsWith(` ${name}`));
}

function runs(dir: string, name: ClusterProcess): boolean {
  return lineOf(dir, name) !== undefined;
}

function pidOf(dir: string, name: ClusterProcess): number {
  const line = lineOf(dir, name);
  if (line === undefined) throw new Error(`${name} does not run in this cluster`);
  return Number(line.split(" ")[0]);
}

/**
 * Whether all threads are stopped. One thread takes the signal, and on a busy machine the others may continue to serve requests for a
 * while. Without /proc this cannot be checked, and the result is true.
 */
function standsStill(pid: number): boolean {
  const threads = `/proc/${pid}/task`;
  if (!existsSync(threads)) return true;
  return readdirSync(threads).every((thread) => {
    try {
      return stateIn(join(threads, thread, "stat")) === "T";
    } catch {
      // This thread has ended, so others may still run.
      return false;
    }
  });
}
