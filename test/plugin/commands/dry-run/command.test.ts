/** `dry-run` as users run it, with manifests only. */
import { beforeAll, describe, expect, test } from "bun:test";
import { mkdirSync, mkdtempSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { ConfigMaps } from "../../../../src/api/kinds.ts";
import { defineController } from "../../../../src/controller/api/definition.ts";
import { watchPrimary } from "../../../../src/controller/api/primary.ts";
import { dryRunCommand } from "../../../../plugin/commands/dry-run/dry-run.ts";
import { fakeIo } from "../../../support/fake-io.ts";
import { configMap, manifestFiles } from "./manifest-files.ts";
import { rejection } from "../../../support/rejection.ts";

const files = manifestFiles();
const { fileOf } = files;

interface Ended {
  readonly code: number;
  readonly text: string;
}

async function dryRun(
  { named = [], ...options }: { readonly named?: readonly string[]; readonly [option: string]: unknown },
  columns?: number,
): Promise<Ended> {
  const io = fakeIo(columns === undefined ? {} : { columns });
  const given = { from: "manifests", ...options } as never;
  const code = await dryRunCommand.execute({ arguments: [...named], options: given }, io);
  return { code, text: io.outText() };
}

function deployment(name: string, replicas: number): object {
  const labels = { app: name };
  return {
    apiVersion: "apps/v1",
    kind: "Deployment",
    metadata: { name },
    spec: {
      replicas,
      selector: { matchLabels: labels },
      template: { metadata: { labels }, spec: { containers: [{ name: "c", image: "i" }] } },
    },
  };
}

function node(name: string, more: object = {}): object {
  return { apiVersion: "v1", kind: "Node", metadata: { name }, ...more };
}

describe("objects in the baseline and not in -f", () => {
  test("are named, and stay", async () => {
    const [before, after] = [fileOf(deployment("api", 1), configMap("c")), fileOf(configMap("c"))];
    const { code, text } = await dryRun({ baseline: [before], manifests: [after] });
    expect(text).toContain("in the baseline, not in -f: Deployment default/api; --prune deletes them");
    expect(text).toContain("nothing would change");
    expect(code).toBe(0);
  });

  test("are deleted with --prune, with their dependents", async () => {
    const [before, after] = [fileOf(deployment("api", 1), configMap("c")), fileOf(configMap("c"))];
    const { code, text } = await dryRun({ baseline: [before], manifests: [after], prune: true, failOn: ["delete"] });
    expect(text).toContain("- Deployment default/api");
    expect(text).toContain("3 deleted");
    expect(text).not.toContain("in the baseline, not in -f");
    expect(code).toBe(1);
  });

  test("are handled by a controller in a file beside all others", async () => {
    let synced = 0;
    const own = defineController({
      name: "own",
      purpose: "counts",
      for: ConfigMaps,
      watches: [watchPrimary(ConfigMaps)],
      rules: [],
      permissions: [],
      sync: () => Promise.resolve(void synced++),
    });
    const io = { ...fakeIo(), controllerFiles: new Map([["./own.ts", [own]]]) };
    const options = { from: "manifests", manifests: [fileOf(configMap("c"))] } as never;
    await dryRunCommand.execute({ arguments: ["all", "./own.ts"], options }, io);
    expect(synced).toBeGreaterThan(0);
  });

  test("are not handled by a controller without a part in a dry run, which is refused", async () => {
    const error = await rejection(dryRun({ named: ["pv-binder"], manifests: [fileOf(configMap("c"))] }));
    expect(String(error)).toContain(
      "a dry run does not run persistentvolume-binder: whether claims are bound is judged",
    );
    const old = await rejection(dryRun({ named: ["token-cleaner"], manifests: [fileOf(configMap("c"))] }));
    expect(String(old)).toContain("a dry run does not run token-cleaner: it only removes tokens that have expired");
    const keyed = await rejection(dryRun({ named: ["csrsigning"], manifests: [fileOf(configMap("c"))] }));
    const hint = "`trace certificatesigningrequest-signing --sandbox`";
    expect(keyed).toMatchObject({ next: [expect.stringContaining(hint) as string] });
  });

  test("are reported as pruned, not as deleted by an option --delete", async () => {
    const [before, after] = [fileOf(configMap("a"), configMap("b")), fileOf(configMap("b"))];
    const { text } = await dryRun({
      baseline: [before],
      manifests: [after],
      prune: true,
      output: "junit",
      failOn: ["delete"],
    });
    expect(text).toContain('<testcase classname="--prune" name="ConfigMap default/a"/>');
    expect(text).toContain("ConfigMap default/a would be deleted: deleted, by --prune");
  });

  describe("in an empty folder with --prune", () => {
    let empty: string;
    beforeAll(() => {
      empty = mkdtempSync(join(files.folder, "empty-"));
    });

    test("are all of the baseline", async () => {
      const { code, text } = await dryRun({ baseline: [fileOf(configMap("a"))], manifests: [empty], prune: true });
      expect(text).toContain("- ConfigMap default/a  deleted, by --prune");
      expect(code).toBe(1);
    });

    test("are none if the baseline is empty: everything is new", async () => {
      const { code, text } = await dryRun({ baseline: [empty], manifests: [fileOf(configMap("a"))], prune: true });
      expect(text).toContain("1 created");
      expect(code).toBe(1);
    });

    test("are unknown if there are sub-folders that were not read", async () => {
      const outer = mkdtempSync(join(files.folder, "outer-"));
      mkdirSync(join(outer, "inner"));
      writeFileSync(join(outer, "inner", "a.json"), JSON.stringify(configMap("a")));
      const error = await rejection(dryRun({ baseline: [fileOf(configMap("a"))], manifests: [outer], prune: true }));
      expect(error).toMatchObject({ message: `no objects found in ${outer}`, next: ["-R reads sub-folders too"] });
    });
  });

  test("are not sought in a folder that does not exist; the option is named", async () => {
    const missing = join(files.folder, "nowhere");
    const given = { baseline: [missing], manifests: [fileOf(configMap("a"))], output: "github" };
    const error = await rejection(dryRun(given));
    const next = ["--baseline takes files, folders, URLs, or - for standard input"];
    // No annotation is on a line of a file.
    expect(error).toMatchObject({ message: `there is no file ${missing}`, next });
    expect(await rejection(dryRun({ ...given, prune: true }))).toMatchObject({
      next: [...next, "a folder may be empty, but must exist"],
    });
  });

  test("need both for --prune", async () => {
    const error = await rejection(dryRun({ manifests: [fileOf(configMap("c"))], prune: true }));
    expect(String(error)).toContain("--prune compares -f with --baseline");
  });
});

test("objects that may not become available are not reported as available", async () => {
  const claim = {
    apiVersion: "resource.k8s.io/v1",
    kind: "ResourceClaim",
    metadata: { name: "gpu" },
    spec: { devices: { requests: [{ name: "gpu", exactly: { deviceClassName: "gpu.example.com" } }] } },
  };
  const pod = {
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name: "model" },
    spec: {
      containers: [{ name: "c", image: "i" }],
      resourceClaims: [{ name: "gpu", resourceClaimName: "gpu" }],
    },
  };
  const { code, text } = await dryRun({ manifests: [fileOf(claim, pod, deployment("web", 2))] });
  expect(text).toContain("? Pod default/model: cannot tell whether it becomes available");
  expect(text).toMatch(/created\. Deployment default\/web: available 2 of 2$/m);
  expect(code).toBe(5);
});

