import { binding, definition, ofWidget, webhook } from "./cluster-objects.ts";
import {
  apps,
  type Broken,
  pod,
  budget,
  claim,
  condition,
  core,
  data,
  ingress,
  job,
  type Json,
  lost,
  service,
  space,
  volume,
  widget,
  widgets,
  widgetStatus,
  workload,
} from "./row.ts";

const shareOf = (app: string): Json => ({ spec: { maxUnavailable: 1, selector: { matchLabels: { app } } } });

const scaled = (name: string, target: string): Json => ({
  apiVersion: "autoscaling/v2",
  kind: "HorizontalPodAutoscaler",
  metadata: { name },
  spec: {
    scaleTargetRef: { apiVersion: "apps/v1", kind: "Deployment", name: target },
    minReplicas: 1,
    maxReplicas: 5,
    metrics: [{ type: "Resource", resource: { name: "cpu", target: { type: "Utilization", averageUtilization: 80 } } }],
  },
});

const nowhere = { service: { namespace: space, name: "nope" } };
const missing = (kind: string): Parameters<typeof binding>[2] => ({ role: [kind, "nope"] });
const request = (name: string): Json => ({
  apiVersion: "certificates.k8s.io/v1",
  kind: "CertificateSigningRequest",
  metadata: { name },
  spec: { request: certificateRequest, signerName: "example.com/signer", usages: ["client auth"] },
});

/** A request with an EC key and CN=x, created once with openssl. */
export const certificateRequest =
  "LS0tLS1CRUdJTiBDRVJUSUZJQ0FURSBSRVFVRVNULS0tLS0KTUlIRk1HNENBUUF3RERFS01BZ0dBMVVFQXd3QmVEQlpNQk1HQnlxR1NNNDlBZ0VHQ0NxR1NNNDlBd0VIQTBJQQpCSFFMd0haYzAyZ3pOZVRuUUY3ZXAwRDVKdHg2UktZK1hJeU5YQ3l0Z29MdE1VdVJ6MnJDN3lKNmpBWUVmNXp0CmZKMnZWNy9oVXgxOVIrQm1MekczL2kyZ0FEQUtCZ2dxaGtqT1BRUURBZ05IQURCRUFpQW9WZEN5K0N5OFdRRy8KSFJiNkEwS3dXbGFta2xVSHlLSk42OHNNMGRlSGVRSWdacUt4T0V0dXYvVUJTNHRjMkRMeDFvSUt2QkJJdTRMZApaTDlqYU5pUVVnOD0KLS0tLS1FTkQgQ0VSVElGSUNBVEUgUkVRVUVTVC0tLS0tCg==";

export const brokenNetwork: readonly Broken[] = [
  {
    name: "an autoscaler without metrics",
    target: "hpa/h-blind",
    objects: [scaled("h-blind", "d-fine")],
    says: /FailedGetResourceMetric/,
  },
  {
    name: "an autoscaler whose target is missing",
    target: "hpa/h-lost",
    objects: [scaled("h-lost", "nope")],
    says: /FailedGetScale/,
  },
  {
    name: "a Service that selects no pod",
    target: "svc/svc-wrong",
    objects: [service("svc-wrong", { selector: { app: "nope" } })],
    says: /no pod matches its selector: app=nope/,
  },
  {
    name: "a Service whose pods are not ready",
    target: "svc/svc-lost",
    objects: [service("svc-lost", { selector: { app: "d-lost" } })],
    says: /Pod d-lost-\S+ not scheduled/,
  },
  {
    name: "a Service whose port no container names",
    target: "svc/svc-port",
    objects: [service("svc-port", { selector: { app: "d-fine" }, ports: [{ port: 80, targetPort: "nope" }] })],
    says: /no container of its pods has a port named nope/,
  },
  {
    name: "a Service without a selector and endpoints",
    target: "svc/svc-bare",
    objects: [service("svc-bare", {})],
    says: /its endpoints have not been written/,
  },
  {
    name: "a Service that waits for its load balancer",
    target: "svc/svc-cloud",
    objects: [service("svc-cloud", { type: "LoadBalancer", selector: { app: "d-fine" } })],
    says: /no load balancer yet/,
  },
  {
    name: "an Ingress to a Service that is missing",
    target: "ing/i-nope",
    objects: [ingress("i-nope", { backend: "nope" })],
    says: /Service nope there is no such Service/,
  },
  {
    name: "an Ingress to a port that is missing",
    target: "ing/i-port",
    objects: [ingress("i-port", { port: 81 })],
    says: /it has no port 81/,
  },
  {
    name: "an Ingress to a Service without endpoints",
    target: "ing/i-empty",
    objects: [ingress("i-empty", { backend: "svc-wrong" })],
    says: /no pod matches its selector/,
  },
  {
    name: "an Ingress whose class is missing",
    target: "ing/i-class",
    objects: [ingress("i-class", { spec: { ingressClassName: "nope" } })],
    says: /IngressClass nope there is no such class/,
  },
  {
    name: "an Ingress whose certificate is missing",
    target: "ing/i-tls",
    objects: [ingress("i-tls", { spec: { tls: [{ secretName: "nope" }] } })],
    says: /Secret nope there is no such Secret/,
  },
  {
    name: "an Ingress that no controller has taken up",
    target: "ing/i-bare",
    objects: [ingress("i-bare")],
    says: /no ingress controller has handled it/,
  },
];

