/**
 * Tables: what `kubectl get` shows. The columns come from `api.json`; the cells of the kinds that people look at most are made
 * as the real server makes them. Source: kubernetes v1.36 pkg/printers/internalversion/printers.go.
 */
import { ageOf } from "./age.ts";
import type { Format } from "./encoding.ts";
import { partialOf } from "./encoding.ts";
import { at, fieldsIn, isFields, type ApiObject, type Fields } from "./object.ts";
import type { Resource } from "./registry/resource.ts";
import type { Entry } from "./store/entry.ts";
import { podCells } from "./table-pod.ts";

/** The cells behind the name, as far as they are known; the rest is empty. */
export type Cells = (object: ApiObject, now: number) => unknown[];

const number = (object: unknown, ...path: readonly string[]): number => {
  const value = at(object, ...path);
  return typeof value === "number" ? value : 0;
};

const age = ({ metadata }: ApiObject, now: number): string => ageOf(metadata.creationTimestamp, now);

/** `a=b,c=d`, or `<none>`. */
function labelsText(labels: unknown): string {
  if (!isFields(labels) || Object.keys(labels).length === 0) return "<none>";
  return Object.keys(labels)
    .sort()
    .map((key) => `${key}=${String(labels[key])}`)
    .join(",");
}

/** Names and images of a template's containers, and its selector: the wide columns of workloads. */
function templateCells(object: ApiObject): string[] {
  const containers = fieldsIn(at(object, "spec", "template", "spec", "containers"));
  const selector = at(object, "spec", "selector", "matchLabels") ?? at(object, "spec", "selector");
  return [
    containers.map(({ name }) => String(name)).join(","),
    containers.map(({ image }) => String(image)).join(","),
    labelsText(selector),
  ];
}

const replicaCells: Cells = (object, now) => [
  number(object, "spec", "replicas"),
  number(object, "status", "replicas"),
  number(object, "status", "readyReplicas"),
  age(object, now),
  ...templateCells(object),
];

function servicePorts(service: ApiObject): string {
  const ports = fieldsIn(service.spec?.["ports"]).map(({ port, nodePort, protocol }) =>
    nodePort === undefined
      ? `${String(port)}/${String(protocol)}`
      : `${String(port)}:${JSON.stringify(nodePort)}/${String(protocol)}`,
  );
  return ports.length === 0 ? "<none>" : ports.join(",");
}

function nodeStatus(node: ApiObject): string {
  const ready = fieldsIn(node.status?.["conditions"]).find(({ type }) => type === "Ready");
  const status = ready === undefined ? "Unknown" : ready["status"] === "True" ? "Ready" : "NotReady";
  return node.spec?.["unschedulable"] === true ? `${status},SchedulingDisabled` : status;
}

function rolesOf({ metadata }: ApiObject): string {
  const prefix = "node-role.kubernetes.io/";
  const roles = Object.keys(metadata.labels ?? {})
    .filter((key) => key.startsWith(prefix))
    .map((key) => key.slice(prefix.length));
  return roles.length === 0 ? "<none>" : roles.sort().join(",");
}

const text = (value: unknown, otherwise = "<none>"): string =>
  typeof value === "string" && value !== "" ? value : otherwise;

