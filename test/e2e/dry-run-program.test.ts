/**
 * `dry-run -- COMMAND`: an operator in a fork that keeps the cluster's initial state. Requests to the cluster are checked in its audit log.
 */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { seededRandom } from "../../src/platform/random.ts";
import { realTimeline } from "../../src/platform/real-timeline.ts";
import { builtInControllers } from "../../src/controllers/index.ts";
import { type Embedded, startEmbedded } from "../../src/modes/run/embedded.ts";
import { metadataPolicy } from "../../src/sandbox/audit/policy.ts";
import { serveSandbox } from "../../src/sandbox/https.ts";
import type { AuditEvent } from "../support/audit-log.ts";
import { type ProgramEnd, startProgram } from "./support/program.ts";

const operator = [process.execPath, join(import.meta.dir, "support", "small-operator.ts")] as const;
const core = "/api/v1/namespaces/default";

const map = (name: string, size: string): object => ({
  apiVersion: "v1",
  kind: "ConfigMap",
  metadata: { name, labels: { copy: "yes" } },
  data: { size, colour: "red" },
});
const deployment = (image: string): object => ({
  apiVersion: "apps/v1",
  kind: "Deployment",
  metadata: { name: "shop" },
  spec: {
    replicas: 2,
    selector: { matchLabels: { app: "shop" } },
    template: {
      metadata: { labels: { app: "shop" } },
      spec: { containers: [{ name: "shop", image, envFrom: [{ configMapRef: { name: "settings" } }] }] },
    },
  },
});
const definition = {
  apiVersion: "apiextensions.k8s.io/v1",
  kind: "CustomResourceDefinition",
  metadata: { name: "widgets.example.com" },
  spec: {
    group: "example.com",
    scope: "Namespaced",
    names: { plural: "widgets", kind: "Widget" },
    versions: [{ name: "v1", served: true, storage: true, schema: { openAPIV3Schema: { type: "object" } } }],
  },
};

const anything = { type: "object", "x-kubernetes-preserve-unknown-fields": true };
const open = {
  ...definition,
  spec: {
    ...definition.spec,
    versions: [{ name: "v1", served: true, storage: true, schema: { openAPIV3Schema: anything } }],
  },
};
const widgets = "/apis/example.com/v1/namespaces/default/widgets";

/** Code for a program without libraries that sends requests to its API server. */
const requestCode = `
  const config = await Bun.file(process.env.KUBECONFIG).text();
  const found = (field) => new RegExp(field + ": (\\\\S+)").exec(config)[1];
  const ask = (method, path, body) =>
    fetch(found("server") + path, {
      method,
      headers: { authorization: "Bearer " + found("token"), "user-agent": "small/1", "content-type": "application/json" },
      tls: { ca: atob(found("certificate-authority-data")) },
      body: body && JSON.stringify(body),
    });`;

/** Creates one workload whose pods refer to a missing ConfigMap. */
const makes = `${requestCode}
  const labels = { app: "made" };
  const envFrom = [{ configMapRef: { name: "nowhere" } }];
  const template = { metadata: { labels }, spec: { containers: [{ name: "c", image: "i", envFrom }] } };
  const spec = { replicas: 2, selector: { matchLabels: labels }, template };
  const path = "/apis/apps/v1/namespaces/default/" + process.env.KIND.toLowerCase() + "s";
  await ask("POST", path, { metadata: { name: "made" }, spec });
  setInterval(() => undefined, 1000);`;

/** Works only while it holds a Lease, and takes none from another holder. */
const leader = `${requestCode}
  const leases = "/apis/coordination.k8s.io/v1/namespaces/default/leases";
  const name = process.env.NAME;
  const there = await ask("GET", leases + "/leader");
  const lease = there.status === 404 ? { metadata: { name: "leader" }, spec: {} } : await there.json();
  if ((lease.spec.holderIdentity ?? "") !== "") process.exit(5);
  lease.spec = { holderIdentity: name, leaseDurationSeconds: 600 };
  if (there.status === 404) await ask("POST", leases, lease);
  else await ask("PUT", leases + "/leader", lease);
  await ask("POST", "/api/v1/namespaces/default/configmaps", { metadata: { name: "led-by-" + name } });
  setInterval(() => undefined, 1000);`;

