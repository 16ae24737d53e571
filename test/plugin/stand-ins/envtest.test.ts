/** The compiled program as kube-apiserver, etcd and kubectl: used as envtest uses the real ones. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { mkdirSync, mkdtempSync, readFileSync, readlinkSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { makeCertificates, opensslMissing, type Certificates } from "../../platform/certificates.ts";
import { binaryFolder, runBinary } from "../../support/binary.ts";
import { assetsIn, freePort, healthy, start, startPlane, type Plane } from "./control-plane.ts";

let folder: string;
let assets: string;
let certificates: Certificates;
/** Shared by the tests that only send requests. */
let plane: Plane;

const whoAmI = "/apis/authentication.k8s.io/v1/selfsubjectreviews";

describe.skipIf(opensslMissing !== undefined)("the assets of envtest", () => {
  beforeAll(async () => {
    await binaryFolder();
    folder = mkdtempSync(join(tmpdir(), "assets-"));
    assets = await assetsIn(join(folder, "bin", "envtest"));
    certificates = makeCertificates();
    plane = await startPlane(assets, certificates);
  });
  afterAll(async () => {
    await plane[Symbol.asyncDispose]();
    rmSync(folder, { recursive: true, force: true });
  });

  test("are a control plane with RBAC, which accepts client certificates", async () => {
    const admin = await plane.send({ path: whoAmI, body: {}, as: certificates.client });
    expect(admin.body.status.userInfo).toMatchObject({
      username: "dev",
      groups: ["system:masters", "system:authenticated"],
    });
    const other = await plane.send({ path: "/api/v1/secrets", as: certificates.client2 });
    expect(other.body).toMatchObject({ code: 403, reason: "Forbidden" });
    expect((await plane.send({ path: "/api/v1/secrets" })).body.message).toContain(
      'User "system:anonymous" cannot list',
    );
  });

  test("contain only what kube-apiserver creates: no ServiceAccount, no ConfigMap of a controller, roles without aggregated rules", async () => {
    const items = async (path: string): Promise<readonly string[]> => {
      const { body } = await plane.send({ path, as: certificates.client });
      return (body.items as { metadata: { name: string } }[]).map(({ metadata }) => metadata.name);
    };
    expect(await items("/api/v1/serviceaccounts")).toEqual([]);
    expect(await items("/api/v1/namespaces/default/configmaps")).toEqual([]);
    expect(await items("/apis/rbac.authorization.k8s.io/v1/clusterroles")).toContain("cluster-admin");
    const [name] = await items("/api/v1/namespaces/default/services");
    expect(name).toBe("kubernetes");
    const pod = { metadata: { name: "bare" }, spec: { containers: [{ name: "c", image: "i" }] } };
    const created = await plane.send({ path: "/api/v1/namespaces/default/pods", body: pod, as: certificates.client });
    expect([created.status, created.body.spec?.serviceAccountName]).toEqual([201, undefined]);
  });

  test("sign tokens with the given keys and issuer", async () => {
    const accounts = "/api/v1/namespaces/default/serviceaccounts";
    const as = certificates.client;
    await plane.send({ path: accounts, body: { metadata: { name: "robot" } }, as });
    const { body } = await plane.send({ path: `${accounts}/robot/token`, body: { spec: {} }, as });
    const token = body.status.token as string;
    const claims = JSON.parse(Buffer.from(token.split(".")[1] ?? "", "base64url").toString());
    expect([claims.iss, claims.aud]).toEqual([`${plane.url}/`, [`${plane.url}/`]]);
    const whom = await plane.send({ path: whoAmI, body: {}, token });
    expect(whom.body.status.userInfo.username).toBe("system:serviceaccount:default:robot");
  });

  test("run side by side, each with a separate state, until SIGTERM ends them", async () => {
    await using other = await startPlane(assets, certificates);
    const body = { metadata: { name: "here" } };
    const as = certificates.client;
    expect((await plane.send({ path: "/api/v1/namespaces", body, as })).status).toBe(201);
    expect((await plane.send({ path: "/api/v1/namespaces/here", as })).status).toBe(200);
    expect((await other.send({ path: "/api/v1/namespaces/here", as })).status).toBe(404);
    const { apiserver, etcd } = await other.stop();
    expect([apiserver.code, etcd.code]).toEqual([0, 0]);
    expect(apiserver.stderr).toBe(
      `kube-apiserver: a sandbox of kubectl reconcile serves ${other.url}, state in memory\n`,
    );
  });

  test("report the flags by which envtest detects the release", async () => {
    const help = (name: string): string => Bun.spawnSync([join(assets, name), "--help"]).stdout.toString();
    expect(help("kube-apiserver")).not.toMatch(/^\s*--insecure-port\b/m);
    expect(help("kube-apiserver")).toMatch(/^\s*--client-ca-file\b/m);
    expect(help("etcd")).toMatch(/^\s*--unsafe-no-fsync\b/m);
  });

  test("write a certificate if there is none, and give users of a token file all permissions without RBAC", async () => {
    const certDir = join(folder, "new-certificates");
    const port = await freePort();
    const users = join(folder, "users.csv");
    writeFileSync(users, 'secret,jo,7,"dev,ops"\n');
    const flags = [`--cert-dir=${certDir}`, `--secure-port=${port}`, `--token-auth-file=${users}`];
    const apiserver = await start(assets, "kube-apiserver", flags);
    const url = `https://localhost:${port}`;
    await healthy(`${url}/healthz`, apiserver, "secret");
    const tls = { ca: readFileSync(join(certDir, "apiserver.crt"), "utf8") };
    const headers = { authorization: "Bearer secret" };
    expect((await fetch(`${url}/api/v1/secrets`, { tls, headers, keepalive: false })).status).toBe(200);
    // Without RBAC every user is allowed everything, so anonymous requests are rejected.
    expect((await fetch(`${url}/healthz`, { tls, keepalive: false })).status).toBe(401);
    expect((await apiserver.stop()).code).toBe(0);
  });

  test("end with one line if the port is in use", async () => {
    const port = new URL(plane.url).port;
    const apiserver = await start(assets, "kube-apiserver", [`--secure-port=${port}`]);
    const { code, stderr } = await apiserver.ended();
    expect(code).toBe(1);
    expect(stderr).toMatch(/^Error: kube-apiserver: cannot serve on 127.0.0.1, port \d+: [^\n]*\n$/);
  });

  test("run the kubectl in PATH, and never themselves", async () => {
    const [real, none] = [join(folder, "real"), join(folder, "none")];
    for (const dir of [real, none]) mkdirSync(dir, { recursive: true });
    writeFileSync(join(real, "kubectl"), '#!/bin/sh\necho "real $*"\nexit 3\n', { mode: 0o755 });
    symlinkSync(join(assets, "kubectl"), join(none, "kubectl"));
    const run = (...path: readonly string[]): { readonly code: number; readonly out: string; readonly err: string } => {
      const env = { PATH: [...path, "/usr/bin", "/bin"].join(":") };
      const command = [join(assets, "kubectl"), "get", "pods"];
      const { exitCode, stdout, stderr } = Bun.spawnSync(command, { env, stderr: "pipe" });
      return { code: exitCode, out: stdout.toString(), err: stderr.toString() };
    };
    expect(run(none, assets, real)).toEqual({ code: 3, out: "real get pods\n", err: "" });
    const missing = Bun.spawnSync([join(assets, "kubectl")], { env: { PATH: `${none}:${assets}` }, stderr: "pipe" });
    expect(missing.exitCode).toBe(1);
    expect(missing.stderr.toString()).toStartWith("Error: kubectl: there is no kubectl on PATH");
  });

  test("replace links, and nothing else", async () => {
    const dir = join(folder, "mixed");
    mkdirSync(dir);
    symlinkSync("/nowhere", join(dir, "kube-apiserver"));
    expect((await runBinary(["sandbox", "--assets", dir])).code).toBe(0);
    expect(readlinkSync(join(dir, "kube-apiserver"))).toBe(join(await binaryFolder(), "kubectl-reconcile"));
    rmSync(join(dir, "etcd"));
    writeFileSync(join(dir, "etcd"), "a real one");
    const refused = await runBinary(["sandbox", "--assets", dir]);
    expect([refused.code, refused.stderr]).toEqual([
      2,
      `error: --assets: ${join(dir, "etcd")} exists and is not a link: it is left alone\ngive another folder, or remove the file\n`,
    ]);
    expect(readFileSync(join(dir, "etcd"), "utf8")).toBe("a real one");
    expect((await runBinary(["sandbox", "--assets", dir, "--rbac"])).stderr).toContain(
      "--assets cannot be combined with other options",
    );
  });
});
