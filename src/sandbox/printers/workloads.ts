/** Tables of workloads. Source: kubernetes v1.36 pkg/printers/internalversion/printers.go. */
import { parseTime } from "../../api/time.ts";
import { at, fieldsIn, isFields, type ApiObject, type Fields } from "../meta/object.ts";
import { ageOf, humanDuration } from "./age.ts";
import { age, type Cells, containerCells, isTrue, labelsText, numberAt, selectorText, textAt } from "./cells.ts";
import { podCells } from "./pods.ts";

const containersOf = (object: ApiObject, ...above: readonly string[]): readonly [string, string] =>
  containerCells(at(object, "spec", ...above, "template", "spec", "containers"));

const replicas =
  (selector: (selector: unknown) => string): Cells =>
  (object, now) => [
    object.metadata.name,
    numberAt(object, "spec", "replicas"),
    numberAt(object, "status", "replicas"),
    numberAt(object, "status", "readyReplicas"),
    age(object, now),
    ...containersOf(object),
    selector(object.spec?.["selector"]),
  ];

const readyOfDesired = (object: ApiObject): string =>
  `${numberAt(object, "status", "readyReplicas")}/${numberAt(object, "spec", "replicas")}`;

const deployment: Cells = (object, now) => [
  object.metadata.name,
  readyOfDesired(object),
  numberAt(object, "status", "updatedReplicas"),
  numberAt(object, "status", "availableReplicas"),
  age(object, now),
  ...containersOf(object),
  selectorText(object.spec?.["selector"]),
];

const daemonSet: Cells = (object, now) => [
  object.metadata.name,
  ...[
    "desiredNumberScheduled",
    "currentNumberScheduled",
    "numberReady",
    "updatedNumberScheduled",
    "numberAvailable",
  ].map((field) => numberAt(object, "status", field)),
  labelsText(at(object, "spec", "template", "spec", "nodeSelector")),
  age(object, now),
  ...containersOf(object),
  selectorText(object.spec?.["selector"]),
];

function completions(job: ApiObject): string {
  const succeeded = numberAt(job, "status", "succeeded");
  const wanted = job.spec?.["completions"];
  if (wanted !== undefined) return `${succeeded}/${Number(wanted)}`;
  const parallelism = numberAt(job, "spec", "parallelism");
  return parallelism > 1 ? `${succeeded}/1 of ${parallelism}` : `${succeeded}/1`;
}

function jobDuration(job: ApiObject, now: number): string {
  const [start, end] = [job.status?.["startTime"], job.status?.["completionTime"]];
  if (typeof start !== "string") return "";
  return humanDuration((typeof end === "string" ? parseTime(end) : now) - parseTime(start));
}

function jobStatus(job: ApiObject): string {
  if (isTrue(job, "Complete")) return "Complete";
  if (isTrue(job, "Failed")) return "Failed";
  if (job.metadata.deletionTimestamp !== undefined) return "Terminating";
  return ["Suspended", "FailureTarget", "SuccessCriteriaMet"].find((type) => isTrue(job, type)) ?? "Running";
}

const job: Cells = (object, now) => [
  object.metadata.name,
  jobStatus(object),
  completions(object),
  jobDuration(object, now),
  age(object, now),
  ...containersOf(object),
  selectorText(object.spec?.["selector"]),
];

const cronJob: Cells = (object, now) => [
  object.metadata.name,
  textAt(object, ["spec", "schedule"], ""),
  textAt(object, ["spec", "timeZone"], "<none>"),
  object.spec?.["suspend"] === undefined ? "<unset>" : object.spec["suspend"] === true ? "True" : "False",
  fieldsIn(object.status?.["active"]).length,
  object.status?.["lastScheduleTime"] === undefined ? "<none>" : ageOf(object.status["lastScheduleTime"], now),
  age(object, now),
  ...containersOf(object, "jobTemplate", "spec"),
  selectorText(at(object, "spec", "jobTemplate", "spec", "selector")),
];

