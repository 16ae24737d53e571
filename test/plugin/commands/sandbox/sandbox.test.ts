/** `kubectl reconcile sandbox` and `run --sandbox` as programs: started, queried over HTTPS, stopped with a signal. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { mkdtemp, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parse } from "yaml";
import { rejection } from "../../../support/rejection.ts";

const main = join(import.meta.dir, "../../../../plugin/main.ts");
const web = `
apiVersion: v1
kind: Namespace
metadata: {name: shop}
---
apiVersion: apps/v1
kind: ReplicaSet
metadata: {name: web, namespace: shop}
spec:
  replicas: 2
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec: {containers: [{name: web, image: nginx}]}
`;

const widgets = `
apiVersion: example.com/v1
kind: Widget
metadata: {name: first}
---
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: widgets.example.com}
spec:
  group: example.com
  scope: Namespaced
  names: {plural: widgets, kind: Widget}
  versions:
  - {name: v1, served: true, storage: true, schema: {openAPIV3Schema: {type: object}}}
`;

let folder: string;
let manifest: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "sandbox-test-"));
  manifest = join(folder, "web.yaml");
  await writeFile(manifest, web);
});

afterAll(() => rm(folder, { recursive: true }));

interface Program {
  /** Resolves with all output so far, once it contains the text. */
  printed(text: string | RegExp): Promise<string>;
  signal(name: "SIGINT" | "SIGTERM"): void;
  ended(): Promise<{ readonly code: number; readonly out: string; readonly err: string }>;
}

function program(...args: string[]): Program {
  const child = Bun.spawn([process.execPath, main, ...args], { stdout: "pipe", stderr: "pipe", stdin: "ignore" });
  let out = "";
  let over = false;
  const waiting: (() => void)[] = [];
  const reading = (async () => {
    const decoder = new TextDecoder();
    for await (const piece of child.stdout) {
      out += decoder.decode(piece, { stream: true });
      for (const look of waiting) look();
    }
    over = true;
    for (const look of waiting) look();
  })();
  const err = new Response(child.stderr).text();
  return {
    printed: (text) =>
      new Promise((resolve, reject) => {
        const look = (): void => {
          if (typeof text === "string" ? out.includes(text) : text.test(out)) resolve(out);
          else if (over) reject(new Error(`it ended without ${String(text)}: ${out}`));
        };
        waiting.push(look);
        look();
      }),
    signal: (name) => child.kill(name),
    async ended() {
      const code = await child.exited;
      await reading;
      return { code, out, err: await err };
    },
  };
}

interface Access {
  readonly get: (path: string, token?: string) => Promise<{ readonly status: number; readonly body: unknown }>;
}

async function accessBy(file: string): Promise<Access> {
  const config = parse(await readFile(file, "utf8")) as {
    clusters: { cluster: { server: string; "certificate-authority-data": string } }[];
    users: { user: { token: string } }[];
  };
  const cluster = config.clusters[0]?.cluster;
  const ca = Buffer.from(cluster?.["certificate-authority-data"] ?? "", "base64").toString();
  return {
    async get(path, token = config.users[0]?.user.token ?? "") {
      const headers = { authorization: `Bearer ${token}` };
      const response = await fetch(`${cluster?.server}${path}`, { headers, tls: { ca } });
      return { status: response.status, body: await response.json() };
    },
  };
}

