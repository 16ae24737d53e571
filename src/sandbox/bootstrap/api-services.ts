/**
 * An APIService for each group version that this server serves itself. None is aggregated: requests are not proxied to other servers.
 * Source: kubernetes v1.36 pkg/controlplane/apiserver/aggregator.go, cmd/kube-apiserver/app/aggregator.go,
 * pkg/controlplane/controller/crdregistration; kube-aggregator v0.36 pkg/controllers/{autoregister,status/local}.
 */
import { at, fieldsIn, textOf, type ApiObject } from "../meta/object.ts";
import type { Server } from "../context/server.ts";
import { asStarted, createMissing } from "../serving/loopback.ts";

const path = "/apis/apiregistration.k8s.io/v1/apiservices";
const managedLabel = "kube-aggregator.kubernetes.io/automanaged";

/** The priorities of a group in discovery and of its version within the group: higher comes first. */
type Priority = readonly [group: number, version: number];

const priorities: Readonly<Record<string, Priority>> = {
  v1: [18_000, 1],
  "apps/v1": [17_800, 15],
  "events.k8s.io/v1": [17_750, 15],
  "authentication.k8s.io/v1": [17_700, 15],
  "authorization.k8s.io/v1": [17_600, 15],
  "autoscaling/v1": [17_500, 15],
  "autoscaling/v2": [17_500, 30],
  "batch/v1": [17_400, 15],
  "certificates.k8s.io/v1": [17_300, 15],
  "networking.k8s.io/v1": [17_200, 15],
  "policy/v1": [17_100, 15],
  "rbac.authorization.k8s.io/v1": [17_000, 15],
  "storage.k8s.io/v1": [16_800, 15],
  "apiextensions.k8s.io/v1": [16_700, 15],
  "admissionregistration.k8s.io/v1": [16_700, 15],
  "scheduling.k8s.io/v1": [16_600, 15],
  "coordination.k8s.io/v1": [16_500, 15],
  "node.k8s.io/v1": [16_300, 15],
  "discovery.k8s.io/v1": [16_200, 15],
  "resource.k8s.io/v1": [16_200, 21],
  "flowcontrol.apiserver.k8s.io/v1": [16_100, 21],
};

/** For all kinds that CustomResourceDefinitions define. */
const custom: Priority = [1000, 100];

interface Registration {
  readonly apiVersion: string;
  readonly priority: Priority;
  /** Whether it is maintained while the server runs, or only created at startup. */
  readonly managed: "true" | "onstart";
}

const nameOf = (apiVersion: string): string => {
  const [first = "", second] = apiVersion.split("/");
  return second === undefined ? `${first}.` : `${second}.${first}`;
};

function put(server: Server, { apiVersion, priority, managed }: Registration): void {
  const [first = "", second] = apiVersion.split("/");
  const name = nameOf(apiVersion);
  createMissing(server, {
    path,
    body: {
      metadata: { name, labels: { [managedLabel]: managed } },
      spec: {
        ...(second === undefined ? { version: first } : { group: first, version: second }),
        groupPriorityMinimum: priority[0],
        versionPriority: priority[1],
      },
    },
  });
}

/** The group versions that a definition serves: `example.com/v1`. */
function servedBy(definition: ApiObject | undefined): string[] {
  const group = textOf(definition?.spec?.["group"]);
  return fieldsIn(definition?.spec?.["versions"])
    .filter(({ served }) => served === true)
    .map(({ name }) => `${group}/${textOf(name)}`);
}

/** Adds missing APIServices when they are first read, and from then on follows the definitions of custom resources. */
export function keepApiServices(server: Server): void {
  const started = asStarted(server);
  server.store.onFirstUse("apiservices.apiregistration.k8s.io", () => {
    for (const [apiVersion, priority] of Object.entries(priorities))
      put(started, { apiVersion, priority, managed: "onstart" });
    const definitions = server.store.collection("customresourcedefinitions.apiextensions.k8s.io", false);
    const servedNow = (): Set<string> => new Set([...definitions.range({})].flatMap(({ object }) => servedBy(object)));
    for (const apiVersion of servedNow()) putCustom(server, apiVersion);
    definitions.listeners.add(({ entry, previous }) => {
      const served = servedNow();
      for (const apiVersion of new Set([...servedBy(previous?.object), ...servedBy(entry.object)])) {
        if (served.has(apiVersion)) putCustom(server, apiVersion);
        else removeManaged(server, apiVersion);
      }
    });
  });
}

const putCustom = (server: Server, apiVersion: string): void =>
  put(server, { apiVersion, priority: custom, managed: "true" });

/** An APIService that a user registered with the same name stays. */
function removeManaged({ store }: Server, apiVersion: string): void {
  const services = store.collection("apiservices.apiregistration.k8s.io", false);
  const gone = services.get("", nameOf(apiVersion));
  if (gone === undefined || at(gone.object, "metadata", "labels", managedLabel) !== "true") return;
  store.remove(services, { ...gone.object, metadata: { ...gone.object.metadata } });
}
