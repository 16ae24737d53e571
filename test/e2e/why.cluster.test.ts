/** `kubectl reconcile why` and `trace` as programs beside a real kube-controller-manager, which send only reads. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { join } from "node:path";
import { type Cluster, controllersMissing, startCluster } from "../support/cluster.ts";
import { type ProgramEnd, runProgram, startProgram } from "./support/program.ts";
import { quotaInForce } from "./support/quota.ts";
import { eventually } from "./support/workload.ts";

const merge = { "content-type": "application/merge-patch+json" };

describe.skipIf(controllersMissing !== undefined)("why and trace, beside kube-controller-manager", () => {
  let cluster: Cluster;
  const namespace = "shop";
  const apps = `/apis/apps/v1/namespaces/${namespace}`;
  const core = `/api/v1/namespaces/${namespace}`;

  beforeAll(async () => {
    cluster = await startCluster({ controllers: "*", audit: true });
    await cluster.createNamespace(namespace);
  });
  afterAll(() => cluster.stop());

  const reconcile = (...args: readonly string[]): Promise<ProgramEnd> =>
    runProgram(args, { kubeconfig: cluster.kubeconfig });
  const why = (...args: readonly string[]): Promise<ProgramEnd> => reconcile("why", ...args, "-n", namespace);

  async function deployment(name: string, replicas: number, pod: object = {}): Promise<void> {
    const template = {
      metadata: { labels: { app: name } },
      spec: { containers: [{ name: "web", image: "web:1" }], ...pod },
    };
    const spec = { replicas, selector: { matchLabels: { app: name } }, template };
    await cluster.request("POST", `${apps}/deployments`, { metadata: { name }, spec });
  }

  test("a Deployment that is rolled out is well", async () => {
    await deployment("fine", 2);
    await eventually(async () => {
      const { stdout, code } = await why("deploy/fine");
      expect(code).toBe(0);
      expect(stdout).toMatch(/^Deployment fine is as it should be: 2 of 2 pods of ReplicaSet fine-\w+ are available$/m);
      expect(stdout).toMatch(/last status by kube-controller-manager, /);
    });
  });

  test("pods without a suitable node are reported with the scheduler's message, through Deployment, ReplicaSet and Pod", async () => {
    await deployment("lost", 2, { nodeSelector: { disk: "ssd" } });
    await eventually(async () => {
      const { stdout, code } = await why("deploy/lost");
      expect(code).toBe(1);
      expect(stdout).toMatch(/^Deployment lost is waiting: 0 of 2 pods of ReplicaSet lost-\w+ are available$/m);
      expect(stdout).toMatch(/2 Pods lost-\S+, lost-\S+ +not scheduled: 0\/3 nodes are available/);
      expect(stdout).toMatch(/next +progress deadline in \d+ m \d+ s, then Progressing=False/);
      expect(stdout).toMatch(/Follow it live: kubectl.reconcile trace deployment -n shop --why deployment\/lost/);
    });
  });

  test("a quota is reported by the ReplicaSet that exceeded it", async () => {
    await cluster.createNamespace("tight");
    await quotaInForce(cluster, "tight", { name: "few", hard: { pods: "1" } });
    const template = { metadata: { labels: { app: "q" } }, spec: { containers: [{ name: "web", image: "web:1" }] } };
    const spec = { replicas: 3, selector: { matchLabels: { app: "q" } }, template };
    await cluster.request("POST", "/apis/apps/v1/namespaces/tight/replicasets", { metadata: { name: "q" }, spec });
    await eventually(async () => {
      const { stdout, code } = await reconcile("why", "rs", "q", "-n", "tight");
      expect(code).toBe(1);
      expect(stdout).toMatch(/^ReplicaSet q is waiting: /m);
      expect(stdout).toMatch(/pods cannot be created: pods "q-\w+" is forbidden: exceeded quota: few/);
      // A refused action is not a prediction.
      expect(stdout).not.toContain("would now");
      expect(stdout).toMatch(/^ {2}try +kubectl describe quota few -n tight$/m);
    });
  });

  test("a controller in a file is asked what it would do, and the follow-up command names the file", async () => {
    const file = join(import.meta.dir, "..", "..", "docs", "examples", "max-pods.ts");
    await cluster.createNamespace("limited");
    const annotations = { "example.com/max-pods": "20" };
    await cluster.request("PATCH", "/api/v1/namespaces/limited", { metadata: { annotations } }, merge);
    const run = await reconcile("why", file, "ns/limited");
    expect(run.stdout).toMatch(
      /our max-pods would now: create-quota: limited asks for at most 20 pods → create the quota/,
    );
    expect(run.stdout.replaceAll(/\s+/g, " ")).toContain(`trace ${file} `);
    expect((await reconcile("why", "ns/limited")).stdout).not.toContain("max-pods");
    const { body } = await cluster.request("GET", "/api/v1/namespaces/limited/resourcequotas");
    expect(body["items"]).toEqual([]);
  });

  test("a finalizer that blocks a deletion is named, and so is what a namespace still waits for", async () => {
    await cluster.createNamespace("going");
    const metadata = { name: "held", finalizers: ["example.com/hold"] };
    await cluster.request("POST", "/api/v1/namespaces/going/configmaps", { metadata });
    await cluster.request("DELETE", "/api/v1/namespaces/going/configmaps/held");
    const held = await reconcile("why", "cm/held", "-n", "going");
    expect(held.code).toBe(1);
    expect(held.stdout).toMatch(/^ConfigMap held is being deleted: a finalizer blocks it$/m);
    expect(held.stdout).toContain("finalizer example.com/hold: the controller that set it has to remove it");
    await cluster.request("DELETE", "/api/v1/namespaces/going");
    await eventually(async () => {
      const { stdout } = await reconcile("why", "ns/going");
      expect(stdout).toMatch(/^Namespace going is being deleted/m);
      expect(stdout).toMatch(
        /^ {2}ConfigMap held {2}finalizer example.com\/hold: the controller that set it has to remove it/m,
      );
    });
    const { stdout } = await reconcile("why", "ns/going");
    const follow = /Follow it live: kubectl.reconcile (.*)$/m.exec(stdout)?.[1] ?? "";
    expect(follow).toBe("trace namespace -A --why namespace/going");
    expect((await reconcile(...follow.split(" "), "--once")).code).toBe(0);
    await cluster.request(
      "PATCH",
      "/api/v1/namespaces/going/configmaps/held",
      { metadata: { finalizers: null } },
      merge,
    );
  });

  test("a whole namespace is reported worst first, and well objects are named", async () => {
    const { stdout, code } = await why();
    expect(code).toBe(1);
    expect(stdout).toMatch(/^namespace shop: 1 of 2 objects is not as it should be$/m);
    expect(stdout).toMatch(/^Deployment lost is waiting: /m);
    expect(stdout).toMatch(/^as they should be: Deployment fine$/m);
    expect(stdout).toMatch(/^not seen: what our controllers would do \(only evaluated for a single object\)$/m);
    expect((await why("-l", "nobody=has-it")).code).toBe(5);
    expect((await why("deployment.v1.apps/fine")).code).toBe(0);
  });

  test("-A reports the whole cluster: cluster-scoped objects first, and nothing is listed per namespace", async () => {
    const cordon = (unschedulable: boolean): Promise<unknown> =>
      cluster.request("PATCH", "/api/v1/nodes/fake-2", { spec: { unschedulable } }, merge);
    await cordon(true);
    const before = (await cluster.audit()).length;
    const { stdout, code } = await reconcile("why", "-A");
    await cordon(false);
    expect(code).toBe(1);
    expect(stdout).toMatch(/^all namespaces: \d+ of \d+ objects are not as they should be$/m);
    const heads = stdout.split("\n").filter((line) => /^(?!all|as|not|Nothing)\S/.test(line));
    const unhealthy = heads.map((line) => line.split(/ is | has |:/)[0]).filter((name) => name !== "Namespace going");
    expect(unhealthy).toEqual(["Node fake-2", "Deployment shop/lost", "ReplicaSet tight/q", "ResourceQuota tight/few"]);
    expect(stdout).toMatch(/^as they should be: Deployment shop\/fine, /m);
    expect(stdout).toMatch(/^not seen: what our controllers would do \(only evaluated for a single object\)$/m);
    const lists = (await cluster.audit())
      .slice(before)
      .filter(
        ({ verb, objectRef, userAgent, stage }) =>
          verb === "list" &&
          stage === "ResponseComplete" &&
          objectRef?.resource === "pods" &&
          userAgent?.startsWith("kubectl-reconcile/") === true,
      );
    const namespaces = new Set(lists.map(({ objectRef }) => objectRef?.namespace ?? "all"));
    // A namespace that is being deleted is searched for what blocks it.
    namespaces.delete("going");
    expect([...namespaces]).toEqual(["all"]);
    // Without cluster-wide permissions the result is unknown; and a name needs a namespace.
    const bob = await reconcile("why", "-A", "--as", "bob");
    expect(bob).toMatchObject({ code: 5, stdout: expect.stringMatching(/not seen: .*pods/) as string });
    expect(await reconcile("why", "deploy/fine", "-A")).toMatchObject({ code: 2, stdout: "" });
    expect((await reconcile("why", "deploy", "-A", "-l", "nobody=has-it")).code).toBe(5);
  });

  test("kinds that a user cannot read are named, and nothing waits for them", async () => {
    const rules = [{ apiGroups: ["apps"], resources: ["deployments"], verbs: ["get"] }];
    const rbac = "/apis/rbac.authorization.k8s.io/v1/namespaces/shop";
    await cluster.request("POST", `${rbac}/roles`, { metadata: { name: "getonly" }, rules });
    await cluster.request("POST", `${rbac}/rolebindings`, {
      metadata: { name: "bob" },
      roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "Role", name: "getonly" },
      subjects: [{ apiGroup: "rbac.authorization.k8s.io", kind: "User", name: "bob" }],
    });
    await eventually(async () => {
      const { stdout, code } = await why("deploy/lost", "--as", "bob");
      expect(code).toBe(1);
      expect(stdout).toMatch(/^Deployment lost is waiting: 0 of 2 pods are available$/m);
      expect(stdout).toContain("--why deployment/lost --as bob");
      expect(stdout).toMatch(/^not seen: .*replicasets.apps, pods.* \(no right to list\)/m);
    });
    const all = await why("--as", "bob");
    expect(all.code).toBe(5);
    expect(all.stdout).toMatch(/not seen: .*deployments.apps/);
  });

  test("--wait ends when everything is well, and after its time", async () => {
    expect((await why("deploy/fine", "--wait")).code).toBe(0);
    expect((await why("--wait=1s", "deploy/lost")).code).toBe(1);
  });

  test("an API whose server does not respond leaves a whole namespace open", async () => {
    await cluster.createNamespace("calm");
    const services = "/apis/apiregistration.k8s.io/v1/apiservices";
    await cluster.request("POST", services, {
      metadata: { name: "v1.dead.example.com" },
      spec: {
        group: "dead.example.com",
        version: "v1",
        groupPriorityMinimum: 1e3,
        versionPriority: 15,
        service: {
          namespace: "calm",
          name: "none",
        },
        insecureSkipTLSVerify: true,
      },
    });
    try {
      await eventually(async () => {
        const { stdout, code } = await reconcile("why", "-n", "calm");
        expect(stdout).toContain("dead.example.com/v1 (its server does not respond)");
        expect(code).toBe(5);
      });
    } finally {
      await cluster.request("DELETE", `${services}/v1.dead.example.com`);
    }
  });

  test("-o json prints the answer as one line", async () => {
    const { stdout } = await why("deploy/fine", "-o", "json");
    const object = { apiVersion: "apps/v1", kind: "Deployment", namespace, name: "fine" };
    expect(JSON.parse(stdout)).toMatchObject({ v: 2, object, is: "well", findings: [], notSeen: [] });
  });

  test.each([
    {
      name: "an object that is not there",
      args: ["deploy/nope"],
      says: "error: there is no Deployment nope in namespace shop",
    },
    {
      name: "a type that the server does not have",
      args: ["foo/bar"],
      says: 'error: the server doesn\'t have a resource type "foo"',
    },
    { name: "half an object name", args: ["deploy/"], says: 'error: "deploy/" does not name objects' },
  ])("refuses $name with exit code 2 and what to do", async ({ args, says }) => {
    const { stderr, code } = await why(...args);
    expect(code).toBe(2);
    expect(stderr).toContain(says);
    expect(stderr.trim().split("\n").length).toBeGreaterThan(1);
  });

  test("trace shows what ours would do beside what the owner did, with a summary", async () => {
    const args = ["trace", "replicaset", "-n", namespace];
    await using program = startProgram(args, { kubeconfig: cluster.kubeconfig });
    await program.says(/^caches /m);
    const template = { metadata: { labels: { app: "t" } }, spec: { containers: [{ name: "web", image: "web:1" }] } };
    const spec = { replicas: 3, selector: { matchLabels: { app: "t" } }, template };
    // A block waits 0.4 s for the owner, which sometimes takes longer on a busy machine.
    let made = 0;
    const shown = /POST Pod traced-\d-… +owner created traced-\d-\w+, .* later · same/;
    while (made < 8 && !shown.test(program.stdout)) {
      await cluster.request("POST", `${apps}/replicasets`, { metadata: { name: `traced-${++made}` }, spec });
      await program.says(new RegExp(`would scale-up: .*\\n +POST Pod traced-${made}-…`));
      await Bun.sleep(500);
    }
    expect(program.stdout).toMatch(shown);
    await Bun.sleep(1500);
    program.signal("SIGINT");
    const { stdout, code } = await program.end();
    expect(code).toBe(0);
    expect(stdout).toMatch(/^shadow: our replicaset \(rules of 1\.36\.3\)/m);
    expect(stdout).toMatch(/would scale-up: 3 of 3 pods are missing → create 3/);
    expect(stdout).toMatch(/^\d+ intentions?: \d+ same.* 0 differ$/m);
    const { body } = await cluster.request("GET", `${core}/pods?labelSelector=app%3Dt`);
    expect(body.items).toHaveLength(3 * made);
  });

  test("trace --fail-on differs exits with 0 if nothing differs", async () => {
    const args = ["trace", "deployment", "replicaset", "-n", namespace, "--fail-on", "differs", "--once"];
    const { code, stdout, stderr } = await reconcile(...args);
    const found = { code, differs: /^differs/m.test(stdout), doubt: /^cannot tell.*/m.exec(stderr)?.[0] };
    expect(found).toEqual({ code: 0, differs: false, doubt: undefined });
  });

  test("trace --fail-on differs cannot tell about a controller that nothing else runs", async () => {
    const { code, stderr } = await reconcile("trace", "kubelet", "-n", namespace, "--fail-on", "differs", "--once");
    expect(stderr).toMatch(/^cannot tell whether anything differs: .*kubelet.* \(no owner was found\)$/m);
    expect(code).toBe(5);
  });

  test("the API server received only reads and self reviews", async () => {
    const events = await cluster.audit();
    const ours = events.filter(({ userAgent }) => userAgent?.startsWith("kubectl-reconcile/") === true);
    expect(ours.length).toBeGreaterThan(20);
    const reads = new Set(["get", "list", "watch"]);
    const others = ours.filter(
      ({ verb, requestURI }) => !reads.has(verb) && !/\/selfsubject\w+reviews(\?|$)/.test(requestURI),
    );
    expect(others.map(({ verb, requestURI }) => `${verb} ${requestURI}`)).toEqual([]);
  });
});
