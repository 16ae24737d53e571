/** When `run` refuses before it writes anything: exit code 2, one clear line on standard error, and the next step. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { makeCertificates } from "../platform/certificates.ts";
import { type Cluster, clusterMissing, controllersMissing, startCluster } from "../support/cluster.ts";
import { type Program, runProgram, startProgram } from "./support/program.ts";
import { Workload } from "./support/workload.ts";

describe.skipIf(clusterMissing !== undefined)("run refuses", () => {
  let cluster: Cluster;
  beforeAll(async () => {
    cluster = await startCluster();
    await cluster.createNamespace("shop");
  });
  afterAll(() => cluster.stop());

  const file = (name: string, content: string): string => {
    const path = join(cluster.dir, name);
    writeFileSync(path, content);
    return path;
  };

  const kubeconfigTrusting = (ca: string): string =>
    file(
      "other-ca",
      readFileSync(cluster.kubeconfig, "utf8").replace(
        /certificate-authority-data: [^}]*/,
        `certificate-authority: ${ca}`,
      ),
    );

  const mistakes: readonly {
    readonly name: string;
    readonly args: readonly string[];
    readonly kubeconfig?: () => string;
    /** Patterns for its lines on standard error. */
    readonly says: readonly RegExp[];
  }[] = [
    {
      name: "a server that does not respond",
      args: ["-s", "https://127.0.0.1:1"],
      says: [
        /^error: cannot reach https:\/\/127\.0\.0\.1:1 \(context c\): connection refused$/,
        /is the cluster up\? try /,
      ],
    },
    {
      name: "a server with an unknown host name",
      args: ["-s", "https://nobody.invalid"],
      says: [/^error: cannot reach https:\/\/nobody\.invalid \(context c\): /, /is the cluster up\?/],
    },
    {
      name: "a TLS server without TLS",
      args: ["-s", "http://127.0.0.1:PORT"],
      says: [/^error: .*HTTP request to an HTTPS server/, /should begin with https:/],
    },
    {
      name: "a missing context",
      args: ["--context", "prod"],
      says: [/^error: cannot use the context prod: it is not in /, /^contexts there: c$/],
    },
    {
      name: "a missing kubeconfig",
      args: ["--kubeconfig", "/nonexistent/config"],
      says: [/^error: cannot read the kubeconfig \/nonexistent\/config: there is no such file$/, /--kubeconfig/],
    },
    {
      name: "no kubeconfig at all",
      args: [],
      kubeconfig: () => "/nonexistent/config",
      says: [/^error: cannot find a cluster: there is no kubeconfig/, /set KUBECONFIG or --kubeconfig/],
    },
    {
      name: "a kubeconfig that is not YAML",
      args: [],
      kubeconfig: () => file("not-yaml", "clusters: [{\n"),
      says: [/^error: cannot read the kubeconfig .*not-yaml: it is not YAML: /, /kubectl config view/],
    },
    {
      name: "a token that has expired",
      args: ["--token", "expired"],
      says: [/^error: https:\/\/127\.0\.0\.1:\d+ \(context c\) refuses the login /, /has it expired\?/],
    },
    {
      name: "a server with a certificate of another authority",
      args: [],
      kubeconfig: () => kubeconfigTrusting(file("stranger.crt", makeCertificates().strangerCa)),
      says: [/^error: cannot reach .* \(context c\): .*unknown authority$/, /--certificate-authority/],
    },
    {
      name: "a missing CA file",
      args: [],
      kubeconfig: () => kubeconfigTrusting("/nonexistent/ca.crt"),
      says: [/^error: cannot .*\/nonexistent\/ca\.crt/],
    },
    {
      name: "a missing namespace",
      args: ["-n", "shoop"],
      says: [/^error: there is no namespace shoop on /, /kubectl get namespaces/],
    },
    {
      name: "-A and -n together",
      args: ["-A", "-n", "shop"],
      says: [/^error: -A and -n are mutually exclusive/, /use only one/],
    },
    { name: "an invalid selector", args: ["-l", "a in (b"], says: [/^error: cannot read the label selector/] },
    {
      name: "an invalid number of workers",
      args: ["--workers", "0"],
      says: [/^error: .*--workers.*from 1 on/, /--help/],
    },
  ];
  for (const { name, args, kubeconfig, says } of mistakes) {
    test(name, async () => {
      const words = args.map((arg) => arg.replace("PORT", String(cluster.port)));
      const { code, stdout, stderr } = await runProgram(["run", "replicaset", ...words], {
        kubeconfig: kubeconfig?.() ?? cluster.kubeconfig,
      });
      const lines = stderr.trimEnd().split("\n");
      expect({ code, lines: lines.length < 4 }).toEqual({ code: 2, lines: true });
      // That a kind cannot be listed follows from the same mistake.
      expect(stdout).not.toMatch(/list of|watch of/);
      for (const [index, line] of says.entries()) expect(lines[index]).toMatch(line);
    });
  }

  for (const args of [
    ["watch", "pods"],
    ["watch", "replicaset"],
    ["trace", "replicaset"],
    ["loops", "--fail-on", "loop"],
    ["loops", "deployments"],
    ["why", "deploy/web"],
    ["why", "deploy"],
    ["dry-run", "--scale", "deploy/web=2"],
  ]) {
    test(`a missing namespace, also with ${args.join(" ")}`, async () => {
      const words = [...args, "-n", "shoop", "--context", "c"];
      const { code, stderr } = await runProgram(words, { kubeconfig: cluster.kubeconfig });
      const lines = stderr.trimEnd().split("\n");
      const [error = ""] = lines.filter((line) => line.startsWith("error"));
      expect(error).toMatch(/^error: there is no namespace shoop on https:\/\/127\.0\.0\.1:\d+ \(context c\)$/);
      expect(lines.at(-1)).toBe("`kubectl --context c get namespaces` lists those there are");
      expect(code).toBe(2);
    });
  }

  test("no cluster-scoped kind for the context's namespace, nor a user who cannot read namespaces", async () => {
    const options = { kubeconfig: cluster.kubeconfig };
    const nodes = await runProgram(["watch", "nodes", "--once", "-n", "shoop"], options);
    expect({ code: nodes.code, stderr: nodes.stderr.includes("error") }).toEqual({ code: 0, stderr: false });
    await cluster.kubectl(["create", "role", "reads", "-n", "shop", "--verb=list,watch", "--resource=pods"]);
    await cluster.kubectl(["create", "rolebinding", "reads", "-n", "shop", "--role=reads", "--user=reader"]);
    const read = await runProgram(["watch", "pods", "--once", "-n", "shop", "--as", "reader"], options);
    expect({ code: read.code, stderr: read.stderr.includes("error") }).toEqual({ code: 0, stderr: false });
  });

  test("a user without permissions, and names all that are missing", async () => {
    const { code, stderr } = await runProgram(["run", "replicaset", "-n", "shop", "--as", "dev"], {
      kubeconfig: cluster.kubeconfig,
    });
    expect(code).toBe(2);
    const [first = "", second = "", third = ""] = stderr.split("\n");
    expect(first).toBe(
      "error: not allowed to list replicasets in namespace shop as user dev (15 of 15 rights are missing)",
    );
    expect(second.trim().split(" · ").toSorted()).toEqual(
      [
        ...["get", "list", "watch"].map((verb) => `${verb} replicasets`),
        ...["create", "delete", "list", "patch", "watch"].map((verb) => `${verb} pods`),
        ...["replicasets/finalizers", "replicasets/status"].map((resource) => `update ${resource}`),
        ...["create", "patch"].map((verb) => `${verb} events`),
        ...["create", "get", "update"].map((verb) => `${verb} leases`),
      ].toSorted(),
    );
    expect(third).toContain("controllers replicaset -o rbac -n shop");
  });

  test("a user with some permissions, and names the missing ones", async () => {
    const rules = ["--verb=get,list,watch,create,update,patch", "--resource=pods,replicasets.apps,leases,events"];
    await cluster.kubectl(["create", "role", "some", "-n", "shop", ...rules]);
    await cluster.kubectl(["create", "rolebinding", "some", "-n", "shop", "--role=some", "--user=some"]);
    const { code, stderr } = await runProgram(["run", "rs", "-n", "shop", "--as", "some"], {
      kubeconfig: cluster.kubeconfig,
    });
    expect(code).toBe(2);
    expect(stderr).toContain("(3 of 15 rights are missing)");
    expect(stderr).toContain("  update replicasets/status · update replicasets/finalizers · delete pods\n");
  });

  test("no run because of a killed copy, whatever its scope", async () => {
    const options = { kubeconfig: cluster.kubeconfig };
    for (const [killed, next] of [
      [["-n", "shop"], ["-A"]],
      [["-A"], ["-n", "shop"]],
      [
        ["-n", "shop"],
        ["-n", "shop"],
      ],
    ] as const) {
      await using first = startProgram(["run", "replicaset", ...killed], options);
      await first.says(/^(?:running|starting)/m);
      first.signal("SIGKILL");
      await first.end();
      const { code, stderr } = await runProgram(["run", "replicaset", "--once", ...next], options);
      expect({ killed, next, code, stderr }).toEqual({ killed, next, code: 0, stderr: "" });
    }
  });

  test("a second copy of itself, until the first has ended; --force takes over, and the first one stops", async () => {
    const args = ["run", "replicaset", "-n", "shop"];
    const options = { kubeconfig: cluster.kubeconfig };
    await using first = startProgram(args, options);
    await first.says(/^(?:running|starting)/m);
    const second = await runProgram(args, options);
    expect(second.code).toBe(2);
    expect(second.stderr).toMatch(
      /^refused: another kubectl reconcile does this here \(Lease shop\/kubectl-reconcile-/m,
    );
    expect(second.stderr).toContain(`_${first.pid}_`);
    expect(second.stderr).toContain("--force");
    const wide = await runProgram(["run", "replicaset", "-A"], options);
    expect(wide.code).toBe(2);
    expect(wide.stderr).toMatch(
      /^refused: another kubectl reconcile, for namespace shop, is active on this cluster \(Lease shop\//,
    );
    await using third = startProgram([...args, "--force"], options);
    await third.says(/^(?:running|starting)/m);
    const end = await first.end();
    expect({ code: end.code, says: end.stderr }).toEqual({
      code: 2,
      says: expect.stringMatching(/stopped: Lease shop\/kubectl-reconcile-replicaset was taken by /) as string,
    });
  });
});

