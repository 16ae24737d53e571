/**
 * exec, attach and port-forward through `proxy`, with WebSocket and SPDY: kubectl's output is the same as without it. kwok is the kubelet.
 */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { controlPlaneBinary, controlPlaneFolder } from "../../scripts/control-plane.ts";
import { type Program, startProgram } from "../e2e/support/program.ts";
import { type Cluster, controllersMissing, freePorts, startCluster } from "../support/cluster.ts";
import { type ProgramRun, runProgram } from "../support/program.ts";

const hostname = "/etc/hostname";

/** Simulated pods: commands run on this machine, the console is a file, and the ports are those of the API server. */
function kubeletConfig(port: number): string {
  const kinds = {
    ClusterExec: { execs: [{ local: {} }] },
    ClusterAttach: { attaches: [{ logsFile: hostname }] },
    ClusterPortForward: { forwards: [{ target: { port, address: "127.0.0.1" } }] },
  };
  const documents = Object.entries(kinds).map(([kind, spec]) => ({
    apiVersion: "kwok.x-k8s.io/v1alpha1",
    kind,
    metadata: { name: "all" },
    spec,
  }));
  return documents.map((document) => JSON.stringify(document)).join("\n---\n");
}

interface Line {
  readonly stage: string;
  readonly verb: string;
  readonly subresource?: string;
  readonly status: number;
}

