/** Kinds that are added and removed, unavailable API groups, rejected deletions. */
import type { Kind } from "../../../../src/api/kind.ts";
import type { Script, Step } from "../../suite.ts";
import type { Stage } from "../../stage.ts";
import { configMap, deleteNamespace, hasGone, letGo, tolerant, wake } from "./acts.ts";

/** Each stage has its own group, because all stages of a cluster see each other's definitions. */
function widgets({ namespace }: Stage): Kind {
  return { group: `${namespace}.example.com`, version: "v1", kind: "Widget", plural: "widgets", namespaced: true };
}

async function define(stage: Stage, versions: readonly string[] = ["v1"]): Promise<void> {
  const { group, kind, plural } = widgets(stage);
  await stage.create("customresourcedefinitions", {
    metadata: { name: `${plural}.${group}` },
    spec: {
      group,
      scope: "Namespaced",
      names: { kind, plural, singular: "widget", listKind: "WidgetList" },
      versions: versions.map((name, index) => ({
        name,
        served: true,
        storage: index === 0,
        schema: { openAPIV3Schema: { type: "object", "x-kubernetes-preserve-unknown-fields": true } },
      })),
    },
  });
  await served(stage, `/apis/${group}/${versions[0]}/namespaces/${stage.namespace}/${plural}`);
}

/** Waits until a path is served, which happens shortly after the definition is stored. */
async function served(stage: Stage, path: string): Promise<void> {
  for (let tries = 0; tries < 100; tries++) {
    const { status } = await stage.cluster.request("GET", path);
    if (status === 200) return;
    await Bun.sleep(100);
  }
  throw new Error(`${path} is not served after 10 s`);
}

const undefine = (stage: Stage): Promise<void> => {
  const { plural, group } = widgets(stage);
  return tolerant(stage.remove("customresourcedefinitions", `${plural}.${group}`));
};

const twoWidgets = (metadata: object = {}): Step => ({
  name: "define a kind and create two objects of it",
  async act(stage) {
    await define(stage);
    await stage.create(widgets(stage), {
      apiVersion: `${widgets(stage).group}/v1`,
      kind: "Widget",
      metadata: { name: "a" },
    });
    await stage.create(widgets(stage), {
      apiVersion: `${widgets(stage).group}/v1`,
      kind: "Widget",
      metadata: { name: "b", ...metadata },
    });
  },
  // Discovery shows it a moment later.
  waitMs: 2500,
});

const undefineStep: Step = { name: "delete the definition", act: undefine, waitMs: 1000 };

/** One object for all stages of a cluster, because it affects the whole cluster. */
const broken = {
  apiVersion: "apiregistration.k8s.io/v1",
  kind: "APIService",
  metadata: { name: "v1.broken.example.com" },
  spec: {
    group: "broken.example.com",
    version: "v1",
    groupPriorityMinimum: 1000,
    versionPriority: 10,
    insecureSkipTLSVerify: true,
    service: { namespace: "default", name: "nobody", port: 443 },
  },
};

const apiServices = "/apis/apiregistration.k8s.io/v1/apiservices";

/** Rejects deletions of ConfigMaps that have the label `keep`, in all namespaces. */
const policy = {
  policy: {
    apiVersion: "admissionregistration.k8s.io/v1",
    kind: "ValidatingAdmissionPolicy",
    metadata: { name: "keep" },
    spec: {
      failurePolicy: "Fail",
      matchConstraints: {
        resourceRules: [{ apiGroups: [""], apiVersions: ["v1"], resources: ["configmaps"], operations: ["DELETE"] }],
      },
      validations: [{ expression: "!('keep' in oldObject.metadata.?labels.orValue({}))", message: "it is to be kept" }],
    },
  },
  binding: {
    apiVersion: "admissionregistration.k8s.io/v1",
    kind: "ValidatingAdmissionPolicyBinding",
    metadata: { name: "keep" },
    spec: { policyName: "keep", validationActions: ["Deny"] },
  },
};
const admission = "/apis/admissionregistration.k8s.io/v1";

export const kindsThatChange: readonly Script[] = [
  {
    name: "custom resources are deleted like all others",
    steps: [twoWidgets(), deleteNamespace, undefineStep],
  },
  {
    name: "a custom resource with a finalizer",
    steps: [
      twoWidgets({ finalizers: ["example.com/hold"] }),
      deleteNamespace,
      {
        name: "remove the finalizer",
        async act(stage) {
          await wake(stage, "once");
          await letGo(stage, widgets(stage));
        },
      },
      undefineStep,
    ],
  },
  {
    name: "custom resources with two versions are deleted by one of them",
    steps: [
      {
        name: "create one with each version",
        async act(stage) {
          await define(stage, ["v1", "v1beta1"]);
          const { group } = widgets(stage);
          await stage.create(widgets(stage), { apiVersion: `${group}/v1`, kind: "Widget", metadata: { name: "a" } });
          await stage.create(
            { ...widgets(stage), version: "v1beta1" },
            { apiVersion: `${group}/v1beta1`, kind: "Widget", metadata: { name: "b" } },
          );
        },
        waitMs: 2500,
      },
      deleteNamespace,
      undefineStep,
    ],
  },
  {
    name: "a definition is deleted while its objects have finalizers",
    steps: [
      twoWidgets({ finalizers: ["example.com/hold"] }),
      deleteNamespace,
      { name: "delete the definition", act: undefine, waitMs: 1000 },
      {
        name: "remove the finalizer",
        async act(stage) {
          await wake(stage, "once");
          await letGo(stage, widgets(stage));
        },
        waitMs: 1000,
      },
    ],
  },
  {
    name: "a definition is deleted before the namespace",
    steps: [twoWidgets(), undefineStep, { ...deleteNamespace, waitMs: 1000 }],
  },
  {
    name: "a group whose server is missing does not stop the deletion of other objects, but keeps the namespace",
    notOnSandbox: "the sandbox has no aggregation",
    alone: true,
    steps: [
      { name: "create a ConfigMap", act: (stage) => stage.create("configmaps", configMap("a")) },
      {
        name: "create an APIService without a server",
        act: (stage) => stage.cluster.request("POST", apiServices, broken),
        waitMs: 3000,
      },
      deleteNamespace,
      {
        name: "delete the APIService",
        async act(stage) {
          await wake(stage, "once");
          await stage.cluster.request("DELETE", `${apiServices}/${broken.metadata.name}`);
        },
        waitMs: 3000,
        until: hasGone,
      },
    ],
  },
  {
    name: "a policy rejects some deletions",
    alone: true,
    steps: [
      {
        name: "create the policy",
        async act(stage) {
          await stage.cluster.request("POST", `${admission}/validatingadmissionpolicies`, policy.policy);
          await stage.cluster.request("POST", `${admission}/validatingadmissionpolicybindings`, policy.binding);
        },
        waitMs: 3000,
      },
      {
        name: "create a ConfigMap that the policy keeps, and a Secret",
        async act(stage) {
          await stage.create("configmaps", configMap("kept", { labels: { keep: "yes" } }));
          await stage.create("secrets", { metadata: { name: "a" } });
        },
      },
      deleteNamespace,
      {
        name: "remove the label",
        async act(stage) {
          await wake(stage, "once");
          await stage.patch("configmaps", "kept", { metadata: { labels: null } });
        },
      },
      {
        name: "delete the policy",
        async act(stage) {
          await stage.cluster.request("DELETE", `${admission}/validatingadmissionpolicybindings/keep`);
          await stage.cluster.request("DELETE", `${admission}/validatingadmissionpolicies/keep`);
        },
        until: hasGone,
      },
    ],
  },
];
