/** The Role that `controllers -o rbac` prints: no more than upstream's permissions, and sufficient to run. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type Cluster, clusterMissing, startCluster } from "../support/cluster.ts";
import { runProgram } from "./support/program.ts";
import { Workload } from "./support/workload.ts";

interface Rule {
  readonly apiGroups?: readonly string[];
  readonly resources?: readonly string[];
  readonly resourceNames?: readonly string[];
  readonly verbs: readonly string[];
}

/** Splits rules into single permissions: `create pods`, `update apps replicasets/status`, `update configmaps cluster-info`. */
function permissionsIn(rules: readonly Rule[]): string[] {
  return rules.flatMap(({ apiGroups = [], resources = [], resourceNames, verbs }) =>
    apiGroups.flatMap((group) =>
      resources.flatMap((resource) =>
        verbs.flatMap((verb) => {
          const permission = `${verb} ${group === "" ? "" : `${group} `}${resource}`;
          return resourceNames?.map((name) => `${permission} ${name}`) ?? [permission];
        }),
      ),
    ),
  );
}

/** Events can be written in either group: upstream's roles grant both. */
const withoutEventsGroup = (permission: string): string => permission.replace("events.k8s.io events", "events");

describe.skipIf(clusterMissing !== undefined)("the Role of a controller", () => {
  let cluster: Cluster;
  beforeAll(async () => {
    cluster = await startCluster();
  });
  afterAll(() => cluster.stop());

  async function roleOf(controller: string, ...more: string[]): Promise<string> {
    const { code, stdout, stderr } = await runProgram(["controllers", controller, "-o", "rbac", ...more]);
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    return stdout;
  }

  /** Applies the Role and returns the kubeconfig of a ServiceAccount that has only this Role. */
  async function granted(manifest: string, bind: readonly string[], account: string): Promise<string> {
    const applied = await cluster.kubectl(["apply", "-f", "-"], manifest);
    expect(applied).toMatchObject({ code: 0, stderr: "" });
    await cluster.kubectl(["create", "serviceaccount", account, "-n", "default"]);
    const bound = await cluster.kubectl(["create", ...bind, `--serviceaccount=default:${account}`]);
    expect(bound).toMatchObject({ code: 0 });
    const { stdout: token } = await cluster.kubectl(["create", "token", account, "-n", "default"]);
    const path = join(cluster.dir, `kubeconfig-${account}`);
    writeFileSync(path, readFileSync(cluster.kubeconfig, "utf8").replace(/token: \S+?}/, `token: ${token.trim()}}`));
    const who = await cluster.kubectl([
      "--kubeconfig",
      path,
      "auth",
      "whoami",
      "-o",
      "jsonpath={.status.userInfo.username}",
    ]);
    expect(who.stdout).toBe(`system:serviceaccount:default:${account}`);
    return path;
  }

  for (const { controller, upstream, informers = [], namespaces = [] } of [
    { controller: "replicaset", upstream: "system:controller:replicaset-controller" },
    { controller: "namespace", upstream: "system:controller:namespace-controller" },
    { controller: "replicationcontroller", upstream: "system:controller:replication-controller" },
    {
      controller: "disruption",
      upstream: "system:controller:disruption-controller",
      // Upstream's shared informers read them with a separate role.
      informers: ["list pods", "watch pods"],
    },
    {
      controller: "horizontal-pod-autoscaler",
      upstream: "system:controller:horizontal-pod-autoscaler",
    },
    { controller: "pvc-protection", upstream: "system:controller:pvc-protection-controller" },
    { controller: "pv-protection", upstream: "system:controller:pv-protection-controller" },
    {
      controller: "vac-protection",
      upstream: "system:controller:volumeattributesclass-protection-controller",
    },
    { controller: "endpointslice", upstream: "system:controller:endpointslice-controller" },
    { controller: "endpoints", upstream: "system:controller:endpoint-controller" },
    { controller: "endpointslice-mirroring", upstream: "system:controller:endpointslicemirroring-controller" },
    { controller: "service-cidr", upstream: "system:controller:service-cidrs-controller" },
    { controller: "attach-detach", upstream: "system:controller:attachdetach-controller" },
    { controller: "persistentvolume-expander", upstream: "system:controller:expand-controller" },
    { controller: "ephemeral-volume", upstream: "system:controller:ephemeral-volume-controller" },
    {
      controller: "resourceclaim",
      upstream: "system:controller:resource-claim-controller",
      informers: ["list", "watch"].map((verb) => `${verb} resource.k8s.io resourceclaimtemplates`),
    },
    { controller: "device-taint-eviction", upstream: "system:controller:device-taint-eviction-controller" },
    { controller: "clusterrole-aggregation", upstream: "system:controller:clusterrole-aggregation-controller" },
    {
      controller: "root-ca-certificate-publisher",
      upstream: "system:controller:root-ca-cert-publisher",
      informers: ["list configmaps", "list namespaces", "watch configmaps", "watch namespaces"],
    },
    { controller: "certificatesigningrequest-approving", upstream: "system:controller:certificate-controller" },
    { controller: "certificatesigningrequest-signing", upstream: "system:controller:certificate-controller" },
    { controller: "certificatesigningrequest-cleaner", upstream: "system:controller:certificate-controller" },
    {
      controller: "serviceaccount-token",
      upstream: "system:kube-controller-manager",
      informers: ["secrets", "serviceaccounts"].flatMap((each) => [`list ${each}`, `watch ${each}`]),
    },
    {
      controller: "legacy-serviceaccount-token-cleaner",
      upstream: "system:controller:legacy-service-account-token-cleaner",
      informers: ["pods", "secrets", "serviceaccounts"].flatMap((each) => [`list ${each}`, `watch ${each}`]),
    },
    // Upstream's controllers have these permissions only in the namespaces of these objects.
    { controller: "token-cleaner", upstream: "system:controller:token-cleaner", namespaces: ["kube-system"] },
    {
      controller: "bootstrap-signer",
      upstream: "system:controller:bootstrap-signer",
      namespaces: ["kube-public", "kube-system"],
    },
    { controller: "ttl", upstream: "system:controller:ttl-controller" },
    { controller: "vap-status", upstream: "system:controller:validatingadmissionpolicy-status-controller" },
    { controller: "job", upstream: "system:controller:job-controller" },
    { controller: "cronjob", upstream: "system:controller:cronjob-controller" },
  ]) {
    test(`of ${controller} has no more than upstream's permissions, apart from Leases`, async () => {
      const roleArgs = namespaces.length === 0 ? [["clusterrole"]] : namespaces.map((each) => ["role", "-n", each]);
      const theirs = await Promise.all(
        roleArgs.map(([kind = "", ...where]) => cluster.kubectl(["get", kind, upstream, ...where, "-o", "json"])),
      );
      const rules = theirs.flatMap(({ stdout }) => (JSON.parse(stdout) as { rules: Rule[] }).rules);
      const allowed = permissionsIn(rules).map(withoutEventsGroup);
      // One document for the controller, and one for each controller that runs with it.
      const roles = [Bun.YAML.parse(await roleOf(controller))].flat() as readonly { readonly rules: readonly Rule[] }[];
      const ours = roles.flatMap(({ rules }) => permissionsIn(rules));
      expect(ours.length).toBeGreaterThan(7);
      const more = new Set(ours.filter((permission) => !allowed.includes(withoutEventsGroup(permission))));
      const leases = ["create", "delete", "get", "list", "update"].map((verb) => `${verb} coordination.k8s.io leases`);
      // The role of this controller in kube-controller-manager may include a Lease, too.
      const own = leases.filter((permission) => !allowed.includes(permission));
      expect([...more].toSorted()).toEqual([...own, ...informers].toSorted());
    });
  }

  test("printed for all namespaces is sufficient to run in all of them", async () => {
    await cluster.createNamespace("wide");
    const workload = new Workload(cluster, "wide");
    const replicaSet = await workload.createReplicaSet("web", 2);
    await workload.createPod("orphan", { app: "web" });
    const name = "kubectl-reconcile-replicaset";
    const kubeconfig = await granted(
      await roleOf("replicaset"),
      ["clusterrolebinding", "wide", `--clusterrole=${name}`],
      "wide",
    );
    const { code, stderr, stdout } = await runProgram(["run", "replicaset", "-A", "--once"], { kubeconfig });
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    expect(stdout).toMatch(/^rights {2}15 of 15/m);
    expect(await workload.pods(replicaSet)).toHaveLength(2);
    const { body } = await cluster.request("GET", "/api/v1/namespaces/wide/events");
    const reasons = (body as { items: { reason: string }[] }).items.map(({ reason }) => reason);
    expect(reasons).toContain("SuccessfulCreate");
    await workload.scale("web", 0);
    const down = await runProgram(["run", "replicaset", "-A", "--once"], { kubeconfig });
    expect({ code: down.code, stderr: down.stderr, pods: await workload.pods() }).toEqual({
      code: 0,
      stderr: "",
      pods: [],
    });
  });

  test("printed for one namespace is sufficient there, except to prove the absence of another owner", async () => {
    await cluster.createNamespace("narrow");
    const workload = new Workload(cluster, "narrow");
    await workload.createReplicaSet("web", 2);
    const role = await roleOf("replicaset", "-n", "narrow");
    const bind = ["rolebinding", "narrow", "-n", "narrow", "--role=kubectl-reconcile-replicaset"];
    const kubeconfig = await granted(role, bind, "narrow");
    const args = ["run", "replicaset", "-n", "narrow", "--once"];
    const waited = await runProgram(args, { kubeconfig });
    expect(waited).toMatchObject({ code: 0, stderr: "" });
    expect(waited.stdout).toContain("ReplicaSet narrow/web has waited for a sync for ");
    expect(await workload.pods()).toHaveLength(2);
    const refused = await runProgram(args, { kubeconfig });
    expect(refused.code).toBe(2);
    const unreadable = /Lease kube-system\/kube-controller-manager cannot be read by this user/;
    expect(refused.stderr).toMatch(
      /^refused: cannot tell whether kube-controller-manager is active on this cluster \(/,
    );
    expect(refused.stderr).toMatch(unreadable);
    const forced = await runProgram([...args, "--force"], { kubeconfig });
    expect(forced.code).toBe(0);
    expect(forced.stderr).toMatch(/^--force overrides: cannot tell whether kube-controller-manager is active here \(/);
  });
});
