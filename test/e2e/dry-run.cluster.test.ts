/** `dry-run` against a real cluster with controllers: what it reads and prints, and that it writes nothing. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { effectsOf } from "../support/audit-log.ts";
import { type Cluster, controllersMissing, startCluster } from "../support/cluster.ts";
import {
  deployer,
  deployment,
  failingWebhook,
  heldNamespace,
  podWithClaim,
  policy,
  quota,
  reader,
  volume,
  web,
  widget,
  widgetDefinition,
} from "./support/dry-run-manifests.ts";
import { type ProgramEnd, runProgram } from "./support/program.ts";
import { eventually } from "./support/workload.ts";

describe.skipIf(controllersMissing !== undefined)("dry-run on a real cluster", () => {
  let cluster: Cluster;
  let manifests = 0;

  async function applied(text: string): Promise<void> {
    expect(await cluster.kubectl(["apply", "-f", "-"], text)).toMatchObject({ code: 0, stderr: "" });
  }

  function dryRun(...args: string[]): Promise<ProgramEnd> {
    return runProgram(["dry-run", ...args], { kubeconfig: cluster.kubeconfig });
  }

  function fileOf(text: string): string {
    const file = join(cluster.dir, `manifests-${++manifests}.yaml`);
    writeFileSync(file, text);
    return file;
  }

  beforeAll(async () => {
    cluster = await startCluster({ controllers: "*", audit: true });
    await cluster.kubectl(["create", "namespace", "shop"]);
    await eventually(async () => {
      expect((await cluster.kubectl(["-n", "shop", "get", "serviceaccount", "default"])).code).toBe(0);
    });
    await applied(web(3));
    await eventually(async () => {
      const path = "jsonpath={.status.availableReplicas}";
      expect((await cluster.kubectl(["-n", "shop", "get", "rs", "web", "-o", path])).stdout).toBe("3");
      for (const [kind, ready] of [
        ["endpoints", "jsonpath={.items[*].subsets[*].addresses[*].ip}"],
        ["endpointslices", "jsonpath={.items[*].endpoints[?(@.conditions.ready)].addresses[0]}"],
      ] as const) {
        const { stdout } = await cluster.kubectl(["-n", "shop", "get", kind, "-o", ready]);
        expect(stdout.split(" ")).toHaveLength(3);
      }
    });
  });
  afterAll(() => cluster.stop());

  test("of applied manifests would change nothing: exit code 0", async () => {
    const { code, stdout, stderr } = await dryRun("-f", fileOf(web(3)));
    expect(stderr).toMatch(
      /^source {2}2 manifests over a snapshot of context c \(namespace shop, \d+ objects, revision \d+\)\n$/,
    );
    expect(stdout).toContain("applied ReplicaSet shop/web unchanged · Service shop/web unchanged");
    expect(stdout).toContain("nothing would change. ReplicaSet shop/web: available 3 of 3");
    expect(stdout).not.toContain("drift");
    expect(code).toBe(0);
  });

  test("of a change shows what controllers would do: exit code 1", async () => {
    const { code, stdout } = await dryRun("-f", fileOf(web(5, 81)));
    expect(stdout).toContain("~ ReplicaSet shop/web  applied: .spec.replicas 3 → 5");
    expect(stdout).toContain("+ 2 Pods shop/web-…    scale-up: 2 of 5 pods are missing → create 2");
    expect(stdout).toContain("2 created, 4 changed. ReplicaSet shop/web: available 5 of 5");
    expect(code).toBe(1);
  });

  test("scales down existing objects", async () => {
    const { code, stdout } = await dryRun("--scale", "rs/web=1", "-n", "shop");
    expect(stdout).toContain("- 2 Pods shop/web-…    scale-down: 2 of 3 pods are too many → delete 2");
    expect(code).toBe(1);
  });

  test("for a user with few permissions shows what is unknown, and still answers", async () => {
    await applied(reader);
    const { code, stdout } = await dryRun("-f", fileOf(web(4)), "--as", "reader");
    expect(stdout).toContain("nodes could not be read; pods are placed on 3 simulated ones of 8 CPUs and 16 GiB\n");
    expect(stdout).toContain("replicationcontroller is left out: replicationcontrollers could not be read\n");
    expect(stdout).toContain("+ Pod shop/web-…");
    expect(code).toBe(1);
  });

  test("for a user with the permissions from docs/ci.md lacks only Secrets", async () => {
    const doc = readFileSync(join(import.meta.dir, "../../docs/ci.md"), "utf8");
    const printed = [...doc.matchAll(/```yaml\n([\s\S]*?)```/g)].map((match) => match[1] ?? "");
    await applied(printed.find((text) => text.includes("kind: ClusterRole")) ?? "");
    await eventually(async () => {
      const { code, stdout } = await dryRun("-f", fileOf(web(4)), "--as", "ci");
      expect(stdout.split("\n").slice(1, 3)).toEqual(["not read: secrets", ""]);
      expect(code).toBe(1);
    });
  });

  test("names a kind that the cluster does not serve", async () => {
    const foo = "apiVersion: example.com/v1\nkind: Foo\nmetadata: {name: x}\n";
    const { code, stderr } = await dryRun("-f", fileOf(foo));
    expect(stderr).toContain("document 1 (Foo x), line 2: there is no kind Foo in example.com/v1");
    expect(code).toBe(2);
  });

  test("reports a missing namespace as one error, unless a manifest creates it", async () => {
    const lost = deployment("shoop", "web", 1);
    const { code, stderr } = await dryRun("-f", fileOf(lost));
    expect(stderr).toMatch(
      /^error: there is no namespace shoop on the cluster, and no manifest creates it\n.*\.yaml, document 1 \(Deployment web\), line 4: there is no namespace shoop\ndid you mean shop\?\n$/,
    );
    expect(code).toBe(2);
    const bare = fileOf(lost.replace(", namespace: shoop", ""));
    const by = await dryRun("-f", bare, "-n", "shoop");
    expect(by.stderr).toMatch(/^error: there is no namespace shoop on https:.*\(context c\)\ndid you mean shop\?\n/);
    expect(by.code).toBe(2);
    const made = `apiVersion: v1\nkind: Namespace\nmetadata: {name: shoop}\n---${lost}`;
    expect((await dryRun("-f", fileOf(made))).stdout).toContain("Deployment shoop/web: available 1 of 1");
  });

  test("refuses to run if a required kind cannot be read", async () => {
    const config = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: c, namespace: shop}\n";
    const { code, stderr } = await dryRun("-f", fileOf(config), "--as", "reader");
    expect(stderr).toContain(
      "not allowed to list configmaps in namespace shop as user reader, and it is to be applied",
    );
    expect(code).toBe(2);
  });

  test("names kinds of explicitly named controllers that cannot be read", async () => {
    const { code, stderr } = await dryRun("rc", "-f", fileOf(web(4)), "--as", "reader");
    expect(stderr).toContain("not allowed to list replicationcontrollers");
    expect(code).toBe(2);
  });

  test("reports an unreachable cluster as an error", async () => {
    const { code, stderr } = await dryRun("-f", fileOf(web(3)), "--server", "https://127.0.0.1:1");
    expect(stderr).toContain("cannot reach https://127.0.0.1:1");
    expect(code).toBe(2);
  });

  test("names a manifest that the server would refuse, with its field", async () => {
    const { code, stderr } = await dryRun(
      "-f",
      fileOf(web(3).replace("matchLabels: {app: web}", "matchLabels: {app: other}")),
    );
    expect(stderr).toContain("document 1 (ReplicaSet web), line 9: spec.template.metadata.labels: Invalid value");
    expect(code).toBe(2);
  });

  test("names webhooks and policies, and with --server-validate marks what they refuse", async () => {
    await applied(policy);
    const file = fileOf(web(6));
    const plain = await dryRun("-f", file);
    expect(plain.stdout).toContain(
      "not called here: MutatingWebhookConfiguration inject (inject.example.com) would be called for create Pod\n",
    );
    expect(plain.stdout).toContain(
      "not evaluated here: ValidatingAdmissionPolicy few (Deny) would evaluate update ReplicaSet\n",
    );
    // A new policy takes a moment to become effective.
    await eventually(async () => {
      const { stdout } = await dryRun("-f", file, "--server-validate");
      expect(stdout).toContain("! server: patch ReplicaSet shop/web would be refused: ");
      expect(stdout).toContain("too many");
    });
  });

  async function namespaceMade(name: string): Promise<void> {
    await cluster.kubectl(["create", "namespace", name]);
    await eventually(async () => {
      expect((await cluster.kubectl(["-n", name, "get", "serviceaccount", "default"])).code).toBe(0);
    });
  }

  async function field(namespace: string, object: string, path: string): Promise<string> {
    return (await cluster.kubectl(["-n", namespace, "get", object, "-o", `jsonpath={${path}}`])).stdout;
  }

  test("predicts nothing about another namespace that is still being deleted", async () => {
    await applied(heldNamespace);
    await cluster.kubectl(["delete", "namespace", "stuck", "--wait=false"]);
    await eventually(async () => {
      expect(await field("", "namespace/stuck", ".status.conditions[*].type")).toContain(
        "NamespaceFinalizersRemaining",
      );
    });
    const { code, stdout } = await dryRun("-f", fileOf(web(3)));
    expect(stdout).not.toContain("drift");
    expect(stdout).not.toContain("stuck");
    expect(code).toBe(0);
  });

  test("lets a quota permit as many pods as it would", async () => {
    await namespaceMade("quota");
    await applied(quota);
    await eventually(async () => {
      expect(await field("quota", "resourcequota/few", ".status.hard.pods")).toBe("2");
    });
    const file = fileOf(deployment("quota", "web", 5));
    const { code, stdout } = await dryRun("-f", file);
    expect(stdout).toContain("! Deployment quota/web: available 2 of 5: ReplicaSet web-");
    expect(stdout).toContain("exceeded quota: few, requested: pods=1, used: pods=2, limited: pods=2");
    expect(code).toBe(4);
    expect(await cluster.kubectl(["apply", "-f", file])).toMatchObject({ code: 0 });
    await eventually(async () => {
      expect(await field("quota", "deployment/web", ".status.availableReplicas")).toBe("2");
      expect(
        await field("quota", "deployment/web", ".status.conditions[?(@.type=='ReplicaFailure')].message"),
      ).toContain("exceeded quota: few");
    });
    // The quota is unchanged, and so is the prediction: only the rollout will be reported as failed.
    const again = await dryRun("-f", file);
    expect(again.stdout).not.toMatch(/^[+-] |ReplicaFailure removed/m);
    expect(again.code).toBe(4);
  });

  test("with --prune deletes what is no longer in the manifests, with its dependents", async () => {
    await namespaceMade("prune");
    const both = fileOf(`${deployment("prune", "old", 2)}---${deployment("prune", "new", 1)}`);
    const one = fileOf(deployment("prune", "new", 1));
    expect(await cluster.kubectl(["apply", "-f", both])).toMatchObject({ code: 0 });
    await eventually(async () => {
      expect(await field("prune", "deployment/old", ".status.availableReplicas")).toBe("2");
      expect(await field("prune", "deployment/new", ".status.availableReplicas")).toBe("1");
    });
    const kept = await dryRun("-f", one, "--baseline", both);
    expect(kept.stdout).toContain("in the baseline, not in -f: Deployment prune/old; --prune deletes them");
    expect(kept.code).toBe(0);
    const pruned = await dryRun("-f", one, "--baseline", both, "--prune", "--fail-on", "delete");
    expect(pruned.stdout).toMatch(/- Deployment prune\/old .*deleted, by --prune/);
    expect(pruned.stdout).toMatch(/- 2 Pods prune\/old-/);
    expect(pruned.stdout).toContain("4 deleted. Deployment prune/new: available 1 of 1");
    expect(pruned.code).toBe(1);
  });

  test("reports a dangling reference, which keeps pods from starting", async () => {
    const file = fileOf(deployment("shop", "needy", 1, ", envFrom: [{configMapRef: {name: none}}]"));
    const { code, stdout } = await dryRun("-f", file, "--fail-on", "dangling");
    expect(stdout).toContain(
      "! Deployment shop/needy .spec.template.spec.containers[0].envFrom[0].configMapRef.name: there is no ConfigMap shop/none",
    );
    expect(stdout).toContain("! Deployment shop/needy: available 0 of 1");
    expect(code).toBe(1);
    await cluster.kubectl(["-n", "shop", "create", "configmap", "none"]);
    const later = await dryRun("-f", file, "--fail-on", "dangling,unavailable");
    expect(later.stdout).toContain("Deployment shop/needy: available 1 of 1");
    expect(later.code).toBe(0);
  });

  test("keeps refusing pods if a webhook refuses them; asked, that refuses new ones too", async () => {
    await namespaceMade("wh");
    await applied(failingWebhook);
    // A new webhook takes a moment to become effective.
    await eventually(async () => {
      const pod =
        "apiVersion: v1\nkind: Pod\nmetadata: {name: p, namespace: wh}\nspec: {containers: [{name: c, image: i}]}\n";
      expect((await cluster.kubectl(["create", "--dry-run=server", "-f", "-"], pod)).code).toBe(1);
    });
    const file = fileOf(deployment("wh", "web", 2));
    const validated = await dryRun("-f", file, "--server-validate");
    expect(validated.stdout).toContain("! Deployment wh/web: available 0 of 2: the API server would refuse it: ");
    expect(validated.stdout).toContain('failed calling webhook "bad.example.com"');
    expect(validated.code).toBe(4);
    expect(await cluster.kubectl(["apply", "-f", file])).toMatchObject({ code: 0 });
    await eventually(async () => {
      expect(await field("wh", "deployment/web", ".status.conditions[?(@.type=='ReplicaFailure')].status")).toBe(
        "True",
      );
    });
    const later = await dryRun("-f", file);
    expect(later.stdout).not.toMatch(/^[+-] |ReplicaFailure removed/m);
    expect(later.stdout).toMatch(/! Deployment wh\/web: available 0 of 2: .*failed calling webhook/);
    expect(later.code).toBe(4);
  });

  test("with --server-validate reports no missing permissions that only controllers need", async () => {
    await applied(deployer);
    const file = fileOf(web(4));
    await eventually(async () => {
      const { code, stdout } = await dryRun("-f", file, "--server-validate", "--as", "deployer");
      expect(stdout).toContain(
        "not validated: user deployer has no right to make them; on the cluster the controllers do",
      );
      expect(stdout).not.toContain('User "deployer" cannot create');
      expect(stdout).toContain("ReplicaSet shop/web: available 4 of 4");
      expect(code).toBe(1);
    });
  });

  test("keeps the pods of a claim without a volume waiting, as the cluster does; a claim with a matching volume counts as bound", async () => {
    await namespaceMade("disks");
    await applied(volume);
    const fits = await dryRun("-f", fileOf(podWithClaim("fits", "by-hand")));
    expect(fits.stdout).toContain(
      "PersistentVolumeClaim disks/fits: assumed to be bound (PersistentVolume by-hand matches)\n",
    );
    expect(fits.code).toBe(1);
    const file = fileOf(podWithClaim("lost", "nosuch"));
    const lost = await dryRun("-f", file);
    expect(lost.stdout).toContain(
      "! Pod disks/lost: available 0 of 1: Pod lost: claim disks/lost stays Pending: there is no StorageClass nosuch, and no PersistentVolume matches",
    );
    expect(lost.code).toBe(4);
    await applied(podWithClaim("fits", "by-hand"));
    await applied(podWithClaim("lost", "nosuch"));
    await eventually(async () => {
      expect(await field("disks", "pvc/fits", ".status.phase")).toBe("Bound");
      const events = await cluster.kubectl(["-n", "disks", "get", "events", "-o", "jsonpath={.items[*].message}"]);
      expect(events.stdout).toContain('storageclass.storage.k8s.io "nosuch" not found');
      expect(await field("disks", "pod/lost", ".status.conditions[?(@.type=='PodScheduled')].message")).toContain(
        "unbound immediate PersistentVolumeClaims",
      );
    });
    // It is bound now, and nothing is assumed any more.
    expect((await dryRun("-f", fileOf(podWithClaim("fits", "by-hand")))).stdout).not.toContain("assumed to be bound");
  });

  describe("of custom resources", () => {
    const old = "size: 1, tags: [a, b], note: old, ports: [{port: 80}]";
    /** Changed lines of the diffs, in any order, without the generation that the server counts. */
    const changed = (text: string): string[] =>
      text
        .split("\n")
        .filter((line) => /^[+-] /.test(line) && !/^. +generation:/.test(line) && !/^[+-] Widget/.test(line))
        .toSorted();

    beforeAll(async () => {
      await applied(widgetDefinition);
      await eventually(async () => {
        expect(await cluster.kubectl(["apply", "-f", "-"], widget(old))).toMatchObject({
          code: 0,
        });
      });
      // Fields of other writers stay.
      const patches = [
        ["--subresource=status", '{"status":{"phase":"Ready"}}'],
        ["--type=merge", '{"spec":{"owner":"somebody"},"metadata":{"labels":{"by":"controller"}}}'],
      ];
      for (const [how = "", patch = ""] of patches) {
        const done = await cluster.kubectl(["-n", "shop", "patch", "widget", "w", "--type=merge", how, "-p", patch]);
        expect(done).toMatchObject({ code: 0 });
      }
    });

    const rows = [
      { name: "unchanged, with lists whose items have defaults", spec: old },
      { name: "with a changed field", spec: old.replace("size: 1", "size: 2") },
      {
        name: "with a changed list, a removed field and a new one",
        spec: "size: 1, tags: [b], deep: {a: {b: 1}}, ports: [{port: 80}, {port: 81}]",
      },
      { name: "with a field of another writer", spec: `${old}, owner: me` },
      {
        name: "with a status, which the server ignores",
        spec: old,
        more: "status: {phase: Lost}",
      },
    ];
    test.each(rows)("$name: equals kubectl diff", async ({ spec, more = "" }) => {
      const file = fileOf(`${widget(spec)}${more}\n`);
      const judge = await cluster.kubectl(["diff", "-f", file]);
      const { code, stdout } = await dryRun("-f", file);
      expect({ code, lines: changed(stdout) }).toEqual({ code: judge.code, lines: changed(judge.stdout) });
      expect(stdout.includes("without the checks of their kinds: Widget shop/w")).toBe(judge.code === 1);
    });

    test("a new one is created with its defaults; with --server-validate the server's refusal is shown", async () => {
      const file = fileOf(widget("size: 1").replace("name: w", "name: new"));
      const plain = await dryRun("-f", file);
      expect(plain.stdout).toMatch(/^\+ Widget shop\/new +applied$/m);
      expect(plain.code).toBe(1);
      expect(plain.stdout).toContain("+  colour: red\n");
      const validated = await dryRun("-f", file, "--server-validate");
      expect(validated.stdout).toContain("server: 1 of 1 distinct writes accepted unchanged\n");
      expect(validated.stdout).not.toContain("without the checks");
      const refused = await dryRun("-f", fileOf(widget("size: many")), "--server-validate");
      expect(refused.stdout).toContain("! server: patch Widget shop/w would be refused: ");
      expect((await cluster.kubectl(["-n", "shop", "get", "widget", "new"])).code).toBe(1);
    });

    test("a deleted one is removed", async () => {
      const { code, stdout } = await dryRun("--delete", "widget/w", "-n", "shop");
      expect(stdout).toMatch(/^- Widget shop\/w +deleted, as asked$/m);
      expect(code).toBe(1);
    });

    test("one that cannot be read is not compared, and the result is unknown", async () => {
      await applied(reader);
      const { code, stdout } = await dryRun("-f", fileOf(widget("size: 1")), "--as", "reader");
      expect(stdout).toContain("not compared (not allowed to get widgets.example.com): Widget shop/w");
      expect(stdout).not.toContain("nothing would change");
      expect(code).toBe(5);
    });
  });

  test("has the same output for the same input", async () => {
    const file = fileOf(web(7));
    const [first, second] = [await dryRun("-f", file, "-o", "json"), await dryRun("-f", file, "-o", "json")];
    const plain = (text: string): string =>
      text.replace(/revision \d+/, "").replace(/shop\/web-\w{5}|"web-\w{5}"/g, "");
    expect(plain(second.stdout)).toBe(plain(first.stdout));
  });

  test("has sent only reads and dry-run writes", async () => {
    const ours = (await cluster.audit()).filter(({ userAgent = "" }) => userAgent.startsWith("kubectl-reconcile/"));
    expect(ours.length).toBeGreaterThan(20);
    expect(effectsOf(ours).filter(({ dryRun: isDry }) => !isDry)).toEqual([]);
    const verbs = new Set(ours.filter(({ requestURI }) => !requestURI.includes("dryRun=All")).map(({ verb }) => verb));
    expect([...verbs].sort()).toEqual(["get", "list"]);
  });
});
