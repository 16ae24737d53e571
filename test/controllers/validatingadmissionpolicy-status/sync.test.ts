import { beforeEach, describe, expect, test } from "bun:test";
import { ValidatingAdmissionPolicies } from "../../../src/api/kinds.ts";
import type { ValidatingAdmissionPolicy } from "../../../src/api/types.ts";
import { validatingAdmissionPolicyStatus } from "../../../src/controllers/validatingadmissionpolicy-status/validatingadmissionpolicy-status.ts";
import { rejection } from "../../support/rejection.ts";
import { refusal, type Scene, syncScene } from "../../support/sync-context.ts";
import { type PolicySpec, policyOf, ruleOf, schemaServer, type SchemaServer, type ServedKind } from "./policies.ts";

const deployment: ServedKind = {
  group: "apps",
  version: "v1",
  kind: "Deployment",
  plural: "deployments",
  schema: { type: "object", properties: { spec: { $ref: "#/components/schemas/spec" } } },
};
const parts = { spec: { type: "object", properties: { replicas: { type: "integer" } } } };

let scene: Scene;
let server: SchemaServer;
beforeEach(() => {
  scene = syncScene(validatingAdmissionPolicyStatus);
  server = schemaServer([deployment]);
  server.parts = parts;
  scene.beyond = { raw: server.raw };
});

const checking = (...expressions: readonly string[]): PolicySpec => ({
  validations: expressions.map((expression) => ({ expression })),
});
const sentences = (): readonly string[] => scene.decisions.map(({ sentence }) => sentence);

/** The status that was applied; asserts that this was the only write. */
function applied(): unknown {
  expect(scene.calls).toMatchObject([{ verb: "patch", kind: "ValidatingAdmissionPolicy", name: "one" }]);
  const body = scene.calls[0]?.body as { readonly status: unknown } | undefined;
  return body?.status;
}

async function check(policy: ValidatingAdmissionPolicy): Promise<unknown> {
  scene.put(ValidatingAdmissionPolicies, policy);
  await scene.sync("one");
  return applied();
}

/** The texts of the warnings. */
async function warned(spec: PolicySpec): Promise<readonly string[]> {
  const status = (await check(policyOf(spec))) as {
    readonly typeChecking: { readonly expressionWarnings?: readonly { readonly warning: string }[] };
  };
  return (status.typeChecking.expressionWarnings ?? []).map(({ warning }) => warning);
}

describe("the status of a generation", () => {
  test("has no warnings if nothing is wrong, and nothing else is applied", async () => {
    await check(policyOf(checking("object.spec.replicas > 1")));
    expect(scene.calls[0]?.body).toEqual({
      apiVersion: "admissionregistration.k8s.io/v1",
      kind: "ValidatingAdmissionPolicy",
      metadata: { name: "one" },
      status: { observedGeneration: 1, typeChecking: {} },
    });
    expect(sentences()).toEqual(["generation 1: 1 expression for apps/v1 Deployment → no warnings"]);
  });

  test("has a warning for each wrong expression", async () => {
    const policy = policyOf(checking("object.spec.none > 1", "object.spec.replicas < 9", "object.spec.replicas > '1'"));
    expect(await check({ ...policy, metadata: { ...policy.metadata, generation: 4 } })).toMatchObject({
      observedGeneration: 4,
      typeChecking: {
        expressionWarnings: [
          { fieldRef: "spec.validations[0].expression", warning: expect.stringContaining("undefined field 'none'") },
          {
            fieldRef: "spec.validations[2].expression",
            warning: expect.stringContaining("'_>_' applied to '(int, string)'"),
          },
        ],
      },
    });
    expect(sentences()).toEqual(["generation 4: 3 expressions for apps/v1 Deployment → 2 warnings"]);
  });

  test("is written for policies without a known kind, too", async () => {
    const none: PolicySpec = {
      ...checking("object.none == 1"),
      matchConstraints: { resourceRules: [ruleOf(["*"], ["*"], ["*"])] },
    };
    expect(await check(policyOf(none))).toEqual({ observedGeneration: 1, typeChecking: {} });
    expect(sentences()).toEqual(["generation 1: 1 expression for no kind whose types are known → no warnings"]);
    expect(server.requestedPaths).toEqual([]);
  });

  test("is not written again, except for a new one", async () => {
    const policy = policyOf(checking("true"));
    scene.put(ValidatingAdmissionPolicies, { ...policy, status: { observedGeneration: 1 } });
    await scene.sync("one");
    expect([scene.calls, sentences(), server.requestedPaths]).toEqual([[], ["generation 1 was checked → nothing"], []]);
    expect(
      await check({ ...policy, metadata: { ...policy.metadata, generation: 2 }, status: { observedGeneration: 1 } }),
    ).toEqual({ observedGeneration: 2, typeChecking: {} });
  });

  test("is not written for a deleted one", async () => {
    await scene.sync("one");
    expect([scene.calls, scene.decisions]).toEqual([[], []]);
  });

  test("is retried when the server refuses it", async () => {
    scene.refuse = () => refusal(409, "Conflict", "changed");
    scene.put(ValidatingAdmissionPolicies, policyOf(checking("true")));
    expect(await rejection(scene.sync("one"))).toMatchObject({ code: 409 });
  });
});

