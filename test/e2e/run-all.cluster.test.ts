/** `kubectl reconcile run all` on a real kube-apiserver without kube-controller-manager: all controllers together. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { type Cluster, clusterMissing, startCluster } from "../support/cluster.ts";
import { runProgram, startProgram } from "./support/program.ts";
import { eventually } from "./support/workload.ts";

const acting = [
  "deployment",
  "replicaset",
  "replicationcontroller",
  "job",
  "garbage-collector",
  "namespace",
  "persistentvolume-attach-detach",
  "persistentvolume-expander",
  "persistentvolumeclaim-protection",
  "resourceclaim",
  "device-taint-eviction",
  "certificatesigningrequest-approving",
  "certificatesigningrequest-cleaner",
  "legacy-serviceaccount-token-cleaner",
  "ttl",
  "validatingadmissionpolicy-status",
];

describe.skipIf(clusterMissing !== undefined)("run all", () => {
  let cluster: Cluster;
  beforeAll(async () => {
    cluster = await startCluster({ audit: true });
  });
  afterAll(() => cluster.stop());

  async function names(path: string): Promise<readonly string[]> {
    const { status, body } = await cluster.request("GET", path);
    expect(status).toBe(200);
    return (body as { items: { metadata: { name: string } }[] }).items.map(({ metadata }) => metadata.name);
  }

  /** The resource of each watch that the program has opened. */
  async function watches(): Promise<readonly string[]> {
    const events = await cluster.audit();
    return events
      .filter(({ verb, stage }) => verb === "watch" && stage === "ResponseStarted")
      .filter(({ userAgent = "" }) => userAgent.startsWith("kubectl-reconcile"))
      .map(({ objectRef }) => objectRef?.resource ?? "");
  }

  test("takes a Deployment from its pods to its deletion and to the end of its namespace, with one cache per kind", async () => {
    await cluster.createNamespace("all");
    await using program = startProgram(["run", "all", "-A"], { kubeconfig: cluster.kubeconfig });
    await program.says(/^(?:running|starting) /m);
    for (const name of acting)
      await program.says(new RegExp(`^(?:running|starting) .*\\b${name} with \\d+ worker`, "ms"));
    expect(program.stdout + program.stderr).toMatch(
      /^owner {3}not detected during the run: another ttl-after-finished, garbage-collector, .* or validatingadmissionpolicy-status, which leaves no trace in managedFields$/m,
    );
    expect(program.stdout).not.toMatch(
      /^(?:running|starting) .* (scheduler|kubelet|token-cleaner|bootstrap-signer|certificatesigningrequest-signing|serviceaccount-token) with/ms,
    );
    await program.says(/^caches {2}\d+ kinds · \d+ objects/m);
    const watched = await watches();
    for (const resource of ["pods", "replicasets", "deployments", "namespaces", "configmaps"]) {
      expect({ resource, times: watched.filter((each) => each === resource).length }).toEqual({ resource, times: 1 });
    }

    // The authority from the kubeconfig.
    await eventually(async () => {
      const { body } = await cluster.request("GET", "/api/v1/namespaces/all/configmaps/kube-root-ca.crt");
      expect((body as { data?: object }).data).toEqual({ "ca.crt": cluster.ca });
    });

    const apps = "/apis/apps/v1/namespaces/all";
    const template = {
      metadata: { labels: { app: "web" } },
      spec: { containers: [{ name: "main", image: "main:1" }] },
    };
    const made = await cluster.request("POST", `${apps}/deployments`, {
      metadata: { name: "web" },
      spec: { replicas: 2, selector: { matchLabels: { app: "web" } }, template },
    });
    expect(made.status).toBe(201);
    await eventually(async () => expect(await names("/api/v1/namespaces/all/pods")).toHaveLength(2));
    const [replicaSet = ""] = await names(`${apps}/replicasets`);
    expect(replicaSet).toMatch(/^web-/);

    await cluster.request("DELETE", `${apps}/deployments/web`, { propagationPolicy: "Background" });
    await eventually(async () => {
      expect(await names(`${apps}/replicasets`)).toEqual([]);
      expect(await names("/api/v1/namespaces/all/pods")).toEqual([]);
    });
    await program.says(/delete, Background/);

    const claims = "/api/v1/namespaces/all/persistentvolumeclaims";
    const claim = { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } };
    await cluster.request("POST", claims, { metadata: { name: "data" }, spec: claim });
    await cluster.request("DELETE", `${claims}/data`);
    await eventually(async () => expect(await names(claims)).toEqual([]));
    await program.says(/unused +it is being deleted, and no pod on a node uses it/);

    // With upstream's field manager, which must not be taken for another owner.
    const policies = "/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicies";
    const rule = { apiGroups: ["apps"], apiVersions: ["v1"], resources: ["deployments"], operations: ["*"] };
    await cluster.request("POST", policies, {
      metadata: { name: "few" },
      spec: {
        matchConstraints: { resourceRules: [rule] },
        validations: [{ expression: "object.spec.replicas < '9'" }],
      },
    });
    await program.says(/check +generation 1: 1 expression for apps\/v1 Deployment → 1 warning/);
    await eventually(async () => {
      const { body } = await cluster.request("GET", `${policies}/few`);
      expect((body as { status?: object }).status).toMatchObject({
        typeChecking: { expressionWarnings: [{ fieldRef: "spec.validations[0].expression" }] },
      });
    });

    await cluster.request("POST", "/api/v1/namespaces/all/configmaps", { metadata: { name: "a" } });
    await cluster.request("DELETE", "/api/v1/namespaces/all");
    await eventually(async () => {
      expect((await cluster.request("GET", "/api/v1/namespaces/all")).status).toBe(404);
    });
    await program.says(/finalize +nothing is left in it → remove the finalizer kubernetes/);
    await program.says(/- 2 × ConfigMap/);
  });

  test("in one namespace leaves out controllers that work beyond it, and names them", async () => {
    await cluster.createNamespace("one");
    // Evidence that no other controller runs was removed by the previous run.
    const { code, stdout, stderr } = await runProgram(["run", "all", "-n", "one", "--once", "--force"], {
      kubeconfig: cluster.kubeconfig,
    });
    expect({ code, stderr }).toEqual({
      code: 0,
      stderr:
        "left out, since they work beyond namespace one: garbage-collector, namespace, service-cidr, persistentvolume-binder, persistentvolume-attach-detach, persistentvolume-protection, volumeattributesclass-protection, node-lifecycle, ttl, certificatesigningrequest-approving, certificatesigningrequest-cleaner, clusterrole-aggregation, validatingadmissionpolicy-status; -A runs them too\n" +
        "--force overrides: cannot tell whether kube-controller-manager is active here (no Lease kube-system/kube-controller-manager, and nothing here waits for it)\n",
    });
    expect(stdout).toMatch(/(?:running|starting) deployment with \d+ workers, replicaset/);
  });

  for (const name of ["namespace", "garbage-collector"]) {
    test(`refuses ${name} in one namespace, and suggests what to do`, async () => {
      const { code, stderr } = await runProgram(["run", name, "-n", "one"], { kubeconfig: cluster.kubeconfig });
      expect(code).toBe(2);
      expect(stderr).toMatch(new RegExp(`^error: .*${name}.*-A`, "ms"));
    });
  }
});