describe("the namespaces of an empty cluster", () => {
  const inNamespace = (namespace: string): object => ({
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: { name: "c", namespace },
  });
  const namespace = (name: string): object => ({ apiVersion: "v1", kind: "Namespace", metadata: { name } });

  test("are dangling if manifests create others", async () => {
    const manifests = [fileOf(namespace("shop"), inNamespace("shpo"))];
    const { code, text } = await dryRun({ manifests, failOn: ["dangling"] });
    const why = "no manifest creates Namespace shpo: did you mean shop?";
    expect(text).toContain(`! ConfigMap shpo/c .metadata.namespace: ${why}`);
    expect(code).toBe(1);
  });

  test("may be created by the baseline, be named by -n, or be in every cluster", async () => {
    const baseline = [fileOf(namespace("shop"))];
    const manifests = [fileOf(inNamespace("shop"), inNamespace("kube-system"), inNamespace("tools"))];
    const { code, text } = await dryRun({ baseline, manifests, namespace: "tools", failOn: ["dangling"] });
    expect(text).toContain("no manifest creates Namespace tools, assumed to exist");
    expect(code).toBe(0);
  });

  test("are assumed, and named, if no manifest creates any", async () => {
    const { code, text } = await dryRun({
      manifests: [fileOf(inNamespace("a"), inNamespace("b"))],
      failOn: ["dangling"],
    });
    expect(text).toContain("no manifest creates Namespaces a, b, assumed to exist");
    expect(code).toBe(0);
  });
});

test("--from cluster needs no change", async () => {
  const error = await rejection(dryRun({ from: "cluster", kubeconfig: join(files.folder, "none") }));
  expect(String(error)).not.toContain("nothing to dry-run");
});

