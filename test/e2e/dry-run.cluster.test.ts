/** `dry-run` against a real cluster at work: what it reads, what it says, and that it writes nothing. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { effectsOf } from "../support/audit-log.ts";
import { type Cluster, controllersMissing, startCluster } from "../support/cluster.ts";
import { type ProgramEnd, runProgram } from "./support/program.ts";
import { eventually } from "./support/workload.ts";

const web = (replicas: number, port = 80): string => `
apiVersion: apps/v1
kind: ReplicaSet
metadata: {name: web, namespace: shop}
spec:
  replicas: ${replicas}
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec: {containers: [{name: web, image: nginx}]}
---
apiVersion: v1
kind: Service
metadata: {name: web, namespace: shop}
spec: {selector: {app: web}, ports: [{port: ${port}}]}
`;

const reader = `
apiVersion: rbac.authorization.k8s.io/v1
kind: Role
metadata: {name: reader, namespace: shop}
rules:
- {apiGroups: [""], resources: [pods, services], verbs: [get, list]}
- {apiGroups: [apps], resources: [replicasets], verbs: [get, list]}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: RoleBinding
metadata: {name: reader, namespace: shop}
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: Role, name: reader}
subjects: [{kind: User, name: reader}]
`;

const policy = `
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicy
metadata: {name: few}
spec:
  matchConstraints:
    resourceRules: [{apiGroups: [apps], apiVersions: [v1], operations: [UPDATE], resources: [replicasets]}]
  validations: [{expression: "object.spec.replicas <= 4", message: too many}]
---
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicyBinding
metadata: {name: few}
spec: {policyName: few, validationActions: [Deny]}
---
apiVersion: admissionregistration.k8s.io/v1
kind: MutatingWebhookConfiguration
metadata: {name: inject}
webhooks:
- name: inject.example.com
  admissionReviewVersions: [v1]
  sideEffects: None
  failurePolicy: Ignore
  timeoutSeconds: 1
  clientConfig: {url: "https://127.0.0.1:1/inject"}
  rules: [{apiGroups: [""], apiVersions: [v1], operations: [CREATE], resources: [pods]}]
`;

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
    });
  }, 120_000);
  afterAll(() => cluster.stop());

  test("of what is applied already nothing would change, which is exit code 0", async () => {
    const { code, stdout, stderr } = await dryRun("-f", fileOf(web(3)));
    expect(stderr).toMatch(
      /^source {2}2 manifests over a snapshot of context c \(namespace shop, \d+ objects, revision \d+\)\n$/,
    );
    expect(stdout).toContain("applied ReplicaSet shop/web unchanged · Service shop/web unchanged");
    expect(stdout).toContain("nothing would change. ReplicaSet shop/web: available 3 of 3");
    expect(stdout).not.toContain("drift");
    expect(code).toBe(0);
  }, 60_000);

  test("of a change shows what controllers would do, which is exit code 1", async () => {
    const { code, stdout } = await dryRun("-f", fileOf(web(5, 81)));
    expect(stdout).toContain("~ ReplicaSet shop/web  applied: .spec.replicas 3 → 5");
    expect(stdout).toContain("+ 2 Pods shop/web-…    scale-up: 2 of 5 pods are missing → create 2");
    expect(stdout).toContain("2 created, 2 changed. ReplicaSet shop/web: available 5 of 5");
    expect(code).toBe(1);
  }, 60_000);

  test("scales down those that are there", async () => {
    const { code, stdout } = await dryRun("--scale", "rs/web=1", "-n", "shop");
    expect(stdout).toContain("- 2 Pods shop/web-…    scale-down: 2 of 3 pods are too many → delete 2");
    expect(code).toBe(1);
  }, 60_000);

  test("for a user who may read little says what is not known, and answers", async () => {
    await applied(reader);
    const { code, stdout } = await dryRun("-f", fileOf(web(4)), "--as", "reader");
    expect(stdout).toContain("nodes may not be read: pods are placed on 3 simulated ones of 8 CPUs and 16 GiB\n");
    expect(stdout).toContain("replicationcontroller is left out: replicationcontrollers may not be read\n");
    expect(stdout).toContain("+ Pod shop/web-…");
    expect(code).toBe(1);
  }, 60_000);

  test("for a user with the rights that docs/ci.md prints nothing but Secrets is left to be desired", async () => {
    const doc = readFileSync(join(import.meta.dir, "../../docs/ci.md"), "utf8");
    const printed = [...doc.matchAll(/```yaml\n([\s\S]*?)```/g)].map((match) => match[1] ?? "");
    await applied(printed.find((text) => text.includes("kind: ClusterRole")) ?? "");
    await eventually(async () => {
      const { code, stdout } = await dryRun("-f", fileOf(web(4)), "--as", "ci");
      expect(stdout.split("\n").slice(1, 4)).toEqual([
        "applied, not followed (no controller here acts on them): Service shop/web",
        "not read: secrets",
        "",
      ]);
      expect(code).toBe(1);
    });
  }, 60_000);

  test("a kind that the cluster does not serve is named", async () => {
    const foo = "apiVersion: example.com/v1\nkind: Foo\nmetadata: {name: x}\n";
    const { code, stderr } = await dryRun("-f", fileOf(foo));
    expect(stderr).toContain("document 1 (Foo x), line 2: there is no kind Foo in example.com/v1");
    expect(code).toBe(2);
  }, 60_000);

  test("refuses what needs a kind that may not be read", async () => {
    const config = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: c, namespace: shop}\n";
    const { code, stderr } = await dryRun("-f", fileOf(config), "--as", "reader");
    expect(stderr).toContain(
      "not allowed to list configmaps in namespace shop as user reader, and it is to be applied",
    );
    expect(code).toBe(2);
  }, 60_000);

  test("names the controllers' kinds that may not be read where they were named", async () => {
    const { code, stderr } = await dryRun("rc", "-f", fileOf(web(4)), "--as", "reader");
    expect(stderr).toContain("not allowed to list replicationcontrollers");
    expect(code).toBe(2);
  }, 60_000);

  test("a cluster that cannot be reached is an error", async () => {
    const { code, stderr } = await dryRun("-f", fileOf(web(3)), "--server", "https://127.0.0.1:1");
    expect(stderr).toContain("cannot reach https://127.0.0.1:1");
    expect(code).toBe(2);
  }, 60_000);

  test("a manifest that the server would refuse is named with its field", async () => {
    const { code, stderr } = await dryRun(
      "-f",
      fileOf(web(3).replace("matchLabels: {app: web}", "matchLabels: {app: other}")),
    );
    expect(stderr).toContain("document 1 (ReplicaSet web), line 11: spec.template.metadata.labels: Invalid value");
    expect(code).toBe(2);
  }, 60_000);

  test("names webhooks and policies, and with --server-validate marks what they refuse", async () => {
    await applied(policy);
    const file = fileOf(web(6));
    const plain = await dryRun("-f", file);
    expect(plain.stdout).toContain(
      "not asked here: MutatingWebhookConfiguration inject (inject.example.com) would see create Pod\n",
    );
    expect(plain.stdout).toContain(
      "not evaluated here: ValidatingAdmissionPolicy few (Deny) would judge update ReplicaSet\n",
    );
    // A new policy is not in force at once.
    await eventually(async () => {
      const { stdout } = await dryRun("-f", file, "--server-validate");
      expect(stdout).toContain("! server: patch ReplicaSet shop/web would be refused: ");
      expect(stdout).toContain("too many");
    });
  }, 60_000);

  test("the same input gives the same answer", async () => {
    const file = fileOf(web(7));
    const [first, second] = [await dryRun("-f", file, "-o", "json"), await dryRun("-f", file, "-o", "json")];
    const plain = (text: string): string =>
      text.replace(/revision \d+/, "").replace(/shop\/web-\w{5}|"web-\w{5}"/g, "");
    expect(plain(second.stdout)).toBe(plain(first.stdout));
  }, 60_000);

  test("nothing but reads, and writes as dry runs, were sent", async () => {
    const ours = (await cluster.audit()).filter(({ userAgent = "" }) => userAgent.startsWith("kubectl-reconcile/"));
    expect(ours.length).toBeGreaterThan(20);
    expect(effectsOf(ours).filter(({ dryRun: isDry }) => !isDry)).toEqual([]);
    const verbs = new Set(ours.filter(({ requestURI }) => !requestURI.includes("dryRun=All")).map(({ verb }) => verb));
    expect([...verbs].sort()).toEqual(["get", "list"]);
  });
});
