import { describe, expect, test } from "bun:test";
import { rbacRules } from "../../../../plugin/commands/controllers/rbac.ts";
import { controllers } from "../../../../plugin/commands/controllers/controllers.ts";
import { certificateSigningRequestSigning } from "../../../../src/controllers/certificatesigningrequest-signing/certificatesigningrequest-signing.ts";
import { ConfigMaps } from "../../../../src/api/kinds.ts";
import { defineController } from "../../../../src/controller/api/definition.ts";
import { watchPrimary } from "../../../../src/controller/api/primary.ts";
import { builtInControllers, controllerGroups } from "../../../../src/controllers/index.ts";
import { fakeIo } from "../../../support/fake-io.ts";

describe("controllers", () => {
  async function printed(columns: number | undefined, ...names: string[]): Promise<string[]> {
    const io = fakeIo(columns === undefined ? {} : { columns });
    expect(await controllers.execute({ arguments: names, options: {} }, io)).toBe(0);
    return io.outText().trimEnd().split("\n");
  }

  for (const columns of [60, 80, 100, 120, 160]) {
    test(`lists every controller in its group with its purpose on a terminal of ${columns} columns, one per line`, async () => {
      const [head, ...lines] = await printed(columns);
      expect(head).toStartWith("NAME ");
      for (const line of lines) expect(line.length).toBeLessThanOrEqual(columns);
      for (const group of controllerGroups) {
        expect([lines.shift(), lines.shift()]).toEqual(["", group.name]);
        for (const { name, aliases, purpose } of group.controllers) {
          const line = lines.shift();
          const isTooLong = columns < 100 && name.length > 25;
          expect(line).toStartWith(`${isTooLong ? aliases[0] : name} `);
          expect(line).toContain(purpose.slice(0, 30));
        }
      }
      expect(lines).toEqual([]);
    });
  }

  test("shows short names on a terminal of 80 columns, and none that saves nothing", async () => {
    const lines = await printed(80);
    expect(lines[0]).toMatch(/^NAME +SHORT +PURPOSE$/);
    expect(lines.find((line) => line.startsWith("garbage-collector"))).toMatch(/^garbage-collector +gc /);
    expect(lines.find((line) => line.startsWith("scheduler"))).not.toContain("kube-scheduler ");
  });

  test("omits nothing if lines can have any length", async () => {
    const lines = await printed(undefined);
    expect(lines[0]?.split(/ {2,}/)).toEqual(["NAME", "SHORT", "GROUP", "WATCHES", "WORKERS", "PURPOSE"]);
    for (const { purpose } of builtInControllers) expect(lines.some((line) => line.endsWith(purpose))).toBe(true);
  });

  test("names the first of many watched kinds on a terminal, and how many more there are", async () => {
    const line = (await printed(200)).find((each) => each.startsWith("disruption"));
    expect(line?.split(/ {2,}/)[2]).toBe("PodDisruptionBudget, Pod and 4 more");
  });

  test("describes one within 80 columns", async () => {
    for (const { name } of builtInControllers) {
      const lines = await printed(80, name);
      expect(lines[0]).toStartWith(name);
      for (const line of lines) expect(line.length).toBeLessThanOrEqual(80);
    }
  });

  test.each([
    { name: "ttl", says: "left out: the cache time of kubelets does not affect the result" },
    { name: "node-lifecycle", says: "only with --node-down or --drain" },
    { name: "service-cidr", says: "limited to clusters whose IPAddresses were read" },
    {
      name: "horizontal-pod-autoscaler",
      says: "it scales only within its bounds, since what pods would use is unknown",
    },
  ])("says what is different about $name in a dry run", async ({ name, says }) => {
    expect(await printed(undefined, name)).toContain(`dry-run     ${says}`);
  });

  test("says nothing about a dry run in which a controller does what it does in a cluster", async () => {
    expect((await printed(undefined, "replicaset")).join()).not.toContain("dry-run");
  });

  test("has a verb once, and grants permissions for several objects in one rule", async () => {
    const names = ["kube-apiserver-client", "kube-apiserver-client-kubelet", "kubelet-serving", "legacy-unknown"];
    const lines = await printed(80, certificateSigningRequestSigning.name);
    expect(lines).toContain("            signers: sign");
    const group = "certificates.k8s.io";
    const resource = "certificatesigningrequests";
    expect(rbacRules(certificateSigningRequestSigning).slice(0, 3)).toEqual([
      { apiGroups: [group], resources: [resource], verbs: ["list", "watch"] },
      { apiGroups: [group], resources: [`${resource}/status`], verbs: ["update"] },
      {
        apiGroups: [group],
        resources: ["signers"],
        resourceNames: names.map((each) => `kubernetes.io/${each}`),
        verbs: ["sign"],
      },
    ]);
  });

  test("grants permissions for all objects and for some in two rules", () => {
    const grant = { group: "", resource: "secrets", verbs: ["update"] };
    const permissions = [{ ...grant, names: ["a"] }, grant, { ...grant, names: ["b"] }];
    const parts = { name: "own", purpose: "tests", for: ConfigMaps, watches: [watchPrimary(ConfigMaps)] };
    const sync = (): Promise<void> => Promise.resolve();
    const own = defineController({ ...parts, recordsEvents: false, rules: [], permissions, sync });
    const rule = { apiGroups: [""], resources: ["secrets"] };
    expect(rbacRules(own).slice(1, 3)).toEqual([
      { ...rule, resourceNames: ["a", "b"], verbs: ["update"] },
      { ...rule, verbs: ["update"] },
    ]);
  });
});
