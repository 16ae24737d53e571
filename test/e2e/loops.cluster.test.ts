/** `loops` against a real API server with the real kube-controller-manager: it finds fights, and does not take a rollout for a loop. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { seededRandom } from "../../src/platform/random.ts";
import { type Cluster, controllersMissing, startCluster } from "../support/cluster.ts";
import type { StoredObject } from "../../src/api/object.ts";
import { type Effect, effectsOf } from "../support/audit-log.ts";
import { attributions } from "../support/recorded-versions.ts";
import type { ObjectLoop } from "../../src/views/loops/loop.ts";
import { operatorMissing, startOperator } from "./support/operator.ts";
import { eventually } from "./support/workload.ts";
import { actIn, type Culprit, fights, honest, type LoopScene, widgets } from "./loops-scenes.ts";
import { recordWriters } from "./loops-writers.ts";
import { type Program, runProgram, startProgram } from "./support/program.ts";

const merge = { "content-type": "application/merge-patch+json" };

/** Measures whether the machine held this process up. */
class Probe implements Disposable {
  #worstMs = 0;
  readonly #timer: ReturnType<typeof setInterval>;

  constructor() {
    let last = performance.now();
    this.#timer = setInterval(() => {
      this.#worstMs = Math.max(this.#worstMs, performance.now() - last);
      last = performance.now();
    }, probedEveryMs);
  }

  get wasBusy(): boolean {
    return this.#worstMs > 4 * probedEveryMs;
  }

  [Symbol.dispose](): void {
    clearInterval(this.#timer);
  }
}
const probedEveryMs = 50;

