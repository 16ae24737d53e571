/**
 * Starts the stand-ins as envtest starts a control plane: the flags, the health checks, the shutdown.
 * Source: controller-runtime v0.25.2 pkg/internal/testing/controlplane/{etcd,apiserver}.go, process/process.go.
 */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { binaryFolder, runBinary } from "../../support/binary.ts";
import type { Certificates, Pair } from "../../platform/certificates.ts";

/** The folder with the programs, filled by `sandbox --assets`. */
export async function assetsIn(folder: string): Promise<string> {
  const { code, stderr } = await runBinary(["sandbox", "--assets", folder]);
  if (code !== 0) throw new Error(stderr);
  return folder;
}

/** A port of 127.0.0.1 that was free just now. */
export async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  return typeof address === "object" && address !== null ? address.port : 0;
}

export interface JsonResponse {
  readonly status: number;
  // oxlint-disable-next-line typescript/no-explicit-any -- each test reads only fields that it knows to exist
  readonly body: any;
}

export interface RequestParts {
  readonly path: string;
  readonly body?: object;
  readonly as?: Pair;
  readonly token?: string;
}

/** The output and exit code of a program. */
export interface Ended {
  readonly code: number | null;
  readonly stderr: string;
}

/** A started program. */
export interface Running {
  /** Sends SIGTERM and waits until it exits. */
  stop(): Promise<Ended>;
  /** Waits until it exits by itself. */
  ended(): Promise<Ended>;
  /** True until it has exited. */
  readonly isRunning: boolean;
}

export async function start(assets: string, name: string, args: readonly string[]): Promise<Running> {
  await binaryFolder();
  const child = Bun.spawn([join(assets, name), ...args], { stdout: "ignore", stderr: "pipe", env: { PATH: "" } });
  const stderr = new Response(child.stderr).text();
  const ended = async (): Promise<Ended> => ({ code: await child.exited, stderr: await stderr });
  return {
    get isRunning() {
      return child.exitCode === null;
    },
    ended,
    stop: () => {
      child.kill("SIGTERM");
      return ended();
    },
  };
}

/** Polls every 20 ms until the response is 200. @throws Error if the program exits first, or after a minute. */
export async function healthy(url: string, program: Running, token = "none"): Promise<void> {
  const headers = token === "none" ? {} : { authorization: `Bearer ${token}` };
  for (let tries = 0; tries < 3000 && program.isRunning; tries++) {
    const status = await fetch(url, { headers, tls: { rejectUnauthorized: false }, keepalive: false }).then(
      (response) => response.status,
      () => 0,
    );
    if (status === 200) return;
    await Bun.sleep(20);
  }
  throw new Error(`never healthy at ${url}: ${(await program.stop()).stderr}`);
}

/** A running control plane. */
export interface Plane extends AsyncDisposable {
  readonly url: string;
  readonly certDir: string;
  send(request: RequestParts): Promise<JsonResponse>;
  stop(): Promise<{ readonly etcd: Ended; readonly apiserver: Ended }>;
}

/** The flags with which envtest starts kube-apiserver, in its order. */
function apiserverFlags(certDir: string, port: number, etcd: string): readonly string[] {
  return [
    "--allow-privileged=true",
    "--authorization-mode=RBAC",
    "--bind-address=127.0.0.1",
    `--cert-dir=${certDir}`,
    `--client-ca-file=${join(certDir, "client-cert-auth-ca.crt")}`,
    "--disable-admission-plugins=ServiceAccount",
    `--etcd-servers=${etcd}`,
    `--secure-port=${port}`,
    `--service-account-issuer=https://127.0.0.1:${port}/`,
    `--service-account-key-file=${join(certDir, "sa-signer.crt")}`,
    `--service-account-signing-key-file=${join(certDir, "sa-signer.key")}`,
    "--service-cluster-ip-range=10.0.0.0/24",
  ];
}

/** Writes the files that envtest writes, and starts both programs. */
export async function startPlane(assets: string, certificates: Certificates): Promise<Plane> {
  const certDir = mkdtempSync(join(tmpdir(), "k8s_test_framework_"));
  const write = (name: string, text: string): void => writeFileSync(join(certDir, name), text);
  write("apiserver.crt", certificates.server.cert);
  write("apiserver.key", certificates.server.key);
  write("sa-signer.crt", certificates.other.cert);
  write("sa-signer.key", certificates.other.key);
  write("client-cert-auth-ca.crt", certificates.ca);
  const [etcdPort, peerPort, port] = [await freePort(), await freePort(), await freePort()];
  const etcdUrl = `http://127.0.0.1:${etcdPort}`;
  const etcd = await start(assets, "etcd", [
    `--advertise-client-urls=${etcdUrl}`,
    `--data-dir=${join(certDir, "etcd")}`,
    `--listen-client-urls=${etcdUrl}`,
    `--listen-peer-urls=http://127.0.0.1:${peerPort}`,
    "--unsafe-no-fsync=true",
  ]);
  await healthy(`${etcdUrl}/health`, etcd);
  const apiserver = await start(assets, "kube-apiserver", apiserverFlags(certDir, port, etcdUrl));
  const url = `https://127.0.0.1:${port}`;
  await healthy(`${url}/healthz`, apiserver);
  return {
    url,
    certDir,
    async send({ path, body, as, token }) {
      const response = await fetch(`${url}${path}`, {
        method: body === undefined ? "GET" : "POST",
        headers: {
          "content-type": "application/json",
          ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
        },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
        tls: { ca: certificates.ca, ...as },
        keepalive: false,
      });
      return { status: response.status, body: await response.json() };
    },
    stop: async () => ({ apiserver: await apiserver.stop(), etcd: await etcd.stop() }),
    async [Symbol.asyncDispose]() {
      await Promise.all([apiserver.stop(), etcd.stop()]);
      rmSync(certDir, { recursive: true, force: true });
    },
  };
}
