/** `kubectl reconcile why --sandbox` as a program. For a real cluster see test/e2e/why.cluster.test.ts. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { runProgram } from "../../../e2e/support/program.ts";

let folder: string;
const deployment = (name: string, pod: string): string => `
apiVersion: apps/v1
kind: Deployment
metadata: {name: ${name}}
spec:
  replicas: 2
  selector: {matchLabels: {app: ${name}}}
  template:
    metadata: {labels: {app: ${name}}}
    spec: {${pod}containers: [{name: web, image: nginx}]}
`;

const crashing = deployment("crash", "").replace(
  "labels: {app: crash}}",
  'labels: {app: crash}, annotations: {sandbox.kubectl-reconcile.io/exit-code: "1"}}',
);

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "why-test-"));
  await writeFile(join(folder, "fine.yaml"), deployment("fine", ""));
  await mkdir(join(folder, "crash"));
  await writeFile(join(folder, "crash", "crash.yaml"), crashing);
  await writeFile(join(folder, "lost.yaml"), deployment("lost", "nodeSelector: {disk: ssd}, "));
});

afterAll(() => rm(folder, { recursive: true }));

describe("why --sandbox", () => {
  test("answers when the sandbox's controllers have nothing left to do", async () => {
    const { stdout, stderr, code } = await runProgram(["why", "deploy/fine", "--sandbox", "-f", folder]);
    expect({ stderr, code }).toEqual({ stderr: "", code: 0 });
    expect(stdout).toMatch(/^Deployment fine is as it should be: 2 of 2 pods of ReplicaSet fine-\w+ are available$/m);
    expect(stdout).not.toContain("our ");
  });

  test("runs the controllers there that need a cluster's keys", async () => {
    const annotations = "annotations: {kubernetes.io/service-account.name: default}";
    const secret = `{apiVersion: v1, kind: Secret, metadata: {name: token, ${annotations}}, type: kubernetes.io/service-account-token}`;
    await mkdir(join(folder, "secret"));
    await writeFile(join(folder, "secret", "secret.yaml"), secret);
    const { stdout, code } = await runProgram(["why", "secret/token", "--sandbox", "-f", join(folder, "secret")]);
    expect({ stdout, code }).toMatchObject({
      stdout: expect.stringMatching(
        /^Secret token is as it should be: it was filled with a token of ServiceAccount default$/m,
      ),
      code: 0,
    });
    // Some controllers clean up and fill Secrets; none reconciles all of them.
    expect(stdout).toEndWith("Nothing was written.\n");
  });

  test("names the ConfigMap that holds a pod", async () => {
    const spec = { containers: [{ name: "c", image: "i", envFrom: [{ configMapRef: { name: "cfg" } }] }] };
    const pod = { apiVersion: "v1", kind: "Pod", metadata: { name: "held" }, spec };
    const file = join(folder, "crash", "held.txt");
    await writeFile(file, JSON.stringify(pod));
    const { stdout, code } = await runProgram(["why", "pod/held", "--sandbox", "-f", file, "-o", "json"]);
    expect(code).toBe(1);
    const { findings } = JSON.parse(stdout) as { readonly findings: readonly { readonly why: string }[] };
    expect(findings.map(({ why }) => why)).toEqual([
      "there is no such ConfigMap, but the pod refers to it",
      'container c: CreateContainerConfigError: configmap "cfg" not found',
    ]);
  });

  test("does not take a container that crashes a second after its start for a running one", async () => {
    const { stdout, code } = await runProgram(["why", "deploy/crash", "--sandbox", "-f", join(folder, "crash")]);
    expect(code).toBe(1);
    expect(stdout).toMatch(/container web: CrashLoopBackOff, ended with exit code 1/);
    // kubectl cannot reach a cluster inside the program.
    expect(stdout).not.toContain("kubectl logs");
  });

  test("reports a whole namespace, as YAML and as Markdown", async () => {
    const yaml = await runProgram(["why", "--sandbox", "-f", folder, "-o", "yaml"]);
    expect(yaml.code).toBe(1);
    expect(yaml.stdout).toContain("is: waiting");
    const markdown = await runProgram(["why", "deploy", "--sandbox", "-f", folder, "-o", "markdown"]);
    expect(markdown.stdout).toMatch(/^### Deployment lost: waiting$/m);
    expect(markdown.stdout).toMatch(/^### Deployment fine: well$/m);
  });

  test("explains what a Deployment waits for, and how to follow it there", async () => {
    const { stdout, code } = await runProgram(["why", "deploy/lost", "--sandbox", "-f", folder]);
    expect(code).toBe(1);
    expect(stdout).toMatch(/2 Pods lost-\S+, lost-\S+ {2}not scheduled: 0\/3 nodes are available/);
    expect(stdout).toContain(`trace deployment --sandbox -f ${folder} -n default --why deployment/lost`);
  });

  test("suggests to follow a node by its life cycle; times are whole milliseconds", async () => {
    const { stdout } = await runProgram(["why", "node/node-2", "--sandbox"]);
    expect(stdout).toEndWith("trace node-lifecycle --sandbox --why node/node-2\n");
    const json = await runProgram(["why", "node/node-2", "--sandbox", "-o", "json"]);
    const { lastWrites } = JSON.parse(json.stdout) as { readonly lastWrites: readonly { readonly agoMs: number }[] };
    expect(lastWrites.length).toBeGreaterThan(0);
    expect(lastWrites.map(({ agoMs }) => Number.isInteger(agoMs))).not.toContain(false);
  });

  test("suggests to follow a pod by the controller of its owner", async () => {
    await mkdir(join(folder, "db"));
    const file = join(folder, "db", "db.yaml");
    await writeFile(file, deployment("db", "").replace("kind: Deployment", "kind: StatefulSet"));
    const { stdout } = await runProgram(["why", "pod/db-0", "--sandbox", "-f", file]);
    expect(stdout).toEndWith(`trace statefulset --sandbox -f ${file} -n default --why pod/db-0\n`);
  });

  test.each([
    {
      name: "an object without a manifest",
      args: ["deploy/nope", "--sandbox"],
      says: "there is no Deployment nope in namespace default (context sandbox)",
    },
    { name: "manifests for a cluster", args: ["deploy/a", "-f", "a.yaml"], says: "-f is for --sandbox" },
    { name: "--for for a cluster", args: ["deploy/a", "--for", "2s"], says: "--for is for --sandbox" },
  ])("refuses $name with exit code 2 and what to do", async ({ args, says }) => {
    const { stderr, code } = await runProgram(["why", ...args]);
    expect(code).toBe(2);
    expect(stderr).toContain(says);
    expect(stderr.trim().split("\n").length).toBeGreaterThan(1);
  });
});
