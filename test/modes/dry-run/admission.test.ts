import { describe, expect, test } from "bun:test";
import { objectKey } from "../../../src/api/key.ts";
import type { StoredObject } from "../../../src/api/object.ts";
import { admissionNotes } from "../../../src/modes/dry-run/admission.ts";
import { loadApiData } from "../../../src/api/wire/load.ts";
import { resourceRegistryOf } from "../../../src/sandbox/registry/resource.ts";
import type { WriteEvent } from "../../../src/trace/events.ts";
import type { KindName } from "../../../src/trace/names.ts";
import { entryName, kindNameOf, type State } from "../../../src/views/state.ts";

const registry = resourceRegistryOf(await loadApiData());
const pluralOf = (of: KindName): string =>
  registry.resources.find(({ group, kind }) => group === of.group && kind === of.kind)?.plural ?? "";

function stored(
  apiVersion: string,
  kind: string,
  name: string,
  more: object = {},
  namespace?: string,
  labels = {},
): StoredObject {
  const metadata = {
    name,
    uid: name,
    resourceVersion: "1",
    creationTimestamp: "",
    labels,
    ...(namespace !== undefined && { namespace }),
  };
  return { apiVersion, kind, metadata, ...more };
}

function stateOf(objects: readonly StoredObject[]): State {
  return new Map(
    objects.map((object) => {
      const of = kindNameOf(object.apiVersion ?? "", object.kind ?? "");
      const key = objectKey(object.metadata.namespace, object.metadata.name);
      return [entryName(of, key), { of, key, object }];
    }),
  );
}

function write(verb: WriteEvent["verb"], group: string, kind: string, key: string, subresource?: string): WriteEvent {
  return {
    stage: "write",
    verb,
    of: { group, kind },
    key,
    ...(subresource !== undefined && { subresource }),
  } as WriteEvent;
}

const cluster = [
  stored("v1", "Namespace", "shop", {}, undefined, { team: "a" }),
  stored("apps/v1", "Deployment", "web", {}, "shop", { app: "web" }),
  stored("v1", "Pod", "web-1", {}, "shop", { app: "web" }),
];
const writes = [
  write("patch", "apps", "Deployment", "shop/web"),
  write("update", "apps", "Deployment", "shop/web", "status"),
  write("create", "", "Pod", "shop/web-1"),
];

const rules = (groups: string, resources: string, operations = "*", scope = "*"): readonly object[] => [
  { apiGroups: [groups], apiVersions: ["v1"], operations: [operations], resources: [resources], scope },
];

const webhooks: readonly { readonly name: string; readonly webhook: object; readonly says: string }[] = [
  {
    name: "everything",
    webhook: { rules: rules("*", "*/*") },
    says: "would be called for update Deployment, update Deployment/status, create Pod",
  },
  {
    name: "every resource without subresources",
    webhook: { rules: rules("*", "*") },
    says: "would be called for update Deployment, create Pod",
  },
  { name: "one resource", webhook: { rules: rules("", "pods") }, says: "would be called for create Pod" },
  { name: "another group", webhook: { rules: rules("batch", "pods") }, says: "" },
  {
    name: "its subresource",
    webhook: { rules: rules("apps", "deployments/status") },
    says: "would be called for update Deployment/status",
  },
  { name: "one operation", webhook: { rules: rules("*", "*", "CREATE") }, says: "would be called for create Pod" },
  { name: "cluster-scoped resources", webhook: { rules: rules("*", "*", "*", "Cluster") }, says: "" },
  {
    name: "namespaces by label",
    webhook: { rules: rules("", "pods"), namespaceSelector: { matchLabels: { team: "b" } } },
    says: "",
  },
  {
    name: "objects by label",
    webhook: { rules: rules("*", "*"), objectSelector: { matchLabels: { app: "web" } } },
    says: "would be called for update Deployment, create Pod",
  },
  {
    name: "with conditions",
    webhook: { rules: rules("", "pods"), matchConditions: [{}] },
    says: "may be called for (its matchConditions are not evaluated) create Pod",
  },
];

describe("webhooks that are not called are named with the requests for which they would be", () => {
  for (const { name, webhook, says } of webhooks) {
    test(name, () => {
      const configuration = stored("admissionregistration.k8s.io/v1", "ValidatingWebhookConfiguration", "guard", {
        webhooks: [{ name: "guard.example.com", failurePolicy: "Ignore", ...webhook }],
      });
      const state = stateOf([...cluster, configuration]);
      const notes = admissionNotes(writes, { before: state, after: state, pluralOf });
      const text = `not called here: ValidatingWebhookConfiguration guard (guard.example.com) ${says}`;
      expect(notes).toEqual(says === "" ? [] : [{ text }]);
    });
  }
});

describe("admission policies", () => {
  const policy = stored("admissionregistration.k8s.io/v1", "ValidatingAdmissionPolicy", "few", {
    spec: {
      matchConstraints: {
        resourceRules: rules("apps", "deployments"),
        excludeResourceRules: rules("apps", "deployments", "DELETE"),
      },
    },
  });
  const binding = (spec: object): StoredObject =>
    stored("admissionregistration.k8s.io/v1", "ValidatingAdmissionPolicyBinding", "few", {
      spec: { policyName: "few", ...spec },
    });
  const notesWith = (...objects: readonly StoredObject[]): readonly string[] => {
    const state = stateOf([...cluster, ...objects]);
    return admissionNotes(writes, { before: state, after: state, pluralOf }).map(({ text }) => text);
  };

  test("are named if they are bound", () => {
    const note = "not evaluated here: ValidatingAdmissionPolicy few (Deny) would evaluate update Deployment";
    expect(notesWith(policy, binding({ validationActions: ["Deny"] }))).toEqual([note]);
  });

  test("are not mentioned without a binding, or if the binding is for others", () => {
    expect(notesWith(policy)).toEqual([]);
    expect(
      notesWith(policy, binding({ matchResources: { namespaceSelector: { matchLabels: { team: "b" } } } })),
    ).toEqual([]);
  });
});