function controllerOf({ metadata }: ApiObject): string {
  const owner = metadata.ownerReferences?.find(({ controller }) => controller === true);
  if (owner === undefined) return "<none>";
  const group = owner.apiVersion.includes("/") ? `.${owner.apiVersion.split("/")[0]}` : "";
  return `${owner.kind.toLowerCase()}${group}/${owner.name}`;
}

/** `CPU: 10%/80%`, for the common types of metrics. */
function metricText(spec: Fields, status: Fields | undefined): string {
  const kind = textAt(spec, ["type"], "");
  const key = `${kind.charAt(0).toLowerCase()}${kind.slice(1)}`;
  const target = at(spec, key, "target");
  const current = at(status, key, "current");
  const named = kind === "Resource" || kind === "ContainerResource" ? `${textAt(spec, [key, "name"], "")}: ` : "";
  const average = textAt(target, ["averageValue"], "");
  if (average !== "") {
    const suffix = kind === "External" || kind === "Object" ? " (avg)" : "";
    return `${named}${textAt(current, ["averageValue"], "<unknown>")}/${average}${suffix}`;
  }
  if (named === "") return `${textAt(current, ["value"], "<unknown>")}/${textAt(target, ["value"], "")}`;
  const percent = (of: unknown, otherwise: string): string => {
    const value = at(of, "averageUtilization");
    return typeof value === "number" ? `${value}%` : otherwise;
  };
  return `${named}${percent(current, "<unknown>")}/${percent(target, "<auto>")}`;
}

function metricsText(object: ApiObject): string {
  const statuses = fieldsIn(object.status?.["currentMetrics"]);
  const oldTarget = object.spec?.["targetCPUUtilizationPercentage"];
  const specs = fieldsIn(object.spec?.["metrics"]);
  if (typeof oldTarget === "number") {
    const now = object.status?.["currentCPUUtilizationPercentage"];
    return `cpu: ${typeof now === "number" ? `${now}%` : "<unknown>"}/${oldTarget}%`;
  }
  if (specs.length === 0) return "<none>";
  const list = specs.map((spec, index) => metricText(spec, statuses[index]));
  return list.length > 2 ? `${list.slice(0, 2).join(", ")} + ${list.length - 2} more...` : list.join(", ");
}

const autoscaler: Cells = (object, now) => [
  object.metadata.name,
  `${textAt(object, ["spec", "scaleTargetRef", "kind"], "")}/${textAt(object, ["spec", "scaleTargetRef", "name"], "")}`,
  metricsText(object),
  object.spec?.["minReplicas"] === undefined ? "<unset>" : String(numberAt(object, "spec", "minReplicas")),
  numberAt(object, "spec", "maxReplicas"),
  numberAt(object, "status", "currentReplicas"),
  age(object, now),
];

const intOrText = (value: unknown): string =>
  typeof value === "string" || typeof value === "number" ? String(value) : "N/A";

const disruptionBudget: Cells = (object, now) => [
  object.metadata.name,
  intOrText(object.spec?.["minAvailable"]),
  intOrText(object.spec?.["maxUnavailable"]),
  numberAt(object, "status", "disruptionsAllowed"),
  age(object, now),
];

/** By storage name. */
export const workloadTables: Readonly<Record<string, Cells>> = {
  pods: podCells,
  "replicasets.apps": replicas(selectorText),
  replicationcontrollers: replicas(labelsText),
  "deployments.apps": deployment,
  "daemonsets.apps": daemonSet,
  "statefulsets.apps": (object, now) => [
    object.metadata.name,
    readyOfDesired(object),
    age(object, now),
    ...containersOf(object),
  ],
  "controllerrevisions.apps": (object, now) => [
    object.metadata.name,
    controllerOf(object),
    numberAt(object, "revision"),
    age(object, now),
  ],
  podtemplates: (object) => {
    const { template } = object;
    const labels = isFields(template) ? at(template, "metadata", "labels") : undefined;
    return [object.metadata.name, ...containerCells(at(template, "spec", "containers")), labelsText(labels)];
  },
  "jobs.batch": job,
  "cronjobs.batch": cronJob,
  "horizontalpodautoscalers.autoscaling": autoscaler,
  "poddisruptionbudgets.policy": disruptionBudget,
};