describe.skipIf(controllersMissing !== undefined)("loops", () => {
  let cluster: Cluster;
  beforeAll(async () => {
    cluster = await startCluster({ controllers: "*", audit: true });
    await cluster.createNamespace("shop");
  });
  afterAll(() => cluster.stop());

  function start(...args: string[]): Program {
    return startProgram(["loops", ...args], { kubeconfig: cluster.kubeconfig });
  }

  async function patch(path: string, body: unknown, manager: string): Promise<void> {
    const { status } = await cluster.request("PATCH", `${path}?fieldManager=${manager}`, body, merge);
    expect(status).toBe(200);
  }

  test("finds the fight over a field, its values and its writers, but not in a rollout", async () => {
    const configMaps = "/api/v1/namespaces/shop/configmaps";
    const deployments = "/apis/apps/v1/namespaces/shop/deployments";
    const template = (image: string): object => ({
      metadata: { labels: { app: "web" } },
      spec: { containers: [{ name: "web", image }] },
    });
    await cluster.request("POST", configMaps, { metadata: { name: "settings" }, data: { mode: "blue", size: "1" } });
    await cluster.request("POST", deployments, {
      metadata: { name: "web" },
      spec: { replicas: 6, selector: { matchLabels: { app: "web" } }, template: template("nginx:1") },
    });
    await using program = start("-n", "shop", "--fail-on", "loop");
    await program.says(/^watching \d+ kinds after/m);
    for (let n = 0; n < 28; n++) {
      await patch(`${configMaps}/settings`, { data: { mode: n % 2 === 0 ? "green" : "blue" } }, `tool-${n % 2}`);
      if (n % 7 === 0)
        await patch(`${deployments}/web`, { spec: { template: template(`nginx:${n + 2}`) } }, "deployer");
      await Bun.sleep(250);
    }
    await program.says(/^found {3}ConfigMap shop\/settings: \.data\.mode · \d+ writes in [\d.]+ s$/m);
    program.signal("SIGINT");
    const { code, stdout, stderr } = await program.end();
    expect(code).toBe(3);
    const loop = stdout.trimEnd();
    // One block, for the only loop.
    expect(loop.split("\n\n")).toEqual([loop]);
    expect(loop).toMatch(
      /^loop {4}ConfigMap shop\/settings: written 28 times in [\d.]+ s, \d+ a (second|minute)\n {8}\.data\.mode green ⇄ blue \(27 changes, by tool-0 and tool-1\)\n/,
    );
    expect(loop).toMatch(/^ {8}writers tool-[01] 1[34] writes · tool-[01] 1[34] writes/m);
    // The writer of the first write is unknown, and is omitted.
    expect(loop).not.toContain("unknown");
    expect(loop).toMatch(/^ {8}see it: kubectl.reconcile watch configmaps\/settings -n shop -o wide$/m);
    expect(stderr).toMatch(/^watched \d+ kinds for [\d.]+ s: 1 loop/m);
  });

  test("finds nothing in a cluster at rest, in every kind, and says so", async () => {
    const { code, stdout, stderr } = await runProgram(["loops", "-A", "--for", "7s", "--fail-on", "loop"], {
      kubeconfig: cluster.kubeconfig,
    });
    expect({ code, stdout }).toEqual({ code: 0, stdout: "" });
    expect(stderr).toMatch(/^watched [3-9]\d kinds for 7(\.\d)? s: (no loop in \d+ changes?|nothing was written)$/m);
  });

  test("-o json prints a line for each loop; kinds can be named", async () => {
    const path = "/api/v1/namespaces/shop/configmaps";
    await cluster.request("POST", path, { metadata: { name: "beat" }, data: { at: "0" } });
    await using program = start("cm", "-n", "shop", "--for", "9s", "-o", "json");
    await program.says(/^watching 1 kind after/m);
    for (let n = 1; n <= 20; n++) {
      await patch(`${path}/beat`, { data: { at: `time ${n}` } }, "heart");
      await Bun.sleep(350);
    }
    const { code, stdout } = await program.end();
    expect(code).toBe(0);
    const [loop, end, ...more] = stdout.trimEnd().split("\n");
    expect(more).toEqual([]);
    expect(JSON.parse(loop ?? "")).toMatchObject({
      v: 1,
      loop: {
        is: "rewritten",
        key: "shop/beat",
        how: "renewed",
        fields: [{ path: ".data.at", returns: 0, everyWriteOf: "heart" }],
      },
    });
    expect(JSON.parse(end ?? "")).toMatchObject({ v: 1, verdict: { is: "found", evidence: { unseen: [] } } });
  });

  test("trace reports a fight over its controller's objects, and exits with 3 on request", async () => {
    const path = "/apis/apps/v1/namespaces/shop/replicasets";
    const labels = { app: "fought" };
    await cluster.request("POST", path, {
      metadata: { name: "fought" },
      spec: {
        replicas: 1,
        selector: { matchLabels: labels },
        template: { metadata: { labels }, spec: { containers: [{ name: "web", image: "nginx:1" }] } },
      },
    });
    await using program = startProgram(["trace", "replicaset", "-n", "shop", "--fail-on", "loop", "--for", "40s"], {
      kubeconfig: cluster.kubeconfig,
    });
    await program.says(/^caches .*ReplicaSet/m);
    const end = program.end();
    for (let n = 0; n < 100; n++) {
      await patch(`${path}/fought`, { spec: { replicas: n % 2 === 0 ? 2 : 1 } }, `tool-${n % 2}`);
      if ((await Promise.race([end, Bun.sleep(250)])) !== undefined) break;
    }
    const { code, stdout, stderr } = await end;
    expect(code).toBe(3);
    expect(stderr).toContain("ended by --fail-on loop");
    expect(stdout).toMatch(
      /^loop {4}ReplicaSet shop\/fought: written \d+ times in .*\n(?: {8}.*\n)*? {8}\.spec\.replicas [12] ⇄ [12] \(\d+ changes, by tool-0 and tool-1\)\n/m,
    );
    await cluster.request("DELETE", `${path}/fought`);
  });

  test("leaves out kinds that it cannot watch, and says so", async () => {
    const role = {
      metadata: { name: "some" },
      rules: [{ apiGroups: [""], resources: ["configmaps"], verbs: ["list", "watch"] }],
    };
    const rbac = "/apis/rbac.authorization.k8s.io/v1/namespaces/shop";
    await cluster.request("POST", `${rbac}/roles`, role);
    await cluster.request("POST", `${rbac}/rolebindings`, {
      metadata: { name: "some" },
      roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "Role", name: "some" },
      subjects: [{ apiGroup: "rbac.authorization.k8s.io", kind: "User", name: "someone" }],
    });
    const as = (name: string, ...args: string[]): ReturnType<typeof runProgram> =>
      runProgram(["loops", "-n", "shop", "--as", name, "--for", "6s", ...args], { kubeconfig: cluster.kubeconfig });
    const someone = await as("someone");
    expect(someone.code).toBe(0);
    expect(someone.stderr).toMatch(/^watched 1 kind for .*: .*cannot tell whether there is a loop; not seen: .*pods/m);
    expect((await as("someone", "--fail-on", "loop")).code).toBe(5);
    // Without activity, and without permission to see the namespace, it is unknown whether that exists.
    const named = await as("someone", "--fail-on", "loop", "cm");
    expect(named.code).toBe(5);
    expect(named.stderr).toContain("not seen: namespace shop (no right to read whether it exists)");
    expect(someone.stderr).toMatch(/^warning: not allowed to list and watch, and left out: .*secrets/m);
    expect(someone.stderr).toContain("watching 1 kind ");
    const nobody = await as("nobody", "cm");
    expect(nobody.code).toBe(2);
    expect(nobody.stderr).toMatch(/error: not allowed to list and watch any kind in namespace shop as user nobody/);
  });

  test("names object, field and writers of every fight and hot loop first, and none in normal work", async () => {
    const crds = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
    await cluster.request("POST", crds, widgets);
    await eventually(async () => {
      const { status } = await cluster.request("GET", "/apis/loops.example.com/v1/widgets");
      expect(status).toBe(200);
    });
    const scenes = [...fights, ...honest];
    const prepared = scenes.map(async ({ name, prepare }) => {
      await cluster.createNamespace(name);
      await prepare(actIn(cluster, name));
    });
    await Promise.all(prepared);
    await using program = start("-A", "--rate", "40", "-o", "json", "--fail-on", "loop");
    await program.says(/^watching \d+ kinds after/m);
    const over = new AbortController();
    const played = scenes.map((scene) => play(scene, over.signal));
    await Bun.sleep(22_000);
    // Each is reported while it continues; on a busy machine those with a controller take longer.
    for (const { name, culprit } of fights) if (culprit !== undefined) await program.says(foundLine(name, culprit));
    over.abort();
    await Promise.all(played);
    program.signal("SIGINT");
    const { code, stdout } = await program.end();
    expect(code).toBe(3);
    const lines = stdout
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line) as { readonly loop?: ObjectLoop });
    const loops = lines.flatMap(({ loop }) => loop ?? []);
    for (const { name, culprit } of scenes) {
      const here = loops.filter(({ key }) => key === name || key.startsWith(`${name}/`));
      const [first, ...others] = here;
      const [field] = first === undefined || first.is === "recreated" ? [] : first.fields;
      const writers = first?.is === "recreated" ? first.createdBy : field?.writers;
      const actual = first && {
        kind: first.of.kind,
        name: (first.key.split("/")[1] ?? first.key).replace(/^web-.*/, "web-"),
        path: first.is === "recreated" ? first.is : field?.path,
        writers: writers?.map((each) => each.name).toSorted(),
      };
      const { followers = [], ...expected } = culprit ?? {};
      expect({ scene: name, ...actual }).toEqual({ scene: name, ...expected } as never);
      expect(others.filter(({ of, followsFrom }) => followsFrom === undefined || !followers.includes(of.kind))).toEqual(
        [],
      );
    }
    // A deletion leaves no manager's name.
    expect(loops.flatMap((loop) => (loop.is === "recreated" ? loop.deletedBy.map(({ name }) => name) : []))).toEqual([
      undefined,
    ]);
    const known = new Set(scenes.map(({ name }) => name));
    expect(loops.filter(({ key }) => !known.has(key.split("/")[0] ?? ""))).toEqual([]);
  });

  test("names the hot loop of a Go operator within 10 s or 12 writes, in an annotation and in a template", async () => {
    const missing = Bun.which("go") === null ? "Go is not installed" : await operatorMissing();
    if (missing !== undefined) return console.log(`skipped: ${missing}`);
    await cluster.createNamespace("op");
    await using program = start("-n", "op", "--fail-on", "loop");
    await program.says(/^watching \d+ kinds after/m);
    using machine = new Probe();
    await using _operator = await startOperator(cluster.kubeconfig);
    for (const name of ["object", "template"]) {
      const tenant = { metadata: { name, labels: { tenant: "true" } }, data: { stamp: name } };
      expect((await cluster.request("POST", "/api/v1/namespaces/op/configmaps", tenant)).status).toBe(201);
    }
    const field = '.metadata.annotations["operator/last-reconcile"]';
    for (const [name, path] of [
      ["object", field],
      ["template", `.spec.template${field}`],
    ]) {
      const found = new RegExp(`^found {3}Deployment op/${name}: ${RegExp.escape(path ?? "")} · (\\d+) writes in`, "m");
      await program.says(found);
      // Measured by the API server's clock, however late this process reads it: the last write that was known at the report.
      const known = Number(found.exec(program.stderr)?.[1]);
      const [first, ...others] = versionsOf(effectsOf(await cluster.audit()), name ?? "");
      const last = others[known - 1];
      expect(first?.agent).toBe("operator");
      const afterMs = (last?.at ?? NaN) - (first?.at ?? NaN);
      // On a busy machine the operator itself takes longer for its first writes, and the program for its reports.
      if (known > 12) expect(afterMs).toBeLessThan(machine.wasBusy ? 30_000 : 10_000);
      else expect(last).toBeDefined();
    }
    program.signal("SIGINT");
    const { code, stdout } = await program.end();
    expect(code).toBe(3);
    const causes = stdout.split("\n").filter((line) => line.startsWith("loop "));
    expect(causes.map((line) => line.replace(/:.*/, "")).toSorted()).toEqual([
      "loop    Deployment op/object",
      "loop    Deployment op/template",
    ]);
    for (const path of [field, `.spec.template${field}`]) {
      // Its first write may create the whole annotations map, and then does not count.
      const renewed = RegExp.escape(`every write of operator changes ${path}: `);
      const another = `${RegExp.escape(` ${path} changes on every write: `)}.*, by operator\\)`;
      expect(stdout).toMatch(new RegExp(`${renewed}|${another}`));
    }
  });

  /** The writes that created a version of the Deployment, starting with its creation. */
  function versionsOf(effects: readonly Effect[], name: string): readonly Effect[] {
    const seen = new Set<string>();
    return effects.filter(({ resource, namespace, name: of, code, response }) => {
      if (namespace !== "op" || of !== name || !resource.startsWith("deployments.apps") || code >= 300) return false;
      const { resourceVersion } = (response as StoredObject).metadata;
      const isNew = !seen.has(resourceVersion);
      seen.add(resourceVersion);
      return isNew;
    });
  }

  function foundLine(scene: string, { kind, name, path }: Culprit): RegExp {
    const what = path === "recreated" ? "deleted and created again" : path;
    const object = `${kind} (?:${RegExp.escape(scene)}/)?${RegExp.escape(name)}[^ :]*`;
    return new RegExp(`^found {3}${object}: ${RegExp.escape(what)} · `, "m");
  }

  async function play({ name, everyMs, most = Infinity, write }: LoopScene, signal: AbortSignal): Promise<void> {
    const act = actIn(cluster, name);
    const over = new Promise<void>((resolve) => signal.addEventListener("abort", () => resolve()));
    for (let n = 0; !signal.aborted && n < most; n++)
      await Promise.all([write(act, n), Promise.race([Bun.sleep(everyMs), over])]);
  }

  test("names the right writer of a change or none, whoever writes and however", async () => {
    const seed = Number(process.env["SEED"] ?? Math.floor(Math.random() * 1e6));
    console.log(`writers: SEED=${seed}`);
    const update = process.env["UPDATE_GOLDEN"] === "1";
    const versions = await recordWriters(cluster, "writers", seededRandom(seed), update ? 90 : 250);
    if (update)
      writeFileSync(join(import.meta.dir, "..", "api", "recorded-writers.json"), `${JSON.stringify(versions)}\n`);
    const attributed = attributions(versions);
    expect(attributed.filter(({ by, inferred: name }) => name !== undefined && name !== by)).toEqual([]);
    const added = attributed.filter(({ how }) => /^(sets|applies)/.test(how));
    expect(added.filter(({ inferred: name }) => name === undefined)).toEqual([]);
    expect(added.length).toBeGreaterThan(20);
  });

  test("suggests the intended name for an unknown namespace or kind", async () => {
    const end = async (...args: string[]): Promise<string> => {
      const { code, stderr } = await runProgram(["loops", ...args, "--fail-on", "loop", "--for", "1s"], {
        kubeconfig: cluster.kubeconfig,
      });
      return `${code} ${stderr.trimEnd().split("\n").slice(1).join(" · ")}`;
    };
    expect(await end("-n", "shpo")).toMatch(/^2 error: there is no namespace shpo on .* · did you mean shop\? · /);
    expect(await end("-n", "nosuch")).toMatch(/^2 error: there is no namespace nosuch on/);
    expect(await end("podz")).toMatch(/^2 error: .*"podz" · did you mean pods\? · `.* loops --help`/);
  });

  test("has sent only reads and self reviews, according to the audit log", async () => {
    const ours = (await cluster.audit()).filter(({ userAgent }) => userAgent?.startsWith("kubectl-reconcile") === true);
    const sent = new Set(
      ours.map(({ verb, objectRef }) => (verb === "create" ? `create ${objectRef?.resource}` : verb)),
    );
    expect([...sent].sort()).toEqual(["create selfsubjectaccessreviews", "get", "list", "watch"]);
  });

  // The last test, because it kills the API server.
  test("does not take a broken watch for a quiet cluster: the result is unknown", async () => {
    await using program = start("-n", "shop", "--fail-on", "loop", "--for", "6s");
    const traceFailingOn = (what: string): Program =>
      startProgram(["trace", "replicaset", "-n", "shop", "--fail-on", what, "--for", "8s"], {
        kubeconfig: cluster.kubeconfig,
      });
    await using traced = traceFailingOn("loop");
    await using compared = traceFailingOn("differs");
    await program.says(/^watching \d+ kinds after/m);
    await traced.says(/^caches/m);
    await compared.says(/^caches/m);
    await cluster.killApiServer();
    const { code, stderr } = await program.end();
    expect(code).toBe(5);
    expect(stderr).toMatch(
      /cannot tell whether there is a loop; not seen: .*Deployment.* \(the watch broke \d+ s ago: /,
    );
    const ended = await traced.end();
    expect(ended.code).toBe(5);
    expect(ended.stderr).toMatch(/^cannot tell whether there is a loop: .*ReplicaSet: the watch broke \d+ s ago: /m);
    const differing = await compared.end();
    expect(differing.code).toBe(5);
    expect(differing.stderr).toMatch(
      /^cannot tell whether anything differs: .*ReplicaSet.* \(the watch broke \d+ s ago/m,
    );
  });
});
