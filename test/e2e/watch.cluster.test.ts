/** `watch` against a real API server, with the real kube-controller-manager. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { type Cluster, controllersMissing, startCluster } from "../support/cluster.ts";
import { type Program, type ProgramEnd, runProgram, startProgram } from "./support/program.ts";
import { eventually } from "./support/workload.ts";

const template = { metadata: { labels: { app: "web" } }, spec: { containers: [{ name: "web", image: "nginx:1" }] } };

describe.skipIf(controllersMissing !== undefined)("watch", () => {
  let cluster: Cluster;
  let made = 0;
  beforeAll(async () => {
    cluster = await startCluster({ controllers: "*", audit: true });
  });
  afterAll(() => cluster.stop());

  async function namespace(): Promise<string> {
    const name = `watch-${++made}`;
    await cluster.createNamespace(name);
    return name;
  }

  function start(...args: string[]): Program {
    return startProgram(["watch", ...args], { kubeconfig: cluster.kubeconfig });
  }

  function run(...args: string[]): Promise<ProgramEnd> {
    return runProgram(["watch", ...args], { kubeconfig: cluster.kubeconfig });
  }

  async function create(plural: "deployments" | "replicasets", into: string, replicas: number): Promise<void> {
    const body = {
      metadata: { name: "web" },
      spec: { replicas, selector: { matchLabels: { app: "web" } }, template },
    };
    expect((await cluster.request("POST", `/apis/apps/v1/namespaces/${into}/${plural}`, body)).status).toBe(201);
  }

  const deploy = (into: string, replicas = 2): Promise<void> => create("deployments", into, replicas);
  const replicaSet = (into: string): Promise<void> => create("replicasets", into, 2);

  async function patch(into: string, path: string, body: unknown, manager: string): Promise<void> {
    const headers = { "content-type": "application/merge-patch+json" };
    const url = `/apis/apps/v1/namespaces/${into}/${path}?fieldManager=${manager}`;
    expect((await cluster.request("PATCH", url, body, headers)).status).toBe(200);
  }

  test("shows changes and their writers, for kinds by kubectl's names", async () => {
    const into = await namespace();
    await deploy(into);
    await using program = start("deployments", "kind/rs", "po", "-n", into);
    await program.says(/^watching 3 kinds/m);
    await patch(into, "deployments/web", { metadata: { labels: { team: "a" } }, spec: { replicas: 3 } }, "a-tool");
    await program.says(/Updated {2}Deployment web +\d+ {2}\.spec\.replicas 2 → 3 · .*\bby a-tool$/m);
    await program.says(/Added {4}Pod web-\w+-\w+ +\d+ {2}new {2}by kube-controller-manager$/m);
    await cluster.request("DELETE", `/apis/apps/v1/namespaces/${into}/deployments/web`);
    await program.says(/Deleted {2}Deployment web +\d+ {2}gone$/m);
    program.signal("SIGINT");
    const { code, stderr } = await program.end();
    expect(code).toBe(0);
    expect(stderr).toMatch(/^watched for [\d.]+ m?s: \d+ deltas \(/m);
  });

  test("shows the keys that a controller's deltas enqueue", async () => {
    const into = await namespace();
    await using program = start("replicaset", "-n", into);
    await program.says(/^watching 2 kinds/m);
    expect(program.stderr).toContain("queues  of a copy of replicaset here, whose syncs do nothing");
    await deploy(into);
    await program.says(new RegExp(`Added {4}ReplicaSet web-\\w+ .*\\n.* └ replicaset ← ${into}/web-\\w+ +depth 1`));
    // Pods that are seen before their ReplicaSet enqueue nothing.
    let pod: string | undefined;
    await eventually(async () => {
      const { body } = await cluster.request("GET", `/api/v1/namespaces/${into}/pods`);
      pod = (body as { items: { metadata: { name: string } }[] }).items[0]?.metadata.name;
      expect(pod).toBeDefined();
    });
    const headers = { "content-type": "application/merge-patch+json" };
    const change = { metadata: { labels: { changed: "true" } } };
    await cluster.request("PATCH", `/api/v1/namespaces/${into}/pods/${pod}`, change, headers);
    await program.says(new RegExp(`Updated {2}Pod web-.*\\n.* └ replicaset ← ${into}/web-\\w+`));
  });

  test("applies a selector to the named kinds, also beside a controller", async () => {
    const into = await namespace();
    await using program = start("deploy", "pods", "-l", "app=web", "-n", into);
    await program.says(/^watching 3 kinds/m);
    await deploy(into);
    const other = { spec: { containers: [{ name: "c", image: "i" }] } };
    await cluster.request("POST", `/api/v1/namespaces/${into}/pods`, { metadata: { name: "other" }, ...other });
    await program.says(/Added {4}Pod web-\w+-\w+ /m);
    await cluster.request("DELETE", `/apis/apps/v1/namespaces/${into}/deployments/web`);
    await program.says(/Deleted {2}Pod web-\w+-\w+ /m);
    program.signal("SIGINT");
    const { stdout } = await program.end();
    expect(stdout).not.toContain("Pod other");
    expect(stdout).toMatch(/└ deployment ← /);
  });

  test("watches all controllers in a namespace except those that work beyond it, and a named one in all", async () => {
    const into = await namespace();
    const all = await run("all", "-n", into, "--for", "1s");
    expect(all.code).toBe(0);
    expect(all.stderr).toMatch(
      /^left out, since they work beyond namespace watch-\d+: garbage-collector, namespace, service-cidr, persistentvolume-binder, persistentvolume-attach-detach, persistentvolume-protection, volumeattributesclass-protection, node-lifecycle, ttl, certificatesigningrequest-approving, certificatesigningrequest-cleaner, clusterrole-aggregation, validatingadmissionpolicy-status; -A/m,
    );
    const one = await run("namespace", "-n", into, "--for", "1s");
    expect(one.code).toBe(0);
    expect(one.stderr).toMatch(/^namespace works beyond namespace watch-\d+: all namespaces are watched$/m);
  });

  test("finds custom resources by discovery", async () => {
    const into = await namespace();
    const names = { plural: "widgets", singular: "widget", kind: "Widget", shortNames: ["wd"] };
    const schema = { openAPIV3Schema: { type: "object", "x-kubernetes-preserve-unknown-fields": true } };
    await cluster.request("POST", "/apis/apiextensions.k8s.io/v1/customresourcedefinitions", {
      metadata: { name: "widgets.example.com" },
      spec: {
        group: "example.com",
        names,
        scope: "Namespaced",
        versions: [{ name: "v1", served: true, storage: true, schema }],
      },
    });
    const path = `/apis/example.com/v1/namespaces/${into}/widgets`;
    const widget = { apiVersion: "example.com/v1", kind: "Widget", metadata: { name: "one" }, spec: { size: 1 } };
    await eventually(async () => expect((await cluster.request("POST", path, widget)).status).toBe(201));
    await using program = start("wd/one", "-n", into, "--count", "1");
    await program.says(/^watching 1 kind, until 1 delta/m);
    await cluster.request("POST", path, { ...widget, metadata: { name: "other" } });
    await cluster.request(
      "PATCH",
      `${path}/one`,
      { spec: { size: 2 } },
      { "content-type": "application/merge-patch+json" },
    );
    const { code, stdout } = await program.end();
    expect(code).toBe(0);
    expect(stdout).toMatch(/^[\d:.]+ Updated {2}Widget one +\d+ {2}\.spec\.size 1 → 2/);
    expect(stdout.trim().split("\n")).toHaveLength(1);
  });

  test("--once shows the existing objects, and ends; filters apply", async () => {
    const into = await namespace();
    for (const [name, team] of [
      ["a", "red"],
      ["b", "blue"],
    ]) {
      const body = { metadata: { name, labels: { team } }, data: { x: "1" } };
      await cluster.request("POST", `/api/v1/namespaces/${into}/configmaps`, body);
    }
    const names = async (...args: string[]): Promise<string[]> => {
      const { code, stdout } = await run("cm", "-n", into, "--once", ...args);
      expect(code).toBe(0);
      return [...stdout.matchAll(/Replaced ConfigMap (\S+) +\d+ {2}there at the start/g)].map(([, name = ""]) => name);
    };
    expect(await names()).toEqual(["a", "b", "kube-root-ca.crt"]);
    expect(await names("-l", "team=red")).toEqual(["a"]);
    expect(await names("--field-selector", "metadata.name=b")).toEqual(["b"]);
    expect(await names("--type", "deleted")).toEqual([]);
  });

  test("-o json prints the stage events, with secrets masked", async () => {
    const into = await namespace();
    await using program = start("secrets", "-n", into, "-o", "json", "--type", "added,updated");
    await program.says(/^watching/m);
    const path = `/api/v1/namespaces/${into}/secrets`;
    await cluster.request("POST", path, { metadata: { name: "s" }, stringData: { password: "hunter2" } });
    const merge = { "content-type": "application/merge-patch+json" };
    await cluster.request("PATCH", `${path}/s`, { stringData: { password: "hunter3" } }, merge);
    await program.says(/"Updated"/);
    program.signal("SIGTERM");
    const { code, stdout } = await program.end();
    expect(code).toBe(0);
    const deltas = stdout
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line) as { v: number; stage: string; type?: string; detail?: { changes: unknown } })
      .filter(({ stage }) => stage === "delta");
    expect(deltas.map(({ v, type }) => ({ v, type }))).toEqual([
      { v: 1, type: "Added" },
      { v: 1, type: "Updated" },
    ]);
    expect(deltas[1]?.detail?.changes).toEqual([{ path: ".data.password", before: "(masked)", after: "(masked)" }]);
    expect(stdout).not.toContain(Buffer.from("hunter3").toString("base64"));
  });

  test("ends quietly when its reader closes the pipe", async () => {
    const into = await namespace();
    const through = `"$@" | head -n 1; echo "code \${PIPESTATUS[0]}"`;
    await using program = startProgram(["watch", "cm", "-n", into], { kubeconfig: cluster.kubeconfig, through });
    await program.says(/^watching/m);
    for (let n = 0; n < 5; n++) {
      await cluster.request("POST", `/api/v1/namespaces/${into}/configmaps`, { metadata: { name: `c-${n}` } });
      await Bun.sleep(100);
    }
    const { stdout, stderr } = await program.end();
    expect(stdout).toMatch(/^[\d:.]+ Added {4}ConfigMap c-0 .*\ncode 0\n$/);
    expect(stderr).not.toMatch(/error|EPIPE/i);
  });

  const wrong: readonly { readonly name: string; readonly args: readonly string[]; readonly says: RegExp }[] = [
    { name: "a word that is neither", args: ["podss"], says: /^error: "podss" is neither .*\ndid you mean pods\?/ },
    { name: "a kind without a watch", args: ["componentstatuses"], says: /^error: cannot watch componentstatuses: / },
    { name: "a type of delta", args: ["pods", "--type", "x"], says: /^error: --type "x": no such type of delta/ },
    { name: "a selector field", args: ["pods", "--field-selector", "x=y"], says: /^error: .*not supported: x/ },
    { name: "a table in a pipe", args: ["pods", "--live"], says: /^error: --live redraws a table/ },
    {
      name: "a namespace and all of them",
      args: ["pods", "-A", "-n", "x"],
      says: /^error: -A and -n are mutually exclusive/,
    },
  ];
  for (const { name, args, says } of wrong) {
    test(`names what is wrong: ${name}`, async () => {
      const { code, stdout, stderr } = await run(...args);
      expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
      expect(stderr).toMatch(says);
    });
  }

  test("names missing permissions before anything is listed", async () => {
    const { code, stderr } = await run("secrets", "-n", "default", "--as", "nobody");
    expect(code).toBe(2);
    expect(stderr).toMatch(/^error: not allowed to list secrets in namespace default as user nobody \(2 of 2 rights/);
  });

  describe("trace of one object", () => {
    const trace = (...args: string[]): Program => startProgram(["trace", ...args], { kubeconfig: cluster.kubeconfig });

    test("selects the controllers of its kind and their dependents, and prints no control character from the cluster", async () => {
      const into = await namespace();
      await deploy(into);
      await using program = trace("deploy/web", "-n", into, "--all");
      await program.says(/^shadow: our deployment, replicaset, .*\btaint-eviction, pod-garbage-collector \(/m);
      await program.says(/sync \d+ · replicaset watch-\d+\/web-\w+ /);
      const annotations = { a: "x\u001b]0;forged\u0007\u001b[31mred" };
      await patch(into, "deployments/web", { metadata: { annotations } }, "a-tool");
      await program.says(/\.annotations.*forged.*by a-tool/);
      program.signal("SIGINT");
      const { code, stdout } = await program.end();
      expect(code).toBe(0);
      // oxlint-disable-next-line no-control-regex -- checks that none of these is printed
      expect(stdout).not.toMatch(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/);
    });

    test("that is missing says so, and shows it once it exists", async () => {
      const into = await namespace();
      await using program = trace("replicaset", "rs/web", "-n", into);
      await program.says(
        new RegExp(`^there is no ReplicaSet ${into}/web; its syncs are shown as soon as it exists$`, "m"),
      );
      await replicaSet(into);
      await program.says(new RegExp(`sync \\d+ · replicaset ${into}/web `));
    });

    test("named with its namespace needs no -n", async () => {
      const into = await namespace();
      await replicaSet(into);
      await using program = trace("replicaset", `${into}/web`, "--all");
      await program.says(new RegExp(`sync \\d+ · replicaset ${into}/web `));
      expect(program.stdout).not.toContain("there is no");
    });

    test("of a type that the controller does not watch is refused", async () => {
      await using program = trace("replicaset", "deploy/web");
      const { code, stderr } = await program.end();
      expect({ code, stderr }).toEqual({
        code: 2,
        stderr: `error: deploy/web: deploy is neither a type that these controllers watch nor a namespace
they watch ReplicaSet, Pod
`,
      });
    });

    test("by the garbage collector needs no -A, and shows only that object", async () => {
      const into = await namespace();
      await deploy(into);
      await using program = trace("gc", "--why", "deploy/web", "-n", into);
      await program.says(/^garbage-collector shadows all namespaces/m);
      await program.says(/^caches/m);
      await cluster.request("DELETE", `/apis/apps/v1/namespaces/${into}/deployments/web?propagationPolicy=Background`);
      await program.says(/sync \d+ · garbage-collector ReplicaSet/);
      program.signal("SIGINT");
      expect((await program.end()).code).toBe(0);
    });

    test("that is a namespace needs no -A either", async () => {
      const into = await namespace();
      const finalizers = ["example.com/hold"];
      await cluster.request("POST", `/api/v1/namespaces/${into}/configmaps`, {
        metadata: { name: "held", finalizers },
      });
      await cluster.request("DELETE", `/api/v1/namespaces/${into}`);
      await using program = trace(`ns/${into}`);
      await program.says(new RegExp(`sync \\d+ · namespace ${into} `));
      program.signal("SIGINT");
      expect((await program.end()).code).toBe(0);
    });
  });

  test("has sent only reads and self reviews, according to the audit log", async () => {
    const ours = (await cluster.audit()).filter(({ userAgent }) => userAgent?.startsWith("kubectl-reconcile") === true);
    const sent = new Set(
      ours.map(({ verb, objectRef }) => (verb === "create" ? `create ${objectRef?.resource}` : verb)),
    );
    expect([...sent].sort()).toEqual(["create selfsubjectaccessreviews", "get", "list", "watch"]);
  });
});
