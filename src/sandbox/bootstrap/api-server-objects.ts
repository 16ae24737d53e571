/**
 * Objects that kube-apiserver creates at startup and maintains for clients that look for the API server inside the cluster. Created once:
 * deleted ones are not recreated. Source: kubernetes v1.36 pkg/controlplane/controller/kubernetesservice, pkg/controlplane/reconcilers,
 * pkg/controlplane/controller/{defaultservicecidr,clusterauthenticationtrust,legacytokentracking}.
 */
import { formatTime } from "../../api/time.ts";
import { canonicalAddress, familyOf, firstAddressIn } from "../meta/go-addresses.ts";
import { at, textOf, textsIn, type ApiObject } from "../meta/object.ts";
import { createMissing, loopbackRequest } from "../serving/loopback.ts";
import type { Server } from "../context/server.ts";

/** The Service's target port before the server listens. */
const unservedPort = 6443;

const services = "/api/v1/namespaces/default/services";
const endpoints = "/api/v1/namespaces/default/endpoints";
const slices = "/apis/discovery.k8s.io/v1/namespaces/default/endpointslices";
const systemMaps = "/api/v1/namespaces/kube-system/configmaps";
const cidrs = "/apis/networking.k8s.io/v1/servicecidrs";

const portOf = (port: number): object => ({ name: "https", protocol: "TCP", port });

const defaultName = "kubernetes";

/** Creates the Service `kubernetes` with its address, and the ConfigMap with the start of legacy token tracking, if missing. */
export function putApiServerObjects(server: Server): void {
  const now = formatTime(server.timeline.now());
  const tracking = { metadata: { name: "kube-apiserver-legacy-service-account-token-tracking" } };
  createMissing(server, { path: systemMaps, body: { ...tracking, data: { since: now.slice(0, 10) } } });
  putServiceCidr(server, now);
  keepAddresses(server);
  const metadata = { name: "kubernetes", labels: { component: "apiserver", provider: "kubernetes" } };
  const ports = [{ ...portOf(443), targetPort: unservedPort }];
  const [primary = ""] = server.serviceRanges;
  const spec = { type: "ClusterIP", clusterIP: firstAddressIn(primary), ipFamilyPolicy: "SingleStack", ports };
  createMissing(server, { path: services, body: { metadata, spec } });
}

/** Creates the ServiceCIDR, with the condition Ready. */
function putServiceCidr(server: Server, now: string): void {
  const cidr = { metadata: { name: defaultName }, spec: { cidrs: server.serviceRanges } };
  if (!createMissing(server, { path: cidrs, body: cidr })) {
    addSecondRange(server, cidr.spec);
    return;
  }
  const ready = {
    type: "Ready",
    status: "True",
    lastTransitionTime: now,
    reason: "",
    message: "Kubernetes default Service CIDR is ready",
  };
  loopbackRequest(server, {
    method: "PATCH",
    path: `${cidrs}/kubernetes/status`,
    body: { status: { conditions: [ready] } },
    by: "kubernetes-service-cidr-controller",
  });
}

/** For a single-stack state that is loaded by a dual-stack server. */
function addSecondRange(server: Server, spec: { readonly cidrs: readonly string[] }): void {
  const there = server.store.collection("servicecidrs.networking.k8s.io", false).get("", defaultName);
  if (textsIn(there?.object.spec?.["cidrs"]).length >= spec.cidrs.length) return;
  const by = "kubernetes-service-cidr-controller";
  loopbackRequest(server, { method: "PATCH", path: `${cidrs}/${defaultName}`, body: { spec }, by });
}

