/**
 * `kubectl reconcile sandbox` signs certificate requests of openssl that kubectl approves, and accepts the certificates as credentials; it
 * fills Secrets with tokens, and accepts these while they exist.
 */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { controlPlaneBinary } from "../../scripts/control-plane.ts";
import { opensslMissing } from "../platform/certificates.ts";
import { type ProgramRun, runProgram as runToItsEnd } from "../support/program.ts";
import { type Program, runProgram, startProgram } from "./support/program.ts";

const missing = opensslMissing ?? (controlPlaneBinary("kubectl") === undefined ? "there is no kubectl" : undefined);

describe.skipIf(missing !== undefined)("a sandbox with its keys", () => {
  const folder = mkdtempSync(join(tmpdir(), "sandbox-keys-"));
  const file = (name: string): string => join(folder, name);
  const kubeconfig = file("kubeconfig");
  let program: Program;

  async function start(): Promise<void> {
    const state = ["--load", file("state"), "--save", file("state")];
    program = startProgram(["sandbox", "--rbac", "--nodes", "0", "--write-kubeconfig", kubeconfig, ...state]);
    await program.says(/^ready after/m);
  }
  async function stop(): Promise<void> {
    program.signal("SIGINT");
    await program.end();
  }
  beforeAll(start);
  afterAll(async () => {
    await stop();
    rmSync(folder, { recursive: true });
  });

  const run = (
    command: readonly string[],
    stdin?: string,
    env: Readonly<Record<string, string>> = {},
  ): Promise<ProgramRun> =>
    runToItsEnd(command, {
      timeoutMs: 60_000,
      cwd: folder,
      env: { PATH: process.env["PATH"], HOME: folder, KUBECONFIG: kubeconfig, ...env },
      ...(stdin !== undefined && { stdin }),
    });
  async function kubectl(line: string, stdin?: string): Promise<string> {
    const { stdout, stderr, code } = await run([controlPlaneBinary("kubectl") ?? "", ...line.split(" ")], stdin);
    return code === 0 ? stdout : `exit code ${code}: ${stderr}`;
  }
  async function openssl(line: string): Promise<string> {
    const { stdout, stderr, code } = await run(["openssl", ...line.split(" ")]);
    if (code !== 0) throw new Error(`openssl ${line}: ${stderr}`);
    return stdout;
  }
  const server = async (): Promise<string> => await kubectl("config view -o jsonpath={.clusters[0].cluster.server}");

  /** As in the Kubernetes documentation. */
  async function certificateFor(name: string, subject: string, spec: string): Promise<void> {
    await openssl(
      `req -new -newkey rsa:2048 -nodes -keyout ${name}.key -out ${name}.csr -subj ${subject} -addext subjectAltName=DNS:${name}`,
    );
    const request = Buffer.from(readFileSync(file(`${name}.csr`))).toString("base64");
    const object = `
apiVersion: certificates.k8s.io/v1
kind: CertificateSigningRequest
metadata: {name: ${name}}
spec: {request: ${request}, ${spec}}
`;
    expect(await kubectl("create -f -", object)).toContain("created");
    expect(await kubectl(`certificate approve ${name}`)).toContain("approved");
    expect(await kubectl(`wait csr/${name} --for=jsonpath={.status.certificate} --timeout=30s`)).toContain(
      "condition met",
    );
    const certificate = await kubectl(`get csr ${name} -o jsonpath={.status.certificate}`);
    writeFileSync(file(`${name}.crt`), Buffer.from(certificate, "base64"));
    const ca = await kubectl("config view --raw -o jsonpath={.clusters[0].cluster.certificate-authority-data}");
    writeFileSync(file("ca.crt"), Buffer.from(ca, "base64"));
  }

  /** Runs kubectl with only a certificate. */
  async function as(name: string, line: string): Promise<string> {
    const login = `--server=${await server()} --certificate-authority=ca.crt --client-certificate=${name}.crt --client-key=${name}.key`;
    const words = [controlPlaneBinary("kubectl") ?? "", ...line.split(" "), ...login.split(" ")];
    const { stdout, stderr, code } = await run(words, undefined, { KUBECONFIG: file("none") });
    return code === 0 ? stdout : `exit code ${code}: ${stderr}`;
  }

  test("signs for a client, whose user is that of the certificate", async () => {
    await certificateFor(
      "jane",
      "/CN=jane/O=dev/O=ops",
      "signerName: kubernetes.io/kube-apiserver-client, expirationSeconds: 86400, usages: [client auth]",
    );
    expect(await openssl("verify -CAfile ca.crt -purpose sslclient jane.crt")).toBe("jane.crt: OK\n");
    const text = await openssl("x509 -in jane.crt -noout -text");
    expect(text).toContain("TLS Web Client Authentication");
    expect(text).toContain("DNS:jane");
    const who = await as("jane", "auth whoami");
    expect(who).toMatch(/^Username +jane$/m);
    expect(who).toMatch(/^Groups +\[dev ops system:authenticated\]$/m);
    expect(await as("jane", "get pods")).toContain('User "jane" cannot list resource "pods"');
    await kubectl("create rolebinding dev --clusterrole=view --group=dev");
    expect(await as("jane", "get pods -o name")).toBe("");
  });

  test("signs for a kubelet's server, with a certificate that is not a credential", async () => {
    await certificateFor(
      "east",
      "/CN=system:node:east/O=system:nodes",
      "signerName: kubernetes.io/kubelet-serving, usages: [server auth, digital signature, key encipherment]",
    );
    expect(await openssl("verify -CAfile ca.crt -purpose sslserver -verify_hostname east east.crt")).toBe(
      "east.crt: OK\n",
    );
    expect(await as("east", "get pods")).toContain("You must be logged in to the server (Unauthorized)");
  });

  test("accepts certificates and tokens of the previous sandbox, with its state and its kubeconfig", async () => {
    const secret = `
apiVersion: v1
kind: Secret
metadata: {name: robot, annotations: {kubernetes.io/service-account.name: robot}}
type: kubernetes.io/service-account-token
`;
    await kubectl("create sa robot");
    await kubectl("create -f -", secret);
    await kubectl("wait secret/robot --for=jsonpath={.data.token} --timeout=30s");
    const token = Buffer.from(await kubectl("get secret robot -o jsonpath={.data.token}"), "base64").toString();
    const ca = Buffer.from(await kubectl(`get secret robot -o jsonpath={.data['ca\\.crt']}`), "base64").toString();
    const robot = /^Username +system:serviceaccount:default:robot$/m;
    expect(await kubectl(`auth whoami --token=${token}`)).toMatch(robot);
    const day = new Date().toISOString().slice(0, 10);
    expect(await kubectl("get secret robot -o jsonpath={.metadata.labels}")).toBe(
      `{"kubernetes.io/legacy-token-last-used":"${day}"}`,
    );

    await stop();
    await start();
    expect(await as("jane", "auth whoami")).toMatch(/^Username +jane$/m);
    expect(await kubectl(`auth whoami --token=${token}`)).toMatch(robot);
    expect(readFileSync(file("ca.crt"), "utf8")).toBe(ca);
    await certificateFor("joe", "/CN=joe", "signerName: kubernetes.io/kube-apiserver-client, usages: [client auth]");
    expect(await openssl("verify -CAfile ca.crt jane.crt joe.crt")).toBe("jane.crt: OK\njoe.crt: OK\n");

    await kubectl("delete secret robot");
    expect(await kubectl(`auth whoami --token=${token}`)).toContain("Unauthorized");
    await kubectl("create -f -", secret);
    await kubectl("wait secret/robot --for=jsonpath={.data.token} --timeout=30s");
    expect(await kubectl(`auth whoami --token=${token}`)).toContain("Unauthorized");
    await kubectl("delete sa robot");
    await kubectl("wait secret/robot --for=delete --timeout=30s");
    expect(await kubectl("get secret robot")).toContain("NotFound");
  });

  test("prints no token and no key", () => {
    const output = program.stdout + program.stderr;
    expect(output).toContain("it lacks ca.crt, namespace, token of ServiceAccount robot → write them");
    expect(output).not.toMatch(/eyJ|BEGIN|LS0tL/);
  });

  for (const [command, ...words] of [
    ["run", "certificatesigningrequest-signing", "-A"],
    ["trace", "serviceaccount-token"],
  ] as const) {
    test(`${command} on a cluster without accessible keys refuses`, async () => {
      const { code, stderr, stdout } = await runProgram([command, ...words], { kubeconfig });
      expect({ code, stdout, line: stderr.split("\n")[0] }).toEqual({
        code: 2,
        stdout: "",
        line: `error: ${words[0]} needs the private keys of the cluster, which are available only in a sandbox`,
      });
    });
  }

  test("run --sandbox has its own keys", async () => {
    const manifest = file("robot.yaml");
    writeFileSync(
      manifest,
      `
apiVersion: v1
kind: ServiceAccount
metadata: {name: robot}
---
apiVersion: v1
kind: Secret
metadata: {name: robot, annotations: {kubernetes.io/service-account.name: robot}}
type: kubernetes.io/service-account-token
`,
    );
    const { code, stdout } = await runProgram([
      "run",
      "serviceaccount-token",
      "--sandbox",
      "--once",
      "-A",
      "-f",
      manifest,
    ]);
    expect(stdout).toContain("it lacks namespace, token of ServiceAccount robot → write them");
    expect(code).toBe(0);
  });
});
