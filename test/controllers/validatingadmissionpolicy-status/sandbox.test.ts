/** Policies in the embedded cluster, on virtual time, with the kinds and schemas of its API server. */
import { afterEach, beforeEach, expect, test } from "bun:test";
import { CustomResourceDefinitions, ValidatingAdmissionPolicies } from "../../../src/api/kinds.ts";
import type { ValidatingAdmissionPolicy } from "../../../src/api/types.ts";
import { validatingAdmissionPolicyStatus } from "../../../src/controllers/validatingadmissionpolicy-status/validatingadmissionpolicy-status.ts";
import { type EmbeddedScene, embeddedScene } from "../../support/embedded-scene.ts";
import { type MatchConstraints, type PolicySpec, ruleOf } from "./policies.ts";

let scene: EmbeddedScene;
beforeEach(async () => {
  const controllers = [validatingAdmissionPolicyStatus];
  scene = await embeddedScene({ controllers, nodes: 0, scheduler: false, kubelet: false });
});
afterEach(() => scene.stop());

const at = { namespace: "", name: "one" };
const constraints = (group: string, resource: string): MatchConstraints => ({
  resourceRules: [ruleOf([group], ["v1"], [resource])],
});

async function policy(spec: PolicySpec): Promise<ValidatingAdmissionPolicy> {
  await scene.during(scene.you.create(ValidatingAdmissionPolicies, { metadata: { name: "one" }, spec }));
  return settled();
}

async function settled(): Promise<ValidatingAdmissionPolicy> {
  await scene.run(2000);
  return scene.during(scene.you.get(ValidatingAdmissionPolicies, at));
}

/** The warnings in the status: fields, and the first line of each text. */
function warnings({ status }: ValidatingAdmissionPolicy): readonly string[] {
  return (status?.typeChecking?.expressionWarnings ?? []).map(
    ({ fieldRef, warning }) => `${fieldRef} ${warning.split("\n")[0]}`,
  );
}

test("a policy for Deployments gets warnings by their types, and none once it is fixed", async () => {
  const spec: PolicySpec = {
    matchConstraints: constraints("apps", "deployments"),
    validations: [
      { expression: "object.spec.replicas > '1'" },
      { expression: "object.spec.template.spec.containers.all(c, has(c.image))" },
      { expression: "object.spec.template.spec.containers.all(c, c.resources.limits['cpu'] != '1')" },
    ],
  };
  const made = await policy(spec);
  expect(made.status?.observedGeneration).toBe(1);
  expect(warnings(made)).toEqual([
    "spec.validations[0].expression apps/v1, Kind=Deployment: ERROR: <input>:1:22: found no matching overload for '_>_' applied to '(int, string)'",
    // Quantities have no type, so maps of them are not declared as fields.
    "spec.validations[2].expression apps/v1, Kind=Deployment: ERROR: <input>:1:56: undefined field 'limits'",
  ]);
  expect(made.metadata.managedFields?.filter(({ subresource }) => subresource === "status")).toMatchObject([
    { manager: "validatingadmissionpolicy-status", operation: "Apply", apiVersion: "admissionregistration.k8s.io/v1" },
  ]);
  const body = { spec: { validations: [{ expression: "object.spec.replicas > 1" }] } };
  await scene.during(scene.you.patch(ValidatingAdmissionPolicies, at, { type: "merge", body }));
  const mended = await settled();
  // As in a real API server, removing the applied fields also removes the parent that becomes empty.
  expect(mended.status).toEqual({ observedGeneration: 2 });
});

test("a status from another writer is overwritten, once its observed generation is missing", async () => {
  const spec: PolicySpec = {
    matchConstraints: constraints("apps", "deployments"),
    validations: [{ expression: "object.spec.none == 1" }],
  };
  const expected = warnings(await policy(spec));
  expect(expected).toHaveLength(1);
  const typeChecking = { expressionWarnings: [{ fieldRef: "spec.validations[0].expression", warning: "mine" }] };
  const body = { status: { observedGeneration: 0, typeChecking } };
  const options = { subresource: "status" };
  await scene.during(scene.you.patch(ValidatingAdmissionPolicies, at, { type: "merge", body }, options));
  expect(warnings(await settled())).toEqual(expected);
});

test("a kind that is defined later is checked with the next generation", async () => {
  const spec: PolicySpec = {
    matchConstraints: constraints("example.com", "widgets"),
    paramKind: { apiVersion: "example.com/v1", kind: "Widget" },
    validations: [{ expression: "object.spec.size <= params.spec.none" }],
  };
  expect(warnings(await policy(spec))).toEqual([]);
  const schema = {
    type: "object",
    properties: { spec: { type: "object", properties: { size: { type: "integer" } } } },
  };
  await scene.during(
    scene.you.create(CustomResourceDefinitions, {
      metadata: { name: "widgets.example.com" },
      spec: {
        group: "example.com",
        scope: "Namespaced",
        names: { plural: "widgets", singular: "widget", kind: "Widget", listKind: "WidgetList" },
        versions: [{ name: "v1", served: true, storage: true, schema: { openAPIV3Schema: schema } }],
      },
    }),
  );
  expect(warnings(await settled())).toEqual([]);
  const body = { spec: { failurePolicy: "Ignore" } };
  await scene.during(scene.you.patch(ValidatingAdmissionPolicies, at, { type: "merge", body }));
  expect(warnings(await settled())).toEqual([
    "spec.validations[0].expression example.com/v1, Kind=Widget: ERROR: <input>:1:32: undefined field 'none'",
  ]);
});