describe("the nodes of an empty cluster", () => {
  const crowd = (): string => fileOf(deployment("web", 400));

  test("are three, and the answer says so if that is too few", async () => {
    const { code, text } = await dryRun({ manifests: [crowd()] });
    expect(text).toContain("the empty cluster has 3 nodes of 8 CPUs, 16 GiB and room for 110 pods each: --nodes");
    expect(code).toBe(4);
  });

  test("are as many as --nodes says", async () => {
    const { code, text } = await dryRun({ manifests: [crowd()], nodes: 4 });
    expect(text).toContain("Deployment default/web: available 400 of 400");
    expect(code).toBe(0);
  });

  test("are those of the manifests if there are any, and accept pods", async () => {
    const room = { status: { capacity: { pods: "5" } } };
    const baseline = fileOf(node("a", room), node("b", room));
    const { code, text } = await dryRun({ baseline: [baseline], manifests: [fileOf(deployment("web", 11))] });
    expect(text).toContain("available 10 of 11: Pod web-");
    expect(text).toContain("0/2 nodes are available: 2 Too many pods.");
    expect(text).not.toContain("--nodes");
    expect(code).toBe(4);
  });

  test("keep the taints from their manifests", async () => {
    const taints = { spec: { taints: [{ key: "gpu", effect: "NoSchedule" }] } };
    const { text } = await dryRun({ manifests: [fileOf(node("a", taints), deployment("web", 1))] });
    expect(text).toContain("0/1 nodes are available: 1 node(s) had untolerated taint");
  });
});

describe("a thousand objects", () => {
  const many = Array.from({ length: 1000 }, (_, n) => configMap(`cm-${n}`));
  const lines = ({ text }: Ended): readonly string[] => text.split("\n");

  test("are counted, in readable lines", async () => {
    const end = await dryRun({ manifests: [fileOf(...many, deployment("web", 1))] });
    expect(lines(end)[0]).toBe("applied 1000 ConfigMaps created · Deployment default/web created");
    expect(end.text).toContain("+ 1000 ConfigMaps  applied: default/cm-0, default/cm-1 and 998 more");
    expect(Math.max(...lines(end).map((line) => line.length))).toBeLessThan(300);
  });

  test("are ten annotations on GitHub", async () => {
    const { text } = await dryRun({ manifests: [fileOf(...many)], output: "github" });
    expect(text.match(/^::notice /gm)).toHaveLength(10);
    expect(text).toContain("::notice title=991 more notices::");
  });

  test("include ten by name, and count the rest", async () => {
    const short = Array.from({ length: 30 }, (_, n) => deployment(`web-${n}`, 1));
    const { text } = await dryRun({ manifests: [fileOf(...short)], nodes: 0 });
    expect(text.match(/^! Deployment .*: available 0 of 1/gm)).toHaveLength(10);
    expect(text).toContain("! and 20 more not available: 20 Deployments");
  });
});

describe("the diffs of controllers' objects", () => {
  const manifests = (): readonly string[] => [fileOf(deployment("web", 2))];

  test("are omitted, and printed on request", async () => {
    const plain = await dryRun({ manifests: manifests() });
    expect(plain.text).toContain("+++ Deployment default/web (after)");
    expect(plain.text).not.toContain("+++ 2 Pods");
    expect(plain.text).toContain("diffs left out: 3 objects made by controllers (--show-generated prints them)");
    const all = await dryRun({ manifests: manifests(), showGenerated: true });
    expect(all.text).toContain("+++ 2 Pods");
  });

  test("come before the rest on a terminal, and after it in a file", async () => {
    const places = ({ text }: Ended): boolean =>
      text.indexOf("+++ Deployment") < text.indexOf("+ Deployment default/web  ");
    expect(places(await dryRun({ manifests: manifests() }, 120))).toBe(true);
    expect(places(await dryRun({ manifests: manifests() }))).toBe(false);
  });
});

test("JUnit has a test for each object, which fails by what fails the job", async () => {
  const { spec, ...web } = deployment("logs", 1) as { readonly spec: { readonly replicas?: number } };
  const { replicas: _replicas, ...rest } = spec;
  const service = { apiVersion: "v1", kind: "Service", metadata: { name: "x" } };
  const file = fileOf(
    deployment("web", 1),
    { ...web, kind: "DaemonSet", spec: rest },
    { ...service, spec: { selector: { a: "b" }, ports: [{ port: 1 }] } },
  );
  const failing = { manifests: [file], nodes: 0, output: "junit", failOn: ["unavailable,dangling"] };
  const { text } = await dryRun({ ...failing, named: ["deployment", "replicaset"] });
  const plain = text.replaceAll(file, "FILE");
  expect(plain).toContain('<testsuites name="kubectl reconcile dry-run" tests="4" failures="2" skipped="1">');
  expect(plain).toMatch(
    /<testcase classname="FILE" name="Deployment default\/web">\n {6}<failure message="[^"]*available 0 of 1/,
  );
  expect(plain).toContain('<failure message="Service default/x .spec.selector: no pod has the labels a=b"/>');
  expect(plain).toContain(
    '<skipped message="cannot tell whether it becomes available: no controller here runs DaemonSets"/>',
  );
  const free = await dryRun({ manifests: [file], nodes: 0, output: "junit", failOn: ["delete"] });
  expect(free.text).toContain('failures="0"');
});