const cells: Readonly<Record<string, Cells>> = {
  pods: podCells,
  "replicasets.apps": replicaCells,
  replicationcontrollers: replicaCells,
  "deployments.apps": (object, now) => [
    `${number(object, "status", "readyReplicas")}/${number(object, "spec", "replicas")}`,
    number(object, "status", "updatedReplicas"),
    number(object, "status", "availableReplicas"),
    age(object, now),
    ...templateCells(object),
  ],
  "statefulsets.apps": (object, now) => [
    `${number(object, "status", "readyReplicas")}/${number(object, "spec", "replicas")}`,
    age(object, now),
    ...templateCells(object).slice(0, 2),
  ],
  namespaces: (object, now) => [text(object.status?.["phase"], ""), age(object, now)],
  configmaps: (object, now) => [
    Object.keys((object["data"] as object | undefined) ?? {}).length +
      Object.keys((object["binaryData"] as object | undefined) ?? {}).length,
    age(object, now),
  ],
  secrets: (object, now) => [
    text(object["type"], ""),
    Object.keys((object["data"] as object | undefined) ?? {}).length,
    age(object, now),
  ],
  services: (object, now) => [
    text(object.spec?.["type"], ""),
    text(object.spec?.["clusterIP"]),
    object.spec?.["type"] === "LoadBalancer" ? "<pending>" : text(object.spec?.["externalName"]),
    servicePorts(object),
    age(object, now),
    labelsText(object.spec?.["selector"]),
  ],
  nodes: (object, now) => [
    nodeStatus(object),
    rolesOf(object),
    age(object, now),
    text(at(object, "status", "nodeInfo", "kubeletVersion"), ""),
  ],
  "leases.coordination.k8s.io": (object, now) => [text(object.spec?.["holderIdentity"], ""), age(object, now)],
  "jobs.batch": (object, now) => [
    jobStatus(object),
    `${number(object, "status", "succeeded")}/${number(object, "spec", "completions") || 1}`,
    at(object, "status", "startTime") === undefined ? "" : ageOf(at(object, "status", "startTime"), now),
    age(object, now),
    ...templateCells(object),
  ],
  resourcequotas: (object, now) => [quotaText(object, "requests"), quotaText(object, "limits"), age(object, now)],
};

function jobStatus(job: ApiObject): string {
  const is = (type: string): boolean =>
    fieldsIn(job.status?.["conditions"]).some(
      (condition) => condition["type"] === type && condition["status"] === "True",
    );
  if (is("Complete")) return "Complete";
  if (is("Failed")) return "Failed";
  return is("Suspended") ? "Suspended" : job.metadata.deletionTimestamp === undefined ? "Running" : "Terminating";
}

function quotaText(quota: ApiObject, what: "requests" | "limits"): string {
  const hard = (quota.status?.["hard"] ?? {}) as Record<string, string>;
  const used = (quota.status?.["used"] ?? {}) as Record<string, string>;
  return Object.keys(hard)
    .sort()
    .filter((name) => name.startsWith("limits.") === (what === "limits"))
    .map((name) => `${name}: ${used[name] ?? "0"}/${hard[name]}`)
    .join(", ");
}

interface Column {
  readonly name: string;
  readonly type: string;
  readonly format: string;
  readonly description: string;
  readonly priority: number;
}

function columnsOf(resource: Resource): Column[] {
  return (resource.data.columns ?? ["Name|string|name|0"]).map((column) => {
    const [name = "", type = "", format = "", priority = "0"] = column.split("|");
    return { name, type, format, description: name, priority: Number(priority) };
  });
}

function rowOf(resource: Resource, columns: readonly Column[], object: ApiObject, now: number): Fields {
  const own = cells[resource.storage]?.(object, now) ?? [];
  const row = columns.map((column, index) => {
    if (index === 0) return object.metadata.name;
    if (index <= own.length) return own[index - 1];
    return column.name === "Age" || column.name === "Created At" ? age(object, now) : "";
  });
  return { cells: row, object: partialOf(object) };
}

/** A table of objects, as JSON. */
export function tableText(resource: Resource, entries: readonly Entry[], metadata: object, now: number): string {
  const columns = columnsOf(resource);
  return JSON.stringify({
    kind: "Table",
    apiVersion: "meta.k8s.io/v1",
    metadata,
    columnDefinitions: columns,
    rows: entries.map(({ object }) => rowOf(resource, columns, object, now)),
  });
}

/** Objects as tables of one row. */
export function tableFormat(resource: Resource, now: () => number): Format {
  return {
    // Ages differ from watch to watch: the name keeps them apart by the second.
    name: `table${Math.floor(now() / 1000)}`,
    text: (entry) => tableText(resource, [entry], { resourceVersion: String(entry.revision) }, now()),
    headLength: 0,
  };
}
