/**
 * Operators behind a proxy to a real kube-apiserver: the result is the same as without it, the server's audit log contains exactly the
 * requests that were reported, and with only the derived RBAC permissions the operators work as before.
 */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseAllDocuments } from "yaml";
import { programCommand } from "../e2e/support/program.ts";
import type { AuditEvent } from "../support/audit-log.ts";
import { type Cluster, clusterMissing, startCluster } from "../support/cluster.ts";
import { type StepResponse, comparable } from "./answers.ts";
import { operatorScenes, type OperatorScene } from "./scenes.ts";

const there = clusterMissing === undefined;

/** User agents of the test itself and of our command, whose requests are not the operator's. */
const others = /^(Bun|kubectl|kube-apiserver|kubectl-reconcile)\//;

interface Work {
  /** The state of the cluster after each step. */
  readonly states: readonly StepResponse[];
  /** The standard output of the program. */
  readonly stdout: string;
  /** The operator's requests in the audit log of the API server. */
  readonly audited: readonly AuditEvent[];
}

describe.skipIf(!there)("operators behind a proxy to a real kube-apiserver", () => {
  let cluster: Cluster;
  let folder: string;
  let plays = 0;
  beforeAll(async () => {
    cluster = await startCluster({ audit: true });
    folder = mkdtempSync(join(tmpdir(), "behind-proxy-"));
  }, 120_000);
  afterAll(async () => {
    rmSync(folder, { recursive: true, force: true });
    await cluster.stop();
  });

  async function apply(...objects: readonly object[]): Promise<void> {
    const applied = await cluster.kubectl(
      ["apply", "-f", "-"],
      objects.map((one) => JSON.stringify(one)).join("\n---\n"),
    );
    if (applied.code !== 0) throw new Error(applied.stderr);
  }

  /** All objects that an operator can have created, and its distinct Events: the number of attempts of a handler is random. */
  async function state(): Promise<unknown> {
    const paths = ["api/v1/namespaces/default/configmaps", "apis/apps/v1/namespaces/default/deployments"];
    const lists = await Promise.all(paths.map((path) => cluster.request("GET", `/${path}`)));
    const events = await cluster.request("GET", "/api/v1/namespaces/default/events");
    // The API server reports Events about its own Service during periodic checks, which can happen now.
    const texts = (events.body.items as readonly Readonly<Record<string, string>>[])
      .filter(({ reason }) => reason !== "ClusterIPNotAllocated")
      .map(({ type, reason, message }) => `${type} ${reason} ${message}`);
    return { lists: lists.map(({ body }) => body.items), events: [...new Set(texts)].toSorted() };
  }

  async function until(what: string, holds: () => Promise<boolean>): Promise<void> {
    for (let look = 0; look < 600; look++) {
      if (await holds()) return;
      await Bun.sleep(100);
    }
    throw new Error(`Never: ${what}`);
  }

  /** Runs the scene with an operator that is started with this command and kubeconfig. */
  async function play(scene: OperatorScene, command: readonly string[], kubeconfig: string): Promise<Work> {
    const before = new Set((await cluster.audit()).map(({ auditID }) => auditID));
    const output = join(folder, `stdout-${++plays}`);
    const run = Bun.spawn([...command], {
      env: { ...process.env, KUBECONFIG: kubeconfig },
      stdin: "ignore",
      stdout: Bun.file(output),
      stderr: Bun.file(join(folder, "stderr")),
    });
    const states: StepResponse[] = [];
    const read = async (): Promise<Readonly<Record<string, unknown>>> =>
      (await cluster.request("GET", scene.path)).body;
    const settle = async (step: string): Promise<void> => {
      let version = "";
      await until(`${scene.name} has done its work: ${step}`, async () => {
        if (run.exitCode !== null)
          throw new Error(`It ended with ${run.exitCode}: ${await Bun.file(join(folder, "stderr")).text()}`);
        const object = await read();
        if (!scene.isDone(object)) return false;
        const now = (object["metadata"] as { readonly resourceVersion: string }).resourceVersion;
        const rests = now === version;
        version = now;
        // Waits until two reads, half a second apart, return the same resourceVersion.
        if (!rests) await Bun.sleep(500);
        return rests;
      });
      states.push({ step, answer: { object: await read(), ...((await state()) as object) } });
    };
    try {
      await apply(scene.object);
      await settle("made");
      await cluster.request(
        "PATCH",
        scene.path,
        { spec: scene.change },
        { "content-type": "application/merge-patch+json" },
      );
      await settle("changed");
      await cluster.request("DELETE", scene.path);
      await until(
        `${scene.name} lets its object go`,
        async () => (await cluster.request("GET", scene.path)).status === 404,
      );
      await Bun.sleep(500);
      states.push({ step: "gone", answer: await state() });
    } finally {
      run.kill("SIGTERM");
      await run.exited;
    }
    await Bun.sleep(500);
    const audited = (await cluster.audit()).filter(
      ({ auditID, stage, userAgent = "" }) =>
        !before.has(auditID) && stage === "ResponseComplete" && !others.test(userAgent),
    );
    // Manual cleanup, since no garbage collector is running.
    await cluster.kubectl(["delete", "deployments,events,leases", "--all", "-n", "default"]);
    return { states, stdout: await Bun.file(output).text(), audited };
  }

  /** A kubeconfig of a ServiceAccount that has exactly the permissions of a manifest. */
  async function kubeconfigWith(manifest: string, account: string): Promise<string> {
    const roles = parseAllDocuments(manifest).map((document) => document.toJS() as Role);
    const subjects = [{ kind: "ServiceAccount", name: account, namespace: "default" }];
    const bindings = roles.map(({ kind, metadata: { name, namespace } }) => ({
      apiVersion: "rbac.authorization.k8s.io/v1",
      kind: `${kind}Binding`,
      metadata: { name: account, ...(namespace !== undefined && { namespace }) },
      roleRef: { apiGroup: "rbac.authorization.k8s.io", kind, name },
      subjects,
    }));
    await apply(
      { apiVersion: "v1", kind: "ServiceAccount", metadata: { name: account, namespace: "default" } },
      ...roles,
      ...bindings,
    );
    const token = await cluster.kubectl(["create", "token", account, "-n", "default"]);
    const path = join(folder, `${account}.kubeconfig`);
    const config = {
      apiVersion: "v1",
      kind: "Config",
      clusters: [{ name: "c", cluster: { server: cluster.url, "certificate-authority": join(cluster.dir, "ca.crt") } }],
      users: [{ name: "u", user: { token: token.stdout.trim() } }],
      contexts: [{ name: "x", context: { cluster: "c", user: "u" } }],
      "current-context": "x",
    };
    writeFileSync(path, JSON.stringify(config), { mode: 0o600 });
    return path;
  }

  for (const scene of operatorScenes) {
    const { name, program } = scene;
    const why = program.is === "there" ? "" : ` (${program.why})`;
    test.skipIf(program.is !== "there")(
      `${name}: its end is that of a run without us, every request is reported, and the derived Role is enough${why}`,
      async () => {
        const command = scene.command(program.is === "there" ? program.path : "");
        const behind = (output: string): readonly string[] => [
          ...programCommand,
          "run",
          "--quiet-child",
          "-o",
          output,
          "--",
          ...command,
        ];
        await apply(scene.definition);
        await until(
          "the kind is served",
          async () => (await cluster.request("GET", scene.path)).body.details?.name === "a",
        );

        const direct = await play(scene, command, cluster.kubeconfig);
        const reported = await play(scene, behind("json"), cluster.kubeconfig);
        expect(comparable(reported.states)).toEqual(comparable(direct.states));

        const lines = reported.stdout.split("\n").filter((line) => line.startsWith("{"));
        const requests = lines.map((line) => JSON.parse(line) as Line).filter(({ stage }) => stage === "request");
        const ids = new Map(requests.map((request) => [request.auditId, request]));
        const textOf = ({ verb, requestURI, responseStatus }: AuditEvent): string =>
          `${verb} ${requestURI} ${responseStatus?.code}`;
        expect(reported.audited.filter(({ auditID }) => !ids.has(auditID)).map(textOf)).toEqual([]);
        const logged = new Set(reported.audited.map(({ auditID }) => auditID));
        // The audit policy excludes non-resource requests.
        expect(requests.filter(({ of, auditId }) => of !== undefined && !logged.has(auditId))).toEqual([]);
        const differing = reported.audited.filter(({ auditID, verb, responseStatus }) => {
          const request = ids.get(auditID);
          return request?.verb !== verb || request.status !== responseStatus?.code;
        });
        expect(differing.map(textOf)).toEqual([]);
        expect(reported.audited.length).toBeGreaterThan(10);

        const { stdout: manifest } = await play(scene, behind("rbac"), cluster.kubeconfig);
        const limited = await play(scene, command, await kubeconfigWith(manifest, scene.name));
        expect(limited.audited.filter(({ responseStatus }) => responseStatus?.code === 403).map(textOf)).toEqual([]);
        expect(
          limited.audited.every(({ user }) => user.username === `system:serviceaccount:default:${scene.name}`),
        ).toBe(true);
        expect(comparable(limited.states)).toEqual(comparable(direct.states));
      },
      300_000,
    );
  }
});

interface Role {
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly namespace?: string };
}

interface Line {
  readonly stage: string;
  readonly auditId: string;
  readonly verb: string;
  readonly status: number;
  readonly of?: unknown;
}