describe.skipIf(controllersMissing !== undefined)("upgrades through the proxy", () => {
  let cluster: Cluster;
  let kwok: Bun.Subprocess;
  let proxy: Program;
  let behind: string;
  beforeAll(async () => {
    cluster = await startCluster();
    const port = await freePorts(1);
    const config = join(cluster.dir, "kubelet.yaml");
    writeFileSync(config, kubeletConfig(cluster.port));
    const files = [join(controlPlaneFolder(), "kwok-stages.yaml"), config].flatMap((path) => ["--config", path]);
    const tls = ["cert", "private-key"].map(
      (what) => `--tls-${what}-file=${join(cluster.dir, what === "cert" ? "server.crt" : "server.key")}`,
    );
    const address = [`--server-address=127.0.0.1:${port}`, "--node-ip=127.0.0.1", `--node-port=${port}`];
    const common = ["--kubeconfig", cluster.kubeconfig, "--manage-all-nodes", "--enable-crds", ""];
    kwok = Bun.spawn([controlPlaneBinary("kwok") ?? "", ...common, ...files, ...address, ...tls], {
      stdin: "ignore",
      stdout: "ignore",
      stderr: "ignore",
    });
    const node = {
      apiVersion: "v1",
      kind: "Node",
      metadata: { name: "one", annotations: { "kwok.x-k8s.io/node": "fake" } },
    };
    const spec = { nodeName: "one", containers: [{ name: "c", image: "none" }] };
    const pod = { apiVersion: "v1", kind: "Pod", metadata: { name: "a", namespace: "default" }, spec };
    const applied = await cluster.kubectl(["apply", "-f", "-"], `${JSON.stringify(node)}\n---\n${JSON.stringify(pod)}`);
    expect(applied.code).toBe(0);
    await eventually("the pod runs", async () => {
      const { body } = await cluster.request("GET", "/api/v1/namespaces/default/pods/a");
      return body.status?.phase === "Running";
    });
    behind = join(cluster.dir, "proxied");
    proxy = startProgram(["proxy", "-o", "json", "--write-kubeconfig", behind], { kubeconfig: cluster.kubeconfig });
    await eventually("there is a kubeconfig", () => Promise.resolve(existsSync(behind)));
  }, 120_000);
  afterAll(async () => {
    await proxy[Symbol.asyncDispose]();
    kwok.kill("SIGTERM");
    await kwok.exited;
    await cluster.stop();
  });

  async function eventually(what: string, holds: () => Promise<boolean>): Promise<void> {
    for (let look = 0; look < 600; look++) {
      if (await holds()) return;
      await Bun.sleep(50);
    }
    throw new Error(`Never: ${what}`);
  }

  function kubectl(args: readonly string[], env: Readonly<Record<string, string>>): Promise<ProgramRun> {
    const command = [controlPlaneBinary("kubectl") ?? "kubectl", ...args];
    return runProgram(command, { env: { ...process.env, ...env }, stdin: "typed\n", timeoutMs: 30_000 });
  }

  const reported = (): readonly string[] =>
    proxy.stdout
      .split("\n")
      .flatMap((line) => (line.startsWith("{") ? [JSON.parse(line) as Line] : []))
      .filter(({ stage, subresource = "" }) => stage === "request" && /^(exec|attach|portforward)$/.test(subresource))
      .map(({ verb, subresource, status }) => `${verb} ${subresource} ${status}`);

  const protocols = [
    { protocol: "WebSocket", webSockets: "true", verb: "get" },
    { protocol: "SPDY", webSockets: "false", verb: "create" },
  ] as const;

  describe.each(protocols)("by $protocol", ({ webSockets, verb }) => {
    const env = { KUBECTL_REMOTE_COMMAND_WEBSOCKETS: webSockets, KUBECTL_PORT_FORWARD_WEBSOCKETS: webSockets };

    test.each([
      { what: "a command's output", args: ["exec", "a", "--", "echo", "hello"], says: "hello\n", subresource: "exec" },
      {
        what: "megabytes of output",
        args: ["exec", "a", "--", "sh", "-c", "head -c 5000000 /dev/zero | tr '\\0' x"],
        says: "x".repeat(5_000_000),
        subresource: "exec",
      },
      {
        what: "standard input",
        // The sleep is needed: even without a proxy, kubectl and kwok can lose the output of a command that exits at once.
        args: ["exec", "-i", "a", "--", "sh", "-c", "head -n 1; sleep 1"],
        says: "typed\n",
        subresource: "exec",
      },
    ])("$what", async ({ args, says, subresource }) => {
      const direct = await kubectl(args, { ...env, KUBECONFIG: cluster.kubeconfig });
      const before = reported().length;
      const through = await kubectl(args, { ...env, KUBECONFIG: behind });
      expect(through).toEqual(direct);
      expect(through.stdout === says).toBe(true);
      await eventually("it is reported", () => Promise.resolve(reported().length > before));
      expect(reported().slice(before)).toEqual([`${verb} ${subresource} 101`]);
    });

    test("a command that fails, and a missing pod", async () => {
      for (const args of [
        ["exec", "a", "--", "sh", "-c", "echo no >&2; exit 3"],
        ["exec", "none", "--", "true"],
      ]) {
        const direct = await kubectl(args, { ...env, KUBECONFIG: cluster.kubeconfig });
        const through = await kubectl(args, { ...env, KUBECONFIG: behind });
        expect(through).toEqual(direct);
        expect(through.code).not.toBe(0);
      }
    });

    test("a forwarded port", async () => {
      const port = await freePorts(1);
      const command = [controlPlaneBinary("kubectl") ?? "kubectl", "port-forward", "a", `${port}:80`];
      const forward = Bun.spawn(command, {
        env: { ...process.env, ...env, KUBECONFIG: behind },
        stdin: "ignore",
        stdout: "ignore",
        stderr: "ignore",
      });
      try {
        const version = async (): Promise<string> => {
          const response = await fetch(`https://127.0.0.1:${port}/version`, { tls: { rejectUnauthorized: false } });
          return response.text();
        };
        await eventually("the port is open", async () => (await version().catch(() => "")) !== "");
        const texts = await Promise.all([version(), version(), version()]);
        expect(texts.map((text) => text.includes('"gitVersion": "v1.36.3"'))).toEqual([true, true, true]);
      } finally {
        forward.kill("SIGTERM");
        await forward.exited;
      }
      await eventually("it is reported", () => Promise.resolve(reported().includes(`${verb} portforward 101`)));
    });
  });

  test("a refusal by the server is forwarded: without permission, and without the proxy's token", async () => {
    const config = await Bun.file(behind).text();
    const stranger = join(cluster.dir, "stranger");
    writeFileSync(stranger, config.replace(/token: \S+/, "token: wrong"));
    const refused = await kubectl(["exec", "a", "--", "true"], { KUBECONFIG: stranger });
    expect([refused.code, refused.stderr]).toEqual([1, expect.stringContaining("Unauthorized")]);
  });
});
