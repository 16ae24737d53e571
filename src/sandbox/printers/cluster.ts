/** Tables of cluster objects: nodes, namespaces, quotas, classes, roles. Source: as workloads.ts. */
import { conditionOf } from "../meta/conditions.ts";
import { at, fieldsIn, type ApiObject } from "../meta/object.ts";
import { age, type Cells, numberAt, textAt } from "./cells.ts";

function nodeStatus(node: ApiObject): string {
  const ready = conditionOf(node, "Ready");
  const status = ready === undefined ? "Unknown" : ready["status"] === "True" ? "Ready" : "NotReady";
  return node.spec?.["unschedulable"] === true ? `${status},SchedulingDisabled` : status;
}

function rolesOf({ metadata }: ApiObject): string {
  const prefix = "node-role.kubernetes.io/";
  const roles = Object.entries(metadata.labels ?? {}).flatMap(([key, value]) =>
    key.startsWith(prefix) ? [key.slice(prefix.length)] : key === "kubernetes.io/role" ? [value] : [],
  );
  const named = new Set(roles.filter((role) => role !== ""));
  return named.size === 0 ? "<none>" : [...named].sort().join(",");
}

function addressOf(node: ApiObject, type: string): string {
  const found = fieldsIn(node.status?.["addresses"]).find((address) => address["type"] === type);
  return textAt(found, ["address"], "<none>");
}

const node: Cells = (object, now) => {
  const info = (field: string, otherwise: string): string => textAt(object, ["status", "nodeInfo", field], otherwise);
  const architecture = info("architecture", "");
  return [
    object.metadata.name,
    nodeStatus(object),
    rolesOf(object),
    age(object, now),
    info("kubeletVersion", ""),
    addressOf(object, "InternalIP"),
    addressOf(object, "ExternalIP"),
    info("osImage", "<unknown>"),
    `${info("kernelVersion", "<unknown>")}${architecture === "" ? "" : ` (${architecture})`}`,
    info("containerRuntimeVersion", "<unknown>"),
  ];
};

function quotaText(quota: ApiObject, what: "requests" | "limits"): string {
  const hard = (quota.status?.["hard"] ?? {}) as Record<string, string>;
  const used = (quota.status?.["used"] ?? {}) as Record<string, string>;
  return Object.keys(hard)
    .sort()
    .filter((name) => name.startsWith("limits.") === (what === "limits"))
    .map((name) => `${name}: ${used[name] ?? "0"}/${hard[name]}`)
    .join(", ");
}

const binding: Cells = (object, now) => {
  const subjects = (kind: string): string =>
    fieldsIn(object["subjects"])
      .filter((subject) => subject["kind"] === kind)
      .map((subject) => {
        const name = textAt(subject, ["name"], "");
        return kind === "ServiceAccount" ? `${textAt(subject, ["namespace"], "")}/${name}` : name;
      })
      .join(", ");
  return [
    object.metadata.name,
    `${textAt(object, ["roleRef", "kind"], "")}/${textAt(object, ["roleRef", "name"], "")}`,
    age(object, now),
    subjects("User"),
    subjects("Group"),
    subjects("ServiceAccount"),
  ];
};

const countOf = (value: unknown): number =>
  typeof value === "object" && value !== null ? Object.keys(value).length : 0;

const limited = (object: ApiObject, ...path: readonly string[]): unknown =>
  at(object, "spec", "limited", ...path) ?? "<none>";

/** By storage name. */
export const clusterTables: Readonly<Record<string, Cells>> = {
  nodes: node,
  namespaces: (object, now) => [object.metadata.name, textAt(object, ["status", "phase"], ""), age(object, now)],
  configmaps: (object, now) => [
    object.metadata.name,
    countOf(object["data"]) + countOf(object["binaryData"]),
    age(object, now),
  ],
  secrets: (object, now) => [
    object.metadata.name,
    textAt(object, ["type"], ""),
    countOf(object["data"]),
    age(object, now),
  ],
  resourcequotas: (object, now) => [
    object.metadata.name,
    quotaText(object, "requests"),
    quotaText(object, "limits"),
    age(object, now),
  ],
  "leases.coordination.k8s.io": (object, now) => [
    object.metadata.name,
    textAt(object, ["spec", "holderIdentity"], ""),
    age(object, now),
  ],
  "priorityclasses.scheduling.k8s.io": (object, now) => [
    object.metadata.name,
    numberAt(object, "value"),
    object["globalDefault"] === true,
    age(object, now),
    textAt(object, ["preemptionPolicy"], ""),
  ],
  "runtimeclasses.node.k8s.io": (object, now) => [
    object.metadata.name,
    textAt(object, ["handler"], ""),
    age(object, now),
  ],
  "rolebindings.rbac.authorization.k8s.io": binding,
  "clusterrolebindings.rbac.authorization.k8s.io": binding,
  "flowschemas.flowcontrol.apiserver.k8s.io": (object, now) => {
    const dangling = fieldsIn(object.status?.["conditions"]).find(({ type }) => type === "Dangling");
    return [
      object.metadata.name,
      textAt(object, ["spec", "priorityLevelConfiguration", "name"], ""),
      numberAt(object, "spec", "matchingPrecedence"),
      textAt(object, ["spec", "distinguisherMethod", "type"], "<none>"),
      age(object, now),
      textAt(dangling, ["status"], "?"),
    ];
  },
  "prioritylevelconfigurations.flowcontrol.apiserver.k8s.io": (object, now) => [
    object.metadata.name,
    textAt(object, ["spec", "type"], ""),
    limited(object, "nominalConcurrencyShares"),
    limited(object, "limitResponse", "queuing", "queues"),
    limited(object, "limitResponse", "queuing", "handSize"),
    limited(object, "limitResponse", "queuing", "queueLengthLimit"),
    age(object, now),
  ],
};
