/** The effect of switching off admission plugins. */
import { describe, expect, test } from "bun:test";
import { realTimeline } from "../../src/platform/real-timeline.ts";
import { seededRandom } from "../../src/platform/random.ts";
import { admissionPlugins, type AdmissionPlugin } from "../../src/sandbox/context/admission-plugins.ts";
import { createSandbox } from "../../src/sandbox/sandbox.ts";
import { sendRequest, type RequestParts, type Json } from "./support/requests.ts";

type Send = (method: string, path: string, parts?: RequestParts) => ReturnType<typeof sendRequest>;

async function without(...disabledAdmissionPlugins: string[]): Promise<Send> {
  const sandbox = await createSandbox({ timeline: realTimeline(), random: seededRandom(1), disabledAdmissionPlugins });
  const transport = sandbox.transport({ actor: "test" });
  return (method, path, parts) => sendRequest(transport, method, path, parts);
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
const signs: Partial<Record<AdmissionPlugin, (send: Send) => Promise<unknown>>> = {
  NamespaceLifecycle: async (send) => (await send("DELETE", "/api/v1/namespaces/default")).status,
  LimitRanger: async (send) => {
    await send("POST", `${core}/limitranges`, {
      body: { metadata: { name: "l" }, spec: { limits: [{ type: "Container", default: { cpu: "1" } }] } },
    });
    return ((await send("POST", `${core}/pods`, { body: pod("a") })).body["metadata"] as Json)["annotations"];
  },
  ServiceAccount: async (send) => (await send("POST", `${core}/pods`, { body: pod("a") })).body["spec"],
  TaintNodesByCondition: async (send) => (await send("POST", "/api/v1/nodes", { body: node })).body["spec"],
  PodSecurity: async (send) => {
    const labels = { "pod-security.kubernetes.io/enforce": "restricted" };
    await send("PATCH", "/api/v1/namespaces/default", {
      type: "application/merge-patch+json",
      body: { metadata: { labels } },
    });
    return (await send("POST", `${core}/pods`, { body: pod("a") })).status;
  },
  Priority: async (send) =>
    (await send("POST", `${core}/pods`, { body: pod("a", { priorityClassName: "nothing" }) })).status,
  DefaultTolerationSeconds: async (send) => (await send("POST", `${core}/pods`, { body: pod("a") })).body["spec"],
  DefaultStorageClass: async (send) => {
    await send("POST", "/apis/storage.k8s.io/v1/storageclasses", {
      body: {
        metadata: { name: "s", annotations: { "storageclass.kubernetes.io/is-default-class": "true" } },
        provisioner: "p",
      },
    });
    return (await send("POST", `${core}/persistentvolumeclaims`, { body: claim })).body["spec"];
  },
  StorageObjectInUseProtection: async (send) =>
    ((await send("POST", `${core}/persistentvolumeclaims`, { body: claim })).body["metadata"] as Json)["finalizers"],
  PersistentVolumeClaimResize: async (send) => {
    await send("POST", `${core}/persistentvolumeclaims`, { body: claim });
    await send("PATCH", `${core}/persistentvolumeclaims/c/status`, {
      type: "application/merge-patch+json",
      body: { status: { phase: "Bound" } },
    });
    const body = { spec: { resources: { requests: { storage: "2Gi" } } } };
    return (await send("PATCH", `${core}/persistentvolumeclaims/c`, { type: "application/merge-patch+json", body }))
      .status;
  },
  RuntimeClass: async (send) =>
    (await send("POST", `${core}/pods`, { body: pod("a", { runtimeClassName: "nothing" }) })).status,
  PodTopologyLabels: async (send) => {
    await send("POST", "/api/v1/nodes", { body: node });
    return ((await send("POST", `${core}/pods`, { body: pod("a", { nodeName: "n" }) })).body["metadata"] as Json)[
      "labels"
    ];
  },
  PodResizeValidator: async (send) => {
    const containers = [{ name: "c", image: "i", resources: resourceList }];
    await send("POST", `${core}/pods`, { body: pod("a", { containers, nodeName: "nowhere" }) });
    const body = { spec: { containers: [{ name: "c", resources: { requests: { cpu: "2" } } }] } };
    const type = "application/strategic-merge-patch+json";
    return (await send("PATCH", `${core}/pods/a/resize`, { type, body })).status;
  },
  NodeDeclaredFeatureValidator: async (send) => {
    const initContainers = [{ name: "d", image: "i", resources: resourceList }];
    await send("POST", "/api/v1/nodes", { body: node });
    await send("POST", `${core}/pods`, { body: pod("a", { initContainers, nodeName: "n" }) });
    const body = { spec: { initContainers: [{ name: "d", resources: { requests: { cpu: "2" } } }] } };
    const type = "application/strategic-merge-patch+json";
    return (await send("PATCH", `${core}/pods/a/resize`, { type, body })).body["message"];
  },
  ResourceQuota: async (send) => {
    await send("POST", `${core}/resourcequotas`, { body: { metadata: { name: "q" }, spec: { hard: { pods: "1" } } } });
    await send("PATCH", `${core}/resourcequotas/q/status`, {
      type: "application/merge-patch+json",
      body: { status: { hard: { pods: "0" }, used: { pods: "0" } } },
    });
    return (await send("POST", `${core}/pods`, { body: pod("a") })).status;
  },
};

describe("disabled admission plugins", () => {
  test.each(Object.entries(signs))("%s no longer acts", async (name, sign) => {
    expect(await sign(await without(name))).not.toEqual(await sign(await without()));
  });

  test("all of them can be disabled at once, and pods are stored as sent, with their defaults", async () => {
    const send = await without(...admissionPlugins);
    const { status, body } = await send("POST", "/api/v1/namespaces/nowhere/pods", { body: pod("a") });
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
