/** Fields of features that are off by default. Source: kubernetes v1.36 pkg/api/pod/util.go dropDisabledFields. */
import { at, fieldsIn, isFields, type ApiObject, type Fields } from "../../../../meta/object.ts";
import { allContainers } from "./scope.ts";

const inTemplate = ["spec", "template", "spec"];

/** The path of the pod spec in each built-in kind; custom resources may have anything there. */
const podSpecs: Readonly<Record<string, readonly string[]>> = {
  pods: ["spec"],
  podtemplates: ["template", "spec"],
  replicationcontrollers: inTemplate,
  "replicasets.apps": inTemplate,
  "deployments.apps": inTemplate,
  "statefulsets.apps": inTemplate,
  "daemonsets.apps": inTemplate,
  "jobs.batch": inTemplate,
  "cronjobs.batch": ["spec", "jobTemplate", ...inTemplate],
};

/** ContainerStopSignals: if nothing else is in it, the whole `lifecycle` is dropped. */
function dropStopSignal(container: Fields): void {
  const lifecycle = container["lifecycle"];
  if (!isFields(lifecycle) || lifecycle["stopSignal"] === undefined) return;
  delete lifecycle["stopSignal"];
  if (Object.keys(lifecycle).length === 0) delete container["lifecycle"];
}

/**
 * Drops, in place, fields of GenericWorkload, ContainerStopSignals, ClusterTrustBundleProjection, PodCertificateRequest, in pods and
 * templates. `resource` is `pods` or `jobs.batch`.
 */
export function dropDisabledFields(object: ApiObject, resource: string): void {
  const path = podSpecs[resource];
  const spec = path === undefined ? undefined : at(object, ...path);
  if (!isFields(spec)) return;
  delete spec["schedulingGroup"];
  for (const { container } of allContainers({ spec, field: "" })) dropStopSignal(container);
  for (const source of fieldsIn(spec["volumes"]).flatMap((volume) => fieldsIn(at(volume, "projected", "sources")))) {
    delete source["clusterTrustBundle"];
    delete source["podCertificate"];
  }
}