describe("kubectl reconcile sandbox", () => {
  test("serves a cluster with manifests, to holders of its kubeconfig, and ends at a signal with exit code 0", async () => {
    const file = join(folder, "kubeconfig");
    const sandbox = program("sandbox", "-f", manifest, "--nodes", "2", "--run", "rs", "--write-kubeconfig", file);
    const output = await sandbox.printed("ready after");
    expect(output).toContain("2 simulated nodes");
    expect(output).toContain(`export KUBECONFIG=${file}`);
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    await sandbox.printed(/readyReplicas \d → 2/);
    const access = await accessBy(file);
    const { status, body } = await access.get("/api/v1/namespaces/shop/pods");
    expect(status).toBe(200);
    const phases = (body as { items: { status: { phase: string } }[] }).items.map((pod) => pod.status.phase);
    expect(phases).toEqual(["Running", "Running"]);
    expect((await access.get("/api/v1/namespaces", "guessed")).status).toBe(401);
    sandbox.signal("SIGTERM");
    const { code, err } = await sandbox.ended();
    expect({ code, err }).toEqual({ code: 0, err: "" });
    expect((await stat(file)).isFile()).toBe(true);
  });

  test("removes its temporary kubeconfig", async () => {
    const sandbox = program("sandbox", "--nodes", "0");
    const output = await sandbox.printed("ready after");
    const file = /export KUBECONFIG=(\S+)/.exec(output)?.[1] ?? "";
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    sandbox.signal("SIGINT");
    expect((await sandbox.ended()).code).toBe(0);
    expect(String(await rejection(stat(file)))).toContain("ENOENT");
  });

  test("runs every built-in controller by default, so that applied objects are reconciled", async () => {
    const file = join(folder, "alive");
    const sandbox = program("sandbox", "-f", manifest, "--write-kubeconfig", file);
    const output = await sandbox.printed("ready after");
    for (const name of ["deployment", "replicaset", "garbage-collector", "namespace", "resourcequota"]) {
      expect(/running (.*)/.exec(output)?.[1]?.split(", ")).toContain(name);
    }
    await sandbox.printed(/readyReplicas \d → 2/);
    sandbox.signal("SIGTERM");
    expect((await sandbox.ended()).code).toBe(0);
  });

  test("accepts a definition and an object of its kind in one file, in either order", async () => {
    const file = join(folder, "widgets.yaml");
    await writeFile(file, widgets);
    const sandbox = program("sandbox", "--nodes", "0", "--run", "none", "-f", file);
    expect(await sandbox.printed("ready after")).toContain("applied 2 objects");
    sandbox.signal("SIGINT");
    expect((await sandbox.ended()).code).toBe(0);
  });

  test("without scheduler, kubelet and controllers is only an API server", async () => {
    const alone = ["--run", "none", "--no-scheduler", "--no-kubelet"];
    const file = join(folder, "bare");
    const sandbox = program("sandbox", "-f", manifest, "--write-kubeconfig", file, ...alone);
    const output = await sandbox.printed("ready after");
    expect(output).toContain("running nothing but the API server");
    const { body } = await (await accessBy(file)).get("/apis/apps/v1/namespaces/shop/replicasets/web");
    expect(body).not.toHaveProperty("status.readyReplicas");
    sandbox.signal("SIGINT");
    expect((await sandbox.ended()).code).toBe(0);
  });

  test("overwrites no kubeconfig of others, but its own", async () => {
    const file = join(folder, "precious");
    await writeFile(file, "clusters: []\n");
    const refused = await program("sandbox", "--nodes", "0", "--write-kubeconfig", file).ended();
    expect(refused).toMatchObject({ code: 2, out: "" });
    expect(refused.err).toContain(`${file} exists, and was not written by a sandbox`);
    expect(await readFile(file, "utf8")).toBe("clusters: []\n");
    await rm(file);
    const tokens = new Set<string | undefined>();
    for (const namespace of ["first", "second"]) {
      const sandbox = program("sandbox", "--nodes", "0", "-n", namespace, "--write-kubeconfig", file);
      await sandbox.printed("ready after");
      const text = await readFile(file, "utf8");
      expect(text).toContain(`namespace: ${namespace}\n`);
      expect((await (await accessBy(file)).get("/version")).status).toBe(200);
      tokens.add(/token: (\S+)/.exec(text)?.[1]);
      sandbox.signal("SIGINT");
      expect((await sandbox.ended()).code).toBe(0);
    }
    // To clients that are still running, the second sandbox looks like the first one after a restart.
    expect(tokens.size).toBe(1);
  });

  const refusals = [
    { args: ["--write-kubeconfig", "/no/such/folder/config"], says: "there is not a folder /no/such/folder" },
    { args: ["--port", "70000"], says: "It should be a whole number from 1 to 65535" },
    { args: ["--context", "dev"], says: "`sandbox` does not connect to a cluster; --context has no effect" },
    { args: ["--run", "none,rs"], says: "--run none cannot be combined with controllers" },
    {
      args: ["--disable-admission-plugins", "LimitRanger,ServiceAcount"],
      says: 'unknown admission plugin "ServiceAcount"\ndid you mean ServiceAccount?',
    },
    { args: ["--webhook", "hooks=https://127.0.0.1:1"], says: "expected NAMESPACE/SERVICE=URL" },
    {
      args: ["--webhook", "a/b=ftp://127.0.0.1"],
      says: '--webhook a/b=ftp://127.0.0.1: "ftp://127.0.0.1" is not an http or https URL',
    },
    { args: ["--webhook", "a/b=https://127.0.0.1/x"], says: "the URL may have only a host and a port" },
    { args: ["--webhook", "a/b=http://c", "--webhook", "a/b=http://d"], says: "a/b is given twice" },
    { args: ["--run", "frobnicator"], says: 'unknown controller "frobnicator"' },
  ];
  test.each(refusals)("refuses $args with a message and exit code 2", async ({ args, says }) => {
    const { code, out, err } = await program("sandbox", ...args).ended();
    expect({ code, out }).toEqual({ code: 2, out: "" });
    expect(err).toContain(says);
  });

  test("reports a port in use, with exit code 2", async () => {
    const taken = Bun.listen({ hostname: "127.0.0.1", port: 0, socket: { data: () => undefined } });
    const { code, err } = await program("sandbox", "--port", String(taken.port)).ended();
    taken.stop();
    expect(code).toBe(2);
    expect(err).toContain(`cannot serve on 127.0.0.1:${taken.port}`);
  });
});