describe.skipIf(clusterMissing !== undefined)("run notices another owner that starts later", () => {
  let cluster: Cluster;
  let made = 0;
  beforeAll(async () => {
    cluster = await startCluster();
  });
  afterAll(() => cluster.stop());

  const as = "fieldManager=kube-controller-manager";

  async function running(...more: string[]): Promise<{ readonly workload: Workload; readonly program: Program }> {
    const name = `later-${++made}`;
    await cluster.createNamespace(name);
    const workload = new Workload(cluster, name);
    const program = startProgram(["run", "replicaset", "-n", name, ...more], { kubeconfig: cluster.kubeconfig });
    await program.says(/^(?:running|starting)/m);
    await workload.createReplicaSet("web", 2);
    await workload.settled("web", 2);
    // The server's times are whole seconds.
    await Bun.sleep(1500);
    return { workload, program };
  }

  function writeStatus({ namespace }: Workload, query: string): Promise<unknown> {
    const path = `/apis/apps/v1/namespaces/${namespace}/replicasets/web/status?${query}`;
    const type = { "content-type": "application/merge-patch+json" };
    return cluster.request("PATCH", path, { status: { fullyLabeledReplicas: 1 } }, type);
  }

  test("by a status that it writes, and exits with 2", async () => {
    const { workload, program } = await running();
    await using _ = program;
    await writeStatus(workload, as);
    const { code, stderr } = await program.end();
    expect({ code, lines: stderr.trimEnd().split("\n") }).toEqual({
      code: 2,
      lines: [
        `stopped: kube-controller-manager has written the status of ReplicaSet ${workload.namespace}/web, which our replicaset does here as well`,
        "To trace it without writing anything:",
        `  kubectl reconcile trace replicaset -n ${workload.namespace}`,
        "Use --force to run anyway.",
      ],
    });
  });

  test("by a pod that it creates for a ReplicaSet, too", async () => {
    const { workload, program } = await running();
    await using _ = program;
    const { metadata } = await workload.replicaSet("web");
    const owner = { apiVersion: "apps/v1", kind: "ReplicaSet", name: "web", uid: metadata.uid, controller: true };
    await cluster.request("POST", `/api/v1/namespaces/${workload.namespace}/pods?${as}`, {
      metadata: { name: "theirs", labels: { app: "web" }, ownerReferences: [owner] },
      spec: { containers: [{ name: "c", image: "none" }] },
    });
    const { code, stderr } = await program.end();
    expect(code).toBe(2);
    // It may be deleted as surplus before its owner can be determined.
    const what = `Pod ${workload.namespace}/theirs for ReplicaSet web`;
    expect(stderr).toMatch(
      new RegExp(`^stopped: (kube-controller-manager|another client) has created ${what}, which our `),
    );
  });

  test("but not by writes with kubectl; with --force it continues and reports it once", async () => {
    const { workload, program } = await running("--force");
    await using _ = program;
    await writeStatus(workload, "fieldManager=kubectl-edit");
    await workload.scale("web", 3);
    await workload.settled("web", 3);
    await Bun.sleep(1500);
    expect(program.stderr).toBe("");
    await writeStatus(workload, as);
    await program.says(/^warning: kube-controller-manager has written the status of ReplicaSet /m);
    await writeStatus(workload, as);
    await workload.scale("web", 4);
    await workload.settled("web", 4);
    program.signal("SIGINT");
    const { code, stderr } = await program.end();
    expect({ code, warnings: stderr.match(/^warning/gm)?.length }).toEqual({ code: 0, warnings: 1 });
  });
});