const device = (name: string, deviceClassName: string): Json => ({
  apiVersion: "resource.k8s.io/v1",
  kind: "ResourceClaim",
  metadata: { name },
  spec: { devices: { requests: [{ name: "one", exactly: { deviceClassName } }] } },
});

export const brokenStorage: readonly Broken[] = [
  {
    name: "a claim of devices whose class is missing",
    target: "resourceclaim/d-class",
    objects: [device("d-class", "nope")],
    says: /there is no such DeviceClass, but the claim requests devices from it/,
  },
  {
    name: "a pod without the template of its claim of devices",
    target: "pod/d-template",
    objects: [pod("d-template", { resourceClaims: [{ name: "gpu", resourceClaimTemplateName: "nope" }] })],
    says: /there is no such ResourceClaimTemplate, but the pod refers to it/,
  },
  {
    name: "a claim without a class, where none is the default",
    target: "pvc/c-none",
    objects: [claim("c-none")],
    says: /no StorageClass is the default/,
  },
  {
    name: "a claim whose class is missing",
    target: "pvc/c-class",
    objects: [claim("c-class", { storageClassName: "nope" })],
    says: /there is no StorageClass nope/,
  },
  {
    name: "a claim that waits for a pod",
    target: "pvc/c-waits",
    objects: [claim("c-waits", { storageClassName: "waits" })],
    says: /when a pod that uses it is scheduled/,
  },
  {
    name: "a claim whose volume is missing",
    target: "pvc/c-volume",
    objects: [claim("c-volume", { storageClassName: "", volumeName: "nope" })],
    says: /there is no volume nope/,
  },
  {
    name: "a claim that has lost its volume",
    target: "pvc/c-lost",
    objects: [
      claim(
        "c-lost",
        { storageClassName: "", volumeName: "gone" },
        { annotations: { "pv.kubernetes.io/bind-completed": "yes" } },
      ),
    ],
    says: /its volume gone does not exist/,
  },
  {
    name: "a volume whose claim is gone",
    target: "pv/v-released",
    objects: [
      volume("v-released", {
        claimRef: { namespace: space, name: "nope", uid: "00000000-0000-0000-0000-000000000001" },
      }),
    ],
    says: /its claim table\/nope was deleted/,
  },
];