describe("schemas", () => {
  test("are searched in one document per group and version", async () => {
    server.kinds = [
      deployment,
      { ...deployment, kind: "StatefulSet", plural: "statefulsets" },
      { group: "", version: "v1", kind: "Pod", plural: "pods", schema: { type: "object" } },
    ];
    const spec: PolicySpec = {
      ...checking("object.none == 1"),
      matchConstraints: { resourceRules: [ruleOf(["apps", ""], ["v1"], ["deployments", "statefulsets", "pods"])] },
    };
    const [warning = ""] = await warned(spec);
    expect(warning.match(/^\S+, Kind=\w+/gm)).toEqual([
      "/v1, Kind=Pod",
      "apps/v1, Kind=Deployment",
      "apps/v1, Kind=StatefulSet",
    ]);
    expect(server.requestedPaths.toSorted()).toEqual([
      "/api",
      "/apis",
      "/openapi/v3",
      "/openapi/v3/api/v1",
      "/openapi/v3/apis/apps/v1",
    ]);
  });

  test("are read once, and again when their document has changed", async () => {
    const spec = checking("object.spec.more == 1");
    expect(await warned(spec)).toHaveLength(1);
    server.requestedPaths.length = 0;
    expect(await warned(spec)).toHaveLength(1);
    expect(server.requestedPaths).not.toContain("/openapi/v3/apis/apps/v1");
    server.parts = { spec: { type: "object", properties: { more: { type: "integer" } } } };
    expect(await warned(spec)).toEqual([]);
    expect(server.requestedPaths).toContain("/openapi/v3/apis/apps/v1");
  });

  test("that are missing, or have missing references, exclude their kinds", async () => {
    const { schema: _schema, ...without } = { ...deployment, kind: "Other", plural: "others" };
    const broken = { $ref: "#/components/schemas/none" };
    server.kinds = [
      without,
      { ...deployment, kind: "Broken", plural: "brokens", schema: { type: "object", properties: { spec: broken } } },
    ];
    const rules = [ruleOf(["apps"], ["v1"], ["others", "brokens", "deployments"])];
    expect(await warned({ ...checking("object.none == 1"), matchConstraints: { resourceRules: rules } })).toEqual([]);
  });

  test("of a server that publishes none are unknown", async () => {
    scene.beyond = {
      raw: (path) =>
        path.startsWith("/openapi") ? Promise.reject(refusal(404, "NotFound", "not found")) : server.raw(path),
    };
    expect(await warned(checking("object.none == 1"))).toEqual([]);
  });

  test("of a server with other responses do not mean that nothing is wrong", async () => {
    scene.beyond = {
      raw: (path) => (path === "/openapi/v3" ? Promise.resolve("<html></html>") : server.raw(path)),
    };
    scene.put(ValidatingAdmissionPolicies, policyOf(checking("object.none == 1")));
    expect(String(await rejection(scene.sync("one")))).toBe(
      "Error: Cannot check the types of expressions: the response to GET /openapi/v3 is not JSON",
    );
    expect(scene.calls).toEqual([]);
  });

  for (const path of ["/api", "/apis", "/openapi/v3", "/openapi/v3/apis/apps/v1"]) {
    test(`that cannot be read do not mean that nothing is wrong: ${path} is refused`, async () => {
      scene.beyond = {
        raw: (requested) =>
          requested === path ? Promise.reject(refusal(503, "ServiceUnavailable", "no")) : server.raw(requested),
      };
      scene.put(ValidatingAdmissionPolicies, policyOf(checking("object.none == 1")));
      expect(await rejection(scene.sync("one"))).toMatchObject({ code: 503 });
      expect([scene.calls, scene.decisions]).toEqual([[], []]);
    });
  }
});

describe("parameters", () => {
  const config: ServedKind = {
    group: "example.com",
    version: "v1",
    kind: "Config",
    plural: "configs",
    schema: { type: "object", properties: { most: { type: "integer" } } },
  };
  const withParams = (apiVersion: string, expression: string): PolicySpec => ({
    ...checking(expression),
    paramKind: { apiVersion, kind: "Config" },
  });

  test("have the types of their kind", async () => {
    server.kinds = [deployment, config, { ...config, group: "", schema: { type: "object" } }];
    expect(await warned(withParams("example.com/v1", "object.spec.replicas <= params.most"))).toEqual([]);
    expect(await warned(withParams("v1", "object.spec.replicas <= params.most"))).toEqual([
      expect.stringContaining("undefined field 'most'"),
    ]);
  });

  test("have any type if their kind is unknown", async () => {
    for (const apiVersion of ["example.com/v1", "example.com/v2", "v1"])
      expect(await warned(withParams(apiVersion, "object.spec.replicas <= params.most"))).toEqual([]);
  });

  test("do not exist for an invalid apiVersion", async () => {
    expect(await warned(withParams("a/b/c", "params.most == 1"))).toEqual([
      expect.stringContaining("undeclared reference to 'params'"),
    ]);
  });
});

test("policies that are added and changed are synced, not deleted ones", () => {
  const [before, after] = [policyOf(checking("true")), policyOf(checking("false"))];
  scene.notify(ValidatingAdmissionPolicies, { type: "added", object: before, initial: true });
  scene.notify(ValidatingAdmissionPolicies, { type: "updated", before, object: after });
  scene.notify(ValidatingAdmissionPolicies, { type: "deleted", object: after, tombstone: false });
  expect(scene.woken).toEqual(["one", "one"]);
});

test("the definition has upstream's names and permissions", () => {
  expect(validatingAdmissionPolicyStatus).toMatchObject({
    name: "validatingadmissionpolicy-status",
    component: "validatingadmissionpolicy-status-controller",
    appliesAs: "validatingadmissionpolicy-status",
    recordsEvents: false,
    permissions: [
      { group: "admissionregistration.k8s.io", resource: "validatingadmissionpolicies/status", verbs: ["patch"] },
    ],
  });
  const policy = policyOf({});
  expect(validatingAdmissionPolicyStatus.isLeftUndone?.(policy)).toBe(true);
  const checked: ValidatingAdmissionPolicy = { ...policy, status: { observedGeneration: 1 } };
  expect(validatingAdmissionPolicyStatus.isLeftUndone?.(checked)).toBe(false);
});
