import { describe, expect, test } from "bun:test";
import {
  ClusterRoles,
  MutatingAdmissionPolicies,
  ValidatingAdmissionPolicies,
  ValidatingAdmissionPolicyBindings,
} from "../../src/api/kinds.ts";
import type { StoredObject } from "../../src/api/object.ts";
import { findingsOf } from "../../src/diagnosis/diagnosis.ts";
import { diagnose, type Json, objectOf } from "./world.ts";

const cluster = (name: string, parts: Json = {}): StoredObject =>
  objectOf(name, { ...parts, meta: { namespace: "", generation: 1, ...(parts["meta"] as Json | undefined) } });
const bindingTo = (
  policyName: string,
): { readonly kind: typeof ValidatingAdmissionPolicyBindings; readonly object: StoredObject } => ({
  kind: ValidatingAdmissionPolicyBindings,
  object: cluster("bind", { spec: { policyName } }),
});

describe("a ValidatingAdmissionPolicy", () => {
  test("that a binding refers to is well", () => {
    const policy = cluster("limit", { spec: {}, status: { observedGeneration: 1 } });
    expect(diagnose(ValidatingAdmissionPolicies, policy, { items: [bindingTo("limit")] })).toMatchObject({
      is: "well",
      says: "it is enforced by ValidatingAdmissionPolicyBinding bind",
      notes: [],
    });
  });

  test("without a binding says that it is not enforced", () => {
    const policy = cluster("limit", { spec: {}, status: { observedGeneration: 1 } });
    expect(diagnose(ValidatingAdmissionPolicies, policy, { items: [bindingTo("other")] })).toMatchObject({
      is: "well",
      notes: ["it is not enforced: no binding refers to it"],
    });
  });

  test("shows the warnings about its expressions", () => {
    const warning =
      "apps/v1, Kind=Deployment: ERROR: <input>:1:8: undefined field 'replicaz'\n | object.spec.replicaz\n | .......^";
    const expressionWarnings = [{ fieldRef: "spec.validations[0].expression", warning }];
    const policy = cluster("limit", {
      spec: {},
      status: { observedGeneration: 1, typeChecking: { expressionWarnings } },
    });
    const diagnosis = diagnose(ValidatingAdmissionPolicies, policy, {});
    expect(diagnosis.is).toBe("waiting");
    expect(findingsOf(diagnosis).map(({ why }) => why)).toEqual([
      "spec.validations[0].expression: apps/v1, Kind=Deployment: ERROR: <input>:1:8: undefined field 'replicaz'",
    ]);
  });

  test("that its controller has not checked says so", () => {
    const diagnosis = diagnose(ValidatingAdmissionPolicies, cluster("limit", { spec: {} }), {
      items: [bindingTo("limit")],
    });
    expect(diagnosis.is).toBe("well");
    expect(diagnosis.verdict.evidence.unseen).toMatchObject([
      { why: "its controller has not checked it", isDecisive: false },
    ]);
  });
});

test("a MutatingAdmissionPolicy has no status to wait for", () => {
  expect(diagnose(MutatingAdmissionPolicies, cluster("defaults", { spec: {} }), {})).toMatchObject({
    is: "well",
    says: "it is stored, and no binding refers to it",
  });
});

describe("a binding of a policy", () => {
  const { object } = bindingTo("limit");

  test("without its policy enforces nothing", () => {
    const diagnosis = diagnose(ValidatingAdmissionPolicyBindings, object, {});
    expect(diagnosis.is).toBe("waiting");
    expect(findingsOf(diagnosis)).toMatchObject([
      { at: { name: "limit" }, why: "there is no such ValidatingAdmissionPolicy: the binding enforces nothing" },
    ]);
  });

  test("with its policy is well", () => {
    const items = [{ kind: ValidatingAdmissionPolicies, object: cluster("limit", { spec: {} }) }];
    expect(diagnose(ValidatingAdmissionPolicyBindings, object, { items })).toMatchObject({ is: "well" });
  });
});

describe("a ClusterRole", () => {
  const clusterRoleSelectors = [{ matchLabels: { "to-view": "true" } }];
  const other = (labels: Json): { readonly kind: typeof ClusterRoles; readonly object: StoredObject } => ({
    kind: ClusterRoles,
    object: cluster("other", { meta: { labels } }),
  });

  test("that holds rules is only stored", () => {
    expect(diagnose(ClusterRoles, cluster("admin", { rules: [] }), {})).toMatchObject({
      is: "well",
      says: "it is stored, and no controller has to act on it",
    });
  });

  test("that aggregates others is well if there are any", () => {
    const view = cluster("view", { aggregationRule: { clusterRoleSelectors } });
    expect(diagnose(ClusterRoles, view, { items: [other({ "to-view": "true" })] })).toMatchObject({
      is: "well",
      says: "it has the rules of 1 other ClusterRole",
    });
    const diagnosis = diagnose(ClusterRoles, view, { items: [other({})] });
    expect(diagnosis.is).toBe("waiting");
    expect(findingsOf(diagnosis).map(({ why }) => why)).toEqual([
      "its aggregationRule selects no other ClusterRole, so it grants nothing",
    ]);
  });
});