export const brokenCluster: readonly Broken[] = [
  {
    phase: "by hand",
    name: "a node that is cordoned",
    target: "node/n-cordoned",
    objects: [{ ...data("Node", "n-cordoned"), spec: { unschedulable: true } }],
    afterwards: nodeIs("n-cordoned", []),
    says: /it is cordoned/,
  },
  {
    phase: "by hand",
    name: "a node that is not ready",
    target: "node/n-silent",
    objects: [data("Node", "n-silent")],
    afterwards: (hand) =>
      hand.status(
        "/api/v1/nodes/n-silent",
        condition("Ready", "False", { reason: "KubeletNotReady", message: "no network" }),
      ),
    says: /not ready: KubeletNotReady: no network/,
  },
  {
    phase: "by hand",
    name: "a node under memory pressure",
    target: "node/n-full",
    objects: [data("Node", "n-full")],
    afterwards: nodeIs("n-full", [{ type: "MemoryPressure", status: "True", reason: "Low", message: "little memory" }]),
    says: /condition MemoryPressure is True/,
  },
  {
    name: "a budget that lets no pod be evicted",
    target: "pdb/b-tight",
    objects: [budget("b-tight", "d-fine", 2)],
    says: /never allows an eviction/,
  },
  {
    name: "a budget whose pods are not healthy",
    target: "pdb/b-lost",
    objects: [budget("b-lost", "d-lost", 1)],
    says: /not scheduled/,
  },
  {
    name: "a budget that protects nothing",
    target: "pdb/b-nothing",
    objects: [budget("b-nothing", "nope", 1)],
    says: /it protects nothing/,
  },
  {
    name: "a budget whose pods cannot be counted",
    target: "pdb/b-job",
    objects: [job("j-counted", { pods: lost }), { ...budget("b-job", "j-counted", 1), ...shareOf("j-counted") }],
    says: /allows no eviction, because its pods cannot be counted: jobs\.batch does not implement the scale subresource/,
  },
  {
    name: "a quota that is used up",
    target: "quota/q-full",
    namespace: "strict",
    objects: [
      { ...data("ResourceQuota", "q-full", { namespace: "strict" }), spec: { hard: { "count/configmaps": "1" } } },
    ],
    says: /count\/configmaps: 1 of 1 used/,
  },
  {
    name: "a namespace that an object's finalizer holds",
    target: "ns/leaving",
    namespace: "",
    objects: [
      {
        ...data("ConfigMap", "held"),
        metadata: { name: "held", namespace: "leaving", finalizers: ["example.com/cleanup"] },
      },
    ],
    afterwards: (hand) => hand.remove("/api/v1/namespaces/leaving"),
    says: /ConfigMap held finalizer example\.com\/cleanup/,
  },
  {
    name: "a ConfigMap that a finalizer holds",
    target: "cm/m-held",
    objects: [data("ConfigMap", "m-held", { finalizers: ["example.com/hold"] })],
    afterwards: (hand) => hand.remove(`${core}/configmaps/m-held`),
    says: /finalizer example\.com\/hold/,
  },
  {
    name: "a ConfigMap that is deleted in the foreground, held by what it owns",
    target: "cm/m-owner",
    objects: [data("ConfigMap", "m-owner")],
    afterwards: async (hand) => {
      const uid = await hand.uidOf(`${core}/configmaps/m-owner`);
      const owner = { apiVersion: "v1", kind: "ConfigMap", name: "m-owner", uid, blockOwnerDeletion: true };
      await hand.create(
        `${core}/configmaps`,
        data("ConfigMap", "m-owned", { finalizers: ["example.com/deep"], ownerReferences: [owner] }),
      );
      await hand.remove(`${core}/configmaps/m-owner`, { propagationPolicy: "Foreground" });
    },
    says: /ConfigMap m-owned finalizer example\.com\/deep/,
  },
  {
    name: "a CRD whose names are taken",
    target: "crd/gadgets.example.com",
    objects: [definition("gadgets", "Widget")],
    says: /condition NamesAccepted is False/,
  },
  {
    name: "a validating webhook to nowhere",
    target: "validatingwebhookconfigurations/vw-nope",
    objects: [webhook("ValidatingWebhookConfiguration", "vw-nope", nowhere)],
    says: /there is no such Service in namespace table/,
  },
  {
    name: "a mutating webhook to nowhere",
    target: "mutatingwebhookconfigurations/mw-nope",
    objects: [webhook("MutatingWebhookConfiguration", "mw-nope", nowhere)],
    says: /there is no such Service in namespace table/,
  },
  {
    name: "a request for a certificate that nobody has approved",
    target: "csr/csr-open",
    objects: [request("csr-open")],
    says: /it has been neither approved nor denied/,
  },
  {
    name: "a binding of a Role that is missing",
    target: "rolebinding/rb-nope",
    objects: [binding("RoleBinding", "rb-nope", missing("Role"))],
    says: /Role nope there is no such Role/,
  },
  {
    name: "a binding of a ClusterRole that is missing",
    target: "clusterrolebinding/crb-nope",
    objects: [binding("ClusterRoleBinding", "crb-nope", missing("ClusterRole"))],
    says: /ClusterRole nope there is no such ClusterRole/,
  },
];