describe.skipIf(controllersMissing !== undefined)("run beside kube-controller-manager", () => {
  let cluster: Cluster;
  beforeAll(async () => {
    const kcmFlags = ["--leader-elect=true"];
    cluster = await startCluster({ controllers: "replicaset-controller", nodes: 0, scheduler: false, kcmFlags });
  });
  afterAll(() => cluster.stop());

  test("refuses with exit code 2 and the evidence; --force continues and names what it overrides", async () => {
    const options = { kubeconfig: cluster.kubeconfig };
    const workload = new Workload(cluster, "default");
    await workload.createReplicaSet("web", 2);
    await workload.settled("web", 2);
    const refused = await runProgram(["run", "replicaset"], options);
    expect(refused.code).toBe(2);
    const [first, ...next] = refused.stderr.trimEnd().split("\n");
    expect(first).toMatch(
      /^refused: kube-controller-manager is active on this cluster \(Lease kube-system\/kube-controller-manager, renewed \d+ s ago\)\.$/,
    );
    expect(next[0]).toBe(
      "If both run replicaset, each scale-up would create twice the pods, and each scale-down delete twice as many.",
    );
    expect(next.slice(1).map((line) => line.trim())).toEqual([
      "To trace it without writing anything:",
      "kubectl reconcile trace replicaset -n default",
      "Use --force to run anyway.",
    ]);
    const forced = await runProgram(["run", "replicaset", "--once", "--force"], options);
    expect(forced.code).toBe(0);
    expect(forced.stderr).toMatch(/^--force overrides: kube-controller-manager is active here \(Lease /);
    expect(forced.stderr).toContain("), and also runs the replicaset controller\n");
    expect(await workload.pods()).toHaveLength(2);
  });

  test("refuses if it cannot read the Lease, because then it cannot know", async () => {
    await cluster.request("POST", "/apis/rbac.authorization.k8s.io/v1/namespaces/default/roles", {
      metadata: { name: "all" },
      rules: [{ apiGroups: ["*"], resources: ["*"], verbs: ["*"] }],
    });
    await cluster.kubectl(["create", "rolebinding", "all", "--role=all", "--user=dev"]);
    const { code, stderr } = await runProgram(["run", "rs", "--as", "dev"], { kubeconfig: cluster.kubeconfig });
    expect(code).toBe(2);
    expect(stderr).toMatch(/^refused: (cannot tell whether )?kube-controller-manager is active on this cluster \(/);
  });
});

describe.skipIf(controllersMissing !== undefined)("run beside a control plane that elects no leaders", () => {
  let cluster: Cluster;
  let options: { readonly kubeconfig: string };
  beforeAll(async () => {
    cluster = await startCluster({ controllers: "*", nodes: 1 });
    options = { kubeconfig: cluster.kubeconfig };
    await cluster.kubectl(["create", "namespace", "empty"]);
  });
  afterAll(() => cluster.stop());

  for (const [name, who] of [
    ["replicaset", "kube-controller-manager"],
    ["deployment", "kube-controller-manager"],
    ["garbage-collector", "kube-controller-manager"],
    ["namespace", "kube-controller-manager"],
    ["scheduler", "kube-scheduler"],
    ["kubelet", "kwok"],
  ] as const) {
    test(`refuses ${name}, though no object shows its owner, and suggests to observe first`, async () => {
      const narrow = name === "replicaset" || name === "deployment";
      const where = narrow ? ["-n", "empty"] : ["-A"];
      const { code, stdout, stderr } = await runProgram(["run", name, ...where], options);
      // On a slow machine nothing has been written yet at the first check, and it prints that it checks again.
      const printed = stdout.split("\n").filter((line) => !line.startsWith("owner   looking again in "));
      expect({ code, printed }).toEqual({ code: 2, printed: [expect.stringMatching(/^context /), ""] });
      const lines = stderr.trimEnd().split("\n");
      expect(lines[0]).toMatch(
        new RegExp(`^refused: (cannot tell whether )?${who} is active on this cluster \\(.+\\)\\.$`),
      );
      expect(lines.at(-2)).toEndWith(` trace ${name} ${where.join(" ")}`);
      expect(lines.at(-1)).toBe("Use --force to run anyway.");
      expect(lines[1]).not.toContain("of what they own");
    });
  }
});