describe("a program's dry run", () => {
  let cluster: Embedded;
  let served: Awaited<ReturnType<typeof serveSandbox>>;
  let folder: string;
  let kubeconfig: string;
  const audit: AuditEvent[] = [];
  beforeAll(async () => {
    const timeline = realTimeline();
    cluster = await startEmbedded({
      timeline,
      random: seededRandom(1),
      controllers: builtInControllers.filter(({ disabledByDefault }) => disabledByDefault !== true),
      audit: { policy: metadataPolicy, write: (event) => void audit.push(JSON.parse(event) as AuditEvent) },
    });
    served = await serveSandbox(cluster.sandbox);
    folder = mkdtempSync(join(tmpdir(), "dry-run-program-"));
    kubeconfig = join(folder, "kubeconfig");
    writeFileSync(kubeconfig, served.kubeconfig(), { mode: 0o600 });
    await send("POST", `${core}/configmaps`, map("web", "1"));
    await send("POST", `${core}/configmaps`, { metadata: { name: "settings" } });
    await send("POST", "/apis/apps/v1/namespaces/default/deployments", deployment("a"));
    await until("its pods are ready", async () => {
      const { items } = await send("GET", `${core}/pods`);
      return items.length === 2 && items.every(({ status }) => status.phase === "Running");
    });
  }, 60_000);
  afterAll(async () => {
    await served.close();
    await cluster.stop();
    rmSync(folder, { recursive: true });
  });

  interface Listed {
    readonly items: readonly {
      readonly metadata: { readonly name: string };
      readonly status: { readonly phase?: string };
    }[];
  }

  async function send(method: string, path: string, body?: object): Promise<Listed> {
    const response = await fetch(`${served.url}${path}`, {
      method,
      headers: { authorization: `Bearer ${served.identity.token}`, "content-type": "application/json" },
      tls: { ca: served.identity.certificate.ca },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    expect(response.status).toBeLessThan(300);
    // This test requests only lists.
    return (await response.json()) as Listed;
  }

  async function until(what: string, holds: () => Promise<boolean>): Promise<void> {
    for (let tries = 0; tries < 600; tries++) {
      if (await holds()) return;
      await Bun.sleep(50);
    }
    throw new Error(`not within half a minute: ${what}`);
  }

  function file(name: string, ...objects: readonly object[]): string {
    const path = join(folder, name);
    writeFileSync(path, objects.map((object) => JSON.stringify(object)).join("\n---\n"));
    return path;
  }

  async function dryRun(args: readonly string[], program: readonly string[] = operator): Promise<ProgramEnd> {
    await using run = startProgram(["dry-run", "--quiet-child", ...args, "--", ...program], { kubeconfig });
    return await run.end();
  }

  test("shows what the operator and the controllers would do after a change, why, and writes nothing", async () => {
    const before = audit.length;
    const change = file("change.yaml", map("web", "2"), deployment("b"));
    const { code, stdout } = await dryRun(["-f", change]);
    expect(stdout).toContain("+ ConfigMap default/web-copy");
    expect(stdout).toMatch(/^~ ConfigMap default\/web-copy +copier: because ConfigMap web Updated \(\.data\.size\)$/m);
    expect(stdout).toMatch(/^~ Deployment default\/shop +applied: \.spec\.template.*ready pods 2 → 2/m);
    expect(stdout).toMatch(/^\+ 2 Pods default\/shop-\S+-…/m);
    expect(stdout).toMatch(/^- 2 Pods default\/shop-\S+-…/m);
    expect(stdout).toMatch(/^steady after \d+ syncs: .*\. Deployment default\/shop: available 2 of 2$/m);
    expect(code).toBe(1);
    const ours = audit.slice(before).filter(({ userAgent }) => userAgent?.startsWith("kubectl-reconcile/") === true);
    expect(ours.length).toBeGreaterThan(20);
    const reads = ["get", "list", "watch", "selfsubjectaccessreviews"];
    const did = ours.map(({ verb, objectRef }) => (verb === "create" ? objectRef?.resource : verb) ?? "");
    expect(did.filter((verb) => !reads.includes(verb))).toEqual([]);
    const { items } = await send("GET", `${core}/configmaps`);
    expect(items.map(({ metadata }) => metadata.name)).not.toContain("web-copy");
  }, 60_000);

  test("separates what the operator does without the change as drift", async () => {
    const { code, stdout } = await dryRun(["-f", file("same.yaml", map("web", "1"))]);
    expect(stdout).toContain("drift   even without the change, the cluster would change:");
    expect(stdout).toMatch(/^\+ ConfigMap default\/web-copy {2}copier: because ConfigMap web Replaced$/m);
    expect(stdout).toMatch(/^steady after 0 syncs: nothing would change$/m);
    expect(code).toBe(0);
  }, 60_000);

  test("without a change treats the program's start as the change", async () => {
    const { code, stdout, stderr } = await dryRun([]);
    expect(stderr).toMatch(/^source {2}a fork of context \S+: the cluster is only read$/m);
    expect(stdout).not.toContain("drift");
    expect(stdout).toMatch(/^\+ ConfigMap default\/web-copy {2}copier: because ConfigMap web Replaced$/m);
    expect(code).toBe(1);
  }, 60_000);

  test.each([
    [
      "field too many",
      1,
      /^~ ConfigMap default\/web-copy +copier: because ConfigMap web\S* Replaced$[^]*^- {2}extra: "1"$/m,
    ],
    ["none", 0, /^steady after 0 syncs: nothing would change$/m],
  ])(
    "two versions differ where they differ: an earlier one with the bug %p",
    async (bug, exitCode, says) => {
      const { code, stdout, stderr } = await dryRun([
        "--baseline-command",
        `env BUG="${bug}" ${operator.join(" ")}`,
        "--quiet",
        "1s",
      ]);
      expect(stderr.match(/^started .* as process \d+$/gm)?.length).toBe(2);
      expect(stdout).toContain("+ ConfigMap default/web-copy  copier: because ConfigMap web Replaced");
      expect(stdout).toMatch(says);
      expect(code).toBe(exitCode);
    },
    60_000,
  );

  test("lets a later version run without the Lease of the earlier one", async () => {
    const leads = join(folder, "leads.ts");
    writeFileSync(leads, leader);
    const earlier = `env NAME=one ${process.execPath} ${leads}`;
    const { code, stdout } = await dryRun(
      ["--baseline-command", earlier, "--quiet", "1s"],
      ["env", "NAME=two", process.execPath, leads],
    );
    expect(stdout).toMatch(/^\+ ConfigMap default\/led-by-two /m);
    expect(code).toBe(1);
  }, 60_000);

  test.each([
    [
      "Deployment",
      4,
      /^! Deployment default\/made: available 0 of 2: Pod made-\S+: there is no ConfigMap default\/nowhere /m,
    ],
    [
      "StatefulSet",
      4,
      /^! StatefulSet default\/made: available 0 of 2: Pod made-0: there is no ConfigMap default\/nowhere /m,
    ],
    [
      "DaemonSet",
      4,
      /^! DaemonSet default\/made: available 0 of 3: Pod made-\S+: there is no ConfigMap default\/nowhere /m,
    ],
  ])(
    "a %s that a program creates is judged as an applied one",
    async (kind, exitCode, says) => {
      const maker = join(folder, "makes.ts");
      writeFileSync(maker, makes);
      const program = ["env", `KIND=${kind}`, process.execPath, maker];
      const { code, stdout } = await dryRun(["--from", "manifests", "--quiet", "1s"], program);
      expect(stdout).toMatch(says);
      expect(stdout).toMatch(/^steady after /m);
      expect(code).toBe(exitCode);
    },
    30_000,
  );

  test("without a cluster has definitions before the program starts, so that their kinds can be applied", async () => {
    const watcher = `
      const config = await Bun.file(process.env.KUBECONFIG).text();
      const found = (field) => new RegExp(field + ": (\\\\S+)").exec(config)[1];
      const tls = { ca: atob(found("certificate-authority-data")) };
      const headers = { authorization: "Bearer " + found("token"), "user-agent": "widgets/1" };
      const path = found("server") + "/apis/example.com/v1/widgets";
      const list = await fetch(path, { headers, tls });
      if (list.status !== 200) process.exit(4);
      const { metadata } = await list.json();
      await (await fetch(path + "?watch=1&resourceVersion=" + metadata.resourceVersion, { headers, tls })).text();`;
    const widget = { apiVersion: "example.com/v1", kind: "Widget", metadata: { name: "a" } };
    const manifests = file("widgets.yaml", definition, widget);
    const { code, stdout } = await dryRun(["--from", "manifests", "-f", manifests], [process.execPath, "-e", watcher]);
    expect(stdout).toContain("applied CustomResourceDefinition widgets.example.com created · Widget default/a created");
    expect(stdout).not.toContain("not followed");
    expect(stdout).toMatch(/^steady after 0 syncs: 2 created$/m);
    expect(code).toBe(0);
  }, 60_000);

  test("changes an existing custom resource as kubectl does", async () => {
    const sized = (size: number): object => ({
      apiVersion: "example.com/v1",
      kind: "Widget",
      metadata: { name: "b" },
      spec: { size, ports: [{ port: size }] },
    });
    await send("POST", "/apis/apiextensions.k8s.io/v1/customresourcedefinitions", open);
    await until("widgets are served", async () => {
      const response = await fetch(`${served.url}${widgets}`, {
        headers: { authorization: `Bearer ${served.identity.token}` },
        tls: { ca: served.identity.certificate.ca },
      });
      return response.status === 200;
    });
    await send("POST", widgets, sized(1));
    const { code, stdout } = await dryRun(["-f", file("sized.yaml", sized(2))]);
    expect(stdout).toMatch(/^applied Widget default\/b configured$/m);
    expect(stdout).toMatch(/^~ Widget default\/b +applied: .*\.spec\.size 1 → 2 and 1 more$/m);
    expect(code).toBe(1);
  }, 60_000);

  test("reports an operator that never stops as a loop, with object and field", async () => {
    const endless = ["env", "BUG=endless", ...operator];
    const { code, stdout } = await dryRun(["--from", "manifests", "-f", file("one.yaml", map("a", "1"))], endless);
    expect(stdout).toMatch(/^loop: the cluster returns to the same state every \S+ \w+; written by copier$/m);
    expect(stdout).toMatch(/^ {2}ConfigMap default\/a-copy {2}\.data\.turn$/m);
    expect(stdout).toMatch(/^never steady, after \d+ syncs: 2 created so far$/m);
    expect(code).toBe(3);
  }, 60_000);

  test.each([
    [["/nonexistent/manager"], "cannot start /nonexistent/manager: there is no such program"],
    [["sh", "-c", "exit 3"], "sh -c exit 3 exited with code 3 before the cluster was steady"],
    [["sleep", "60"], "sleep 60 has sent no request within 3 s"],
  ])("a program that is of no use: %p", async (program, says) => {
    const manifests = ["--from", "manifests", "-f", file("some.yaml", map("a", "1"))];
    const { code, stderr, stdout } = await dryRun(["--timeout", "3s", ...manifests], program);
    expect(stderr).toContain(`error: ${says}`);
    expect([code, stdout]).toEqual([2, ""]);
  });

  test("reports an earlier version that does not exist", async () => {
    const { code, stderr, stdout } = await dryRun(["--baseline-command", "/nonexistent/v1 --fast"]);
    expect(stderr).toContain("error: /nonexistent/v1 --fast exited with code 127");
    expect(stderr).toContain("is its path right, and may it be executed?");
    expect([code, stdout]).toEqual([2, ""]);
  });

  test("refuses --baseline-command without a program", async () => {
    await using run = startProgram(["dry-run", "--baseline-command", "./old"], {});
    const { code, stderr } = await run.end();
    expect(stderr).toContain("error: --baseline-command is for a program after --");
    expect(code).toBe(2);
  });

  test.each([
    [["--seed", "2"], operator, "--seed has no effect on a program"],
    [["--server-validate"], operator, "--server-validate has no effect on a program"],
    [[], [], "no program after --"],
  ])("is refused: %p %p", async (args, program, says) => {
    const { code, stderr } = await dryRun(["-f", file("any.yaml", map("a", "1")), ...args], program);
    expect(stderr).toContain(`error: ${says}`);
    expect(code).toBe(2);
  });

  test("interrupted, ends the program and removes its kubeconfig", async () => {
    const temporary = mkdtempSync(join(folder, "temporary-"));
    await using run = startProgram(
      ["dry-run", "--from", "manifests", "-f", file("b.yaml", map("b", "1")), "--", "env", "BUG=none", ...operator],
      { temporary },
    );
    await run.says(/copier begins/);
    const pid = Number(/as process (\d+)/.exec(run.stderr)?.[1]);
    expect(readdirSync(temporary)).toEqual([expect.stringMatching(/^kubectl-reconcile-/)]);
    run.signal("SIGINT");
    expect((await run.end()).code).toBe(130);
    await until("the program has ended", () => Promise.resolve(!isRunning(pid)));
    expect(readdirSync(temporary)).toEqual([]);
  }, 60_000);
});

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