export const brokenWidgets: readonly Broken[] = [
  {
    name: "a custom resource that is not Ready",
    target: "widget/w-not",
    objects: [widget("w-not")],
    afterwards: widgetStatus("w-not", condition("Ready", "False", { message: "no database" })),
    says: /condition Ready is False \(Because\): no database/,
  },
  {
    name: "a custom resource whose ReconcileSuccess is False",
    target: "widget/w-fail",
    objects: [widget("w-fail")],
    afterwards: widgetStatus("w-fail", condition("ReconcileSuccess", "False")),
    says: /condition ReconcileSuccess is False/,
  },
  {
    name: "a custom resource that is Degraded",
    target: "widget/w-bad",
    objects: [widget("w-bad")],
    afterwards: widgetStatus("w-bad", condition("Degraded", "True")),
    says: /condition Degraded is True/,
  },
  {
    name: "a custom resource in phase Failed",
    target: "widget/w-phase",
    objects: [widget("w-phase")],
    afterwards: widgetStatus("w-phase", { phase: "Failed" }),
    says: /phase Failed/,
  },
  {
    name: "a custom resource with fewer replicas than it wants",
    target: "widget/w-few",
    objects: [widget("w-few", { replicas: 3 })],
    afterwards: widgetStatus("w-few", { replicas: 3, readyReplicas: 1 }),
    says: /1 of 3 replicas/,
  },
  {
    name: "a custom resource whose Deployment has no pods",
    target: "widget/w-owner",
    objects: [widget("w-owner")],
    afterwards: async (hand) => {
      await hand.status(`${widgets}/w-owner`, condition("Ready", "True"));
      const meta = await ofWidget(hand, "w-owner");
      await hand.create(
        `${apps}/deployments`,
        workload("Deployment", "w-owned", { meta, pods: { nodeSelector: { disk: "ssd" } } }),
      );
    },
    says: /Pod w-owned-\S+ not scheduled/,
  },
  {
    name: "a custom resource that owns one of a kind which its group's preferred version lacks",
    target: "widget/w-alpha",
    objects: [widget("w-alpha")],
    afterwards: async (hand) => {
      await hand.status(`${widgets}/w-alpha`, condition("Ready", "True"));
      const gizmos = `/apis/example.com/v1alpha1/namespaces/${space}/gizmos`;
      const metadata = { name: "g-alpha", ...(await ofWidget(hand, "w-alpha")) };
      await hand.create(gizmos, { apiVersion: "example.com/v1alpha1", kind: "Gizmo", metadata });
      await hand.status(`${gizmos}/g-alpha`, condition("Ready", "False", { message: "no valve" }));
    },
    says: /Gizmo g-alpha condition Ready is False \(Because\): no valve/,
  },
  {
    name: "a custom resource whose status nobody has written",
    target: "widget.example.com/w-bare",
    objects: [widget("w-bare")],
    says: /its status has not been written, and it has no known dependents/,
    cannotTell: true,
  },
  {
    name: "a custom resource with a condition of unknown meaning",
    target: "widget/w-odd",
    objects: [widget("w-odd")],
    afterwards: widgetStatus("w-odd", condition("Frobbed", "False")),
    says: /condition Frobbed is False/,
    cannotTell: true,
  },
  {
    name: "a custom resource in a phase of unknown meaning",
    target: "widget/w-phased",
    objects: [widget("w-phased")],
    afterwards: widgetStatus("w-phased", { phase: "Frobbing" }),
    says: /phase Frobbing/,
    cannotTell: true,
  },
  {
    name: "a custom resource of which a user sees nothing else",
    target: "widget/w-bare",
    as: "bob",
    says: /its status has not been written/,
    cannotTell: true,
    notSeen: /deployments\.apps.* \(no right to list\)/,
  },
];

function nodeIs(name: string, more: readonly Json[]): NonNullable<Broken["afterwards"]> {
  const ready = { type: "Ready", status: "True", reason: "KubeletReady", message: "" };
  return (hand) => hand.status(`/api/v1/nodes/${name}`, { conditions: [ready, ...more] });
}