/** Keeps an IPAddress object for each address of a Service. */
function keepAddresses(server: Server): void {
  const addresses = server.store.collection("ipaddresses.networking.k8s.io", false);
  const addressesOf = (service: ApiObject | undefined): string[] => {
    const list = at(service, "spec", "clusterIPs");
    return textsIn(list).flatMap((address) => (address === "None" ? [] : [canonicalAddress(address)]));
  };
  server.store.collection("services", true).listeners.add(({ type, entry, previous }) => {
    const has = type === "DELETED" ? [] : addressesOf(entry.object);
    const had = addressesOf(previous?.object);
    for (const address of had.filter((old) => !has.includes(old))) {
      const gone = addresses.get("", address);
      if (gone !== undefined) server.store.remove(addresses, { ...gone.object, metadata: { ...gone.object.metadata } });
    }
    const { name, namespace } = entry.object.metadata;
    for (const address of has) {
      if (addresses.get("", address) !== undefined) continue;
      const labels = {
        "ipaddress.kubernetes.io/ip-family": familyOf(address),
        "ipaddress.kubernetes.io/managed-by": "ipallocator.k8s.io",
      };
      const spec = { parentRef: { resource: "services", namespace, name } };
      loopbackRequest(server, {
        method: "POST",
        path: "/apis/networking.k8s.io/v1/ipaddresses",
        body: { metadata: { name: address, labels }, spec },
      });
    }
  });
}

/** The address of a server and the CA of its certificate. */
export interface Served {
  /** The port on 127.0.0.1. */
  readonly port: number;
  /** PEM. */
  readonly ca: string;
}

/** Publishes inside the cluster where the server listens; call it again when that changes. */
export function announceServer(server: Server, { port, ca }: Served): void {
  const there = server.store.collection("services", true).get("default", "kubernetes");
  if (there === undefined) return;
  const ports = [{ ...portOf(443), targetPort: port }];
  loopbackRequest(server, { method: "PATCH", path: `${services}/kubernetes`, body: { spec: { ports } } });
  const put = (collection: string, plural: string, namespaced: string, object: object): void => {
    const exists = server.store.collection(plural, true).get(namespaced, textOf(at(object, "metadata", "name")));
    if (exists === undefined) loopbackRequest(server, { method: "POST", path: collection, body: object });
    else loopbackRequest(server, { method: "PATCH", path: `${collection}/${exists.name}`, body: object });
  };
  put(endpoints, "endpoints", "default", {
    metadata: { name: "kubernetes", labels: { "endpointslice.kubernetes.io/skip-mirror": "true" } },
    subsets: [{ addresses: [{ ip: "127.0.0.1" }], ports: [portOf(port)] }],
  });
  put(slices, "endpointslices.discovery.k8s.io", "default", {
    metadata: { name: "kubernetes", labels: { "kubernetes.io/service-name": "kubernetes" } },
    addressType: "IPv4",
    endpoints: [{ addresses: ["127.0.0.1"], conditions: { ready: true } }],
    ports: [portOf(port)],
  });
  put(systemMaps, "configmaps", "kube-system", {
    metadata: { name: "extension-apiserver-authentication" },
    data: { "client-ca-file": ca },
  });
}

const rootMap = "kube-root-ca.crt";
const rootNote =
  "Contains a CA bundle that can be used to verify the kube-apiserver when using internal endpoints such as the internal service IP or kubernetes.default.svc. No other usage is guaranteed across distributions of Kubernetes clusters.";

/** Publishes the root CA in all existing and future namespaces, like kube-controller-manager. */
export function keepRootCertificates(server: Server, ca: string): void {
  const namespaces = server.store.collection("namespaces", false);
  const maps = server.store.collection("configmaps", true);
  const by = "kube-controller-manager";
  const data = { "ca.crt": ca };
  const make = (namespace: string): void => {
    const metadata = { name: rootMap, annotations: { "kubernetes.io/description": rootNote } };
    const path = `/api/v1/namespaces/${namespace}/configmaps`;
    const there = maps.get(namespace, rootMap)?.object;
    // A loaded state has the previous server's.
    if (there !== undefined && at(there, "data", "ca.crt") !== ca)
      loopbackRequest(server, { method: "PATCH", path: `${path}/${rootMap}`, body: { data }, by });
    createMissing(server, { path, body: { metadata, data }, by });
  };
  for (const { name, object } of namespaces.range({})) if (object.metadata.deletionTimestamp === undefined) make(name);
  namespaces.listeners.add((change) => {
    if (change.type === "ADDED") make(change.entry.name);
  });
}
