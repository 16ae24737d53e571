import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { effectsOf } from "./audit-log.ts";
import { type Cluster, clusterMissing, controllersMissing, startCluster } from "./cluster.ts";

describe.skipIf(clusterMissing !== undefined)("a cluster of etcd and kube-apiserver", () => {
  let cluster: Cluster;
  beforeAll(async () => {
    cluster = await startCluster({ audit: true });
  });
  afterAll(() => cluster.stop());

  test("accepts an admin by token and by client certificate", async () => {
    const byToken = await cluster.kubectl(["auth", "whoami", "-o", "jsonpath={.status.userInfo.username}"]);
    expect(byToken).toEqual({ stdout: "admin", stderr: "", code: 0 });
    const byCertificate = await cluster.kubectl([
      `--kubeconfig=${cluster.certKubeconfig}`,
      "auth",
      "whoami",
      "-o",
      "jsonpath={.status.userInfo.username}",
    ]);
    expect(byCertificate.stdout).toBe("admin-by-certificate");
  });

  test("accepts pods in default and in a new namespace, and has them in its audit log", async () => {
    await cluster.createNamespace("shop");
    const pod = { metadata: { generateName: "web-" }, spec: { containers: [{ name: "c", image: "i" }] } };
    const made = await cluster.request("POST", "/api/v1/namespaces/default/pods", pod);
    const other = await cluster.request("POST", "/api/v1/namespaces/shop/pods", pod);
    expect([made.status, other.status]).toEqual([201, 201]);
    const effects = effectsOf(await cluster.audit()).filter(({ resource }) => resource === "pods");
    expect(effects).toMatchObject([
      { verb: "create", namespace: "default", name: made.body.metadata.name, code: 201, request: pod, user: "admin" },
      { verb: "create", namespace: "shop", name: other.body.metadata.name, code: 201 },
    ]);
  });

  test("keeps its objects and its port when kube-apiserver is killed and restarted", async () => {
    await cluster.kubectl(["create", "configmap", "kept"]);
    await cluster.killApiServer();
    const refused = await cluster.request("GET", "/readyz").catch((error: unknown) => error);
    expect(refused).toBeInstanceOf(Error);
    await cluster.start("kube-apiserver");
    expect((await cluster.request("GET", "/api/v1/namespaces/default/configmaps/kept")).status).toBe(200);
  });

  test("is silent, not gone, while kube-apiserver is suspended", async () => {
    await cluster.stopProcess("kube-apiserver");
    const waiting = cluster.request("GET", "/readyz");
    expect(await Promise.race([waiting, Bun.sleep(300).then(() => "silence")])).toBe("silence");
    cluster.continueProcess("kube-apiserver");
    expect((await waiting).status).toBe(200);
  });
});

describe.skipIf(controllersMissing !== undefined)("a cluster with controllers", () => {
  test("runs the requested controllers, starts pods on its nodes, and leaves nothing behind", async () => {
    const cluster = await startCluster({ controllers: "replicaset-controller", nodes: 1 });
    try {
      const template = {
        metadata: { labels: { app: "web" } },
        spec: { containers: [{ name: "c", image: "i" }] },
      };
      await cluster.request("POST", "/apis/apps/v1/namespaces/default/replicasets", {
        metadata: { name: "web" },
        spec: { replicas: 2, selector: { matchLabels: { app: "web" } }, template },
      });
      const waited = await cluster.kubectl(["wait", "--for=jsonpath={.status.readyReplicas}=2", "rs/web"]);
      expect(waited).toMatchObject({ code: 0, stderr: "" });
    } finally {
      await cluster.stop();
    }
    expect(existsSync(cluster.dir)).toBe(false);
    const gone = await cluster.request("GET", "/readyz").catch((error: unknown) => error);
    expect(gone).toBeInstanceOf(Error);
  });

  test("ends with the process that started it, even if that was killed", async () => {
    const program = `
      import { startCluster } from ${JSON.stringify(join(import.meta.dir, "cluster.ts"))};
      const { url, dir } = await startCluster();
    console.log(url, dir);
      setInterval(() => {}, 1000);`;
    const starter = Bun.spawn([process.execPath, "-e", program], { stdout: "pipe", stderr: "inherit" });
    const { value } = await starter.stdout.getReader().read();
    const [url = "", dir = ""] = new TextDecoder().decode(value).trim().split(" ");
    expect(url).toStartWith("https://127.0.0.1:");
    starter.kill("SIGKILL");
    const port = Number(new URL(url).port);
    for (let tries = 0; existsSync(dir) && tries < 100; tries++) await Bun.sleep(100);
    expect({ filesLeft: existsSync(dir), listening: await canConnect(port) }).toEqual({
      filesLeft: false,
      listening: false,
    });
  });
});

async function canConnect(port: number): Promise<boolean> {
  try {
    const socket = await Bun.connect({ hostname: "127.0.0.1", port, socket: { data: () => undefined } });
    socket.end();
    return true;
  } catch {
    return false;
  }
}
