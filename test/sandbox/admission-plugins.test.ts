/** The effect of switching off admission plugins. */
import { describe, expect, test } from "bun:test";
import { realTimeline } from "../../src/platform/real-timeline.ts";
import { seededRandom } from "../../src/platform/random.ts";
import { admissionPlugins, type AdmissionPlugin } from "../../src/sandbox/context/admission-plugins.ts";
import { createSandbox } from "../../src/sandbox/sandbox.ts";
import { ask, type Asked, type Json } from "./support/requests.ts";

type Ask = (method: string, path: string, asked?: Asked) => ReturnType<typeof ask>;

async function without(...disabledAdmissionPlugins: string[]): Promise<Ask> {
  const sandbox = await createSandbox({ timeline: realTimeline(), random: seededRandom(1), disabledAdmissionPlugins });
  const transport = sandbox.transport({ actor: "test" });
  return (method, path, asked) => ask(transport, method, path, asked);
}

const core = "/api/v1/namespaces/default";
const pod = (name: string, more: Json = {}): Json => ({
  metadata: { name },
  spec: { containers: [{ name: "c", image: "i" }], ...more },
});
const resourceList = { requests: { cpu: "1" } };
const node = { metadata: { name: "n", labels: { "topology.kubernetes.io/zone": "z" } } };
const claim = {
  metadata: { name: "c" },
  spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } },
};

/** For each plugin, a request whose result depends on whether the plugin is enabled. */
const signs: Partial<Record<AdmissionPlugin, (ask: Ask) => Promise<unknown>>> = {
  NamespaceLifecycle: async (ask) => (await ask("DELETE", "/api/v1/namespaces/default")).status,
  LimitRanger: async (ask) => {
    await ask("POST", `${core}/limitranges`, {
      body: { metadata: { name: "l" }, spec: { limits: [{ type: "Container", default: { cpu: "1" } }] } },
    });
    return ((await ask("POST", `${core}/pods`, { body: pod("a") })).body["metadata"] as Json)["annotations"];
  },
  ServiceAccount: async (ask) => (await ask("POST", `${core}/pods`, { body: pod("a") })).body["spec"],
  TaintNodesByCondition: async (ask) => (await ask("POST", "/api/v1/nodes", { body: node })).body["spec"],
  PodSecurity: async (ask) => {
    const labels = { "pod-security.kubernetes.io/enforce": "restricted" };
    await ask("PATCH", "/api/v1/namespaces/default", {
      type: "application/merge-patch+json",
      body: { metadata: { labels } },
    });
    return (await ask("POST", `${core}/pods`, { body: pod("a") })).status;
  },
  Priority: async (ask) =>
    (await ask("POST", `${core}/pods`, { body: pod("a", { priorityClassName: "nothing" }) })).status,
  DefaultTolerationSeconds: async (ask) => (await ask("POST", `${core}/pods`, { body: pod("a") })).body["spec"],
  DefaultStorageClass: async (ask) => {
    await ask("POST", "/apis/storage.k8s.io/v1/storageclasses", {
      body: {
        metadata: { name: "s", annotations: { "storageclass.kubernetes.io/is-default-class": "true" } },
        provisioner: "p",
      },
    });
    return (await ask("POST", `${core}/persistentvolumeclaims`, { body: claim })).body["spec"];
  },
  StorageObjectInUseProtection: async (ask) =>
    ((await ask("POST", `${core}/persistentvolumeclaims`, { body: claim })).body["metadata"] as Json)["finalizers"],
  PersistentVolumeClaimResize: async (ask) => {
    await ask("POST", `${core}/persistentvolumeclaims`, { body: claim });
    await ask("PATCH", `${core}/persistentvolumeclaims/c/status`, {
      type: "application/merge-patch+json",
      body: { status: { phase: "Bound" } },
    });
    const body = { spec: { resources: { requests: { storage: "2Gi" } } } };
    return (await ask("PATCH", `${core}/persistentvolumeclaims/c`, { type: "application/merge-patch+json", body }))
      .status;
  },
  RuntimeClass: async (ask) =>
    (await ask("POST", `${core}/pods`, { body: pod("a", { runtimeClassName: "nothing" }) })).status,
  PodTopologyLabels: async (ask) => {
    await ask("POST", "/api/v1/nodes", { body: node });
    return ((await ask("POST", `${core}/pods`, { body: pod("a", { nodeName: "n" }) })).body["metadata"] as Json)[
      "labels"
    ];
  },
  PodResizeValidator: async (ask) => {
    const containers = [{ name: "c", image: "i", resources: resourceList }];
    await ask("POST", `${core}/pods`, { body: pod("a", { containers, nodeName: "nowhere" }) });
    const body = { spec: { containers: [{ name: "c", resources: { requests: { cpu: "2" } } }] } };
    const type = "application/strategic-merge-patch+json";
    return (await ask("PATCH", `${core}/pods/a/resize`, { type, body })).status;
  },
  NodeDeclaredFeatureValidator: async (ask) => {
    const initContainers = [{ name: "d", image: "i", resources: resourceList }];
    await ask("POST", "/api/v1/nodes", { body: node });
    await ask("POST", `${core}/pods`, { body: pod("a", { initContainers, nodeName: "n" }) });
    const body = { spec: { initContainers: [{ name: "d", resources: { requests: { cpu: "2" } } }] } };
    const type = "application/strategic-merge-patch+json";
    return (await ask("PATCH", `${core}/pods/a/resize`, { type, body })).body["message"];
  },
  ResourceQuota: async (ask) => {
    await ask("POST", `${core}/resourcequotas`, { body: { metadata: { name: "q" }, spec: { hard: { pods: "1" } } } });
    await ask("PATCH", `${core}/resourcequotas/q/status`, {
      type: "application/merge-patch+json",
      body: { status: { hard: { pods: "0" }, used: { pods: "0" } } },
    });
    return (await ask("POST", `${core}/pods`, { body: pod("a") })).status;
  },
};

describe("disabled admission plugins", () => {
  test.each(Object.entries(signs))("%s no longer acts", async (name, sign) => {
    expect(await sign(await without(name))).not.toEqual(await sign(await without()));
  });

  test("all of them can be disabled at once, and pods are stored as sent, with their defaults", async () => {
    const ask = await without(...admissionPlugins);
    const { status, body } = await ask("POST", "/api/v1/namespaces/nowhere/pods", { body: pod("a") });
    expect(status).toBe(201);
    expect(body["spec"]).not.toHaveProperty("serviceAccountName");
    expect(body["spec"]).not.toHaveProperty("tolerations");
    expect(body["spec"]).not.toHaveProperty("priority");
  });

  test("a plugin of kube-apiserver that the sandbox does not need is accepted", async () => {
    await without("AlwaysPullImages");
  });

  test("an unknown plugin is an error", () => {
    expect(without("ServiceAcount")).rejects.toThrow(
      "Cannot disable the admission plugin ServiceAcount: there is none",
    );
  });
});