const bad = [
  {
    name: "an unknown field",
    text: web.replace("image: nginx", "imagee: nginx"),
    says: "document 2 (ReplicaSet web): ",
    field: "spec.template.spec.containers[0].imagee",
  },
  {
    name: "a selector that does not match its template",
    text: web.replace("labels: {app: web}", "labels: {app: shop}"),
    says: "document 2 (ReplicaSet web): ",
    field: "spec.template.metadata.labels",
  },
  {
    name: "a kind that is not served",
    text: web.replace("ReplicaSet", "Frobnicator"),
    says: "there is no kind Frobnicator in apps/v1",
    field: "",
  },
];

describe("bad manifests", () => {
  test.each(bad)(
    "end the sandbox with exit code 2, with the place and the reason: $name",
    async ({ text, says, field }) => {
      const file = join(folder, "bad.yaml");
      await writeFile(file, text);
      const { code, err } = await program("run", "rs", "--sandbox", "-f", file).ended();
      expect(code).toBe(2);
      expect(err).toContain(file);
      expect(err).toContain(says);
      expect(err).toContain(field);
      expect(err).toContain("1 of 2 objects were refused, and nothing was started");
      expect(err).not.toContain("cannot be handled as");
    },
  );

  test("-f without --sandbox is refused", async () => {
    const { code, err } = await program("run", "rs", "-f", manifest).ended();
    expect(code).toBe(2);
    expect(err).toContain("-f is for --sandbox");
  });
});

test("run --sandbox --once brings the manifests' ReplicaSets up to date and ends", async () => {
  const { code, out, err } = await program("run", "rs", "-A", "--sandbox", "-f", manifest, "--once").ended();
  expect({ code, err }).toEqual({ code: 0, err: "" });
  expect(out).toContain("2 of 2 pods are missing → create 2");
  expect(out).toContain("scheduler");
});
