/**
 * HorizontalPodAutoscalers as `autoscaling/v1` shows what is stored as `autoscaling/v2`: one CPU target as fields, everything else as JSON
 * in annotations. Source: kubernetes v1.36 pkg/apis/autoscaling/v1/conversion.go.
 */
import { fieldsIn, isFields, type Fields } from "../../meta/object.ts";
import { metricOfV1, metricStatusOfV1, metricStatusToV1, metricToV1 } from "./autoscaler-metrics.ts";

const prefix = "autoscaling.alpha.kubernetes.io/";
const kept = {
  metrics: `${prefix}metrics`,
  current: `${prefix}current-metrics`,
  conditions: `${prefix}conditions`,
  behavior: `${prefix}behavior`,
} as const;
const dropped = [...Object.values(kept), `${prefix}scale-down-tolerance`, `${prefix}scale-up-tolerance`];

const part = (value: unknown): Fields => (isFields(value) ? value : {});

/** Without undefined fields. */
function clean(fields: Fields): Fields {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
}

function isCpuTarget(metric: Fields): boolean {
  const resource = part(metric["resource"]);
  const { averageUtilization } = part(resource["target"]);
  return metric["type"] === "Resource" && resource["name"] === "cpu" && averageUtilization !== undefined;
}

/** The annotations without those that carry fields of other versions. */
function ownAnnotations({ annotations }: Fields): Record<string, unknown> {
  const own = { ...part(annotations) };
  for (const key of dropped) delete own[key];
  return own;
}

const scalingToGo = (rules: unknown): unknown =>
  isFields(rules)
    ? {
        StabilizationWindowSeconds: rules["stabilizationWindowSeconds"] ?? null,
        SelectPolicy: rules["selectPolicy"] ?? null,
        Policies: fieldsIn(rules["policies"]).map(({ type, value, periodSeconds }) => ({
          Type: type ?? "",
          Value: value ?? 0,
          PeriodSeconds: periodSeconds ?? 0,
        })),
        Tolerance: rules["tolerance"] ?? null,
      }
    : null;

/** Go matches field names case-insensitively. */
function read(fields: Fields, name: string): unknown {
  const key = Object.keys(fields).find((candidate) => candidate.toLowerCase() === name.toLowerCase());
  const value = key === undefined ? undefined : fields[key];
  return value === null ? undefined : value;
}

function scalingOfGo(rules: unknown): Fields | undefined {
  if (!isFields(rules)) return undefined;
  const policies = read(rules, "Policies");
  return clean({
    stabilizationWindowSeconds: read(rules, "StabilizationWindowSeconds"),
    selectPolicy: read(rules, "SelectPolicy"),
    policies:
      policies === undefined
        ? undefined
        : fieldsIn(policies).map((policy) => ({
            type: read(policy, "Type") ?? "",
            value: read(policy, "Value") ?? 0,
            periodSeconds: read(policy, "PeriodSeconds") ?? 0,
          })),
    tolerance: read(rules, "Tolerance"),
  });
}

function parsed(text: unknown): unknown {
  if (typeof text !== "string") return undefined;
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

/** Converts a stored autoscaler to `autoscaling/v1`; both sides omit `kind` and `apiVersion`. */
export function autoscalerToV1(stored: Fields): Fields {
  const { metadata, spec: storedSpec, status: storedStatus, ...rest } = stored;
  const [spec, status] = [part(storedSpec), part(storedStatus)];
  const annotations = ownAnnotations(part(metadata));
  const metrics = fieldsIn(spec["metrics"]);
  const others = metrics.filter((metric) => !isCpuTarget(metric)).map(metricToV1);
  const current = fieldsIn(status["currentMetrics"]);
  const conditions = fieldsIn(status["conditions"]);
  if (others.length > 0) annotations[kept.metrics] = JSON.stringify(others);
  if (current.length > 0) annotations[kept.current] = JSON.stringify(current.map(metricStatusToV1));
  if (isFields(spec["behavior"])) {
    const { scaleUp, scaleDown } = spec["behavior"];
    annotations[kept.behavior] = JSON.stringify({ ScaleUp: scalingToGo(scaleUp), ScaleDown: scalingToGo(scaleDown) });
  }
  if (conditions.length > 0) {
    annotations[kept.conditions] = JSON.stringify(
      conditions.map(({ type, status: is, lastTransitionTime, reason, message }) =>
        clean({ type, status: is, lastTransitionTime: lastTransitionTime ?? null, reason, message }),
      ),
    );
  }
  const target = part(part(part(metrics.find(isCpuTarget))["resource"])["target"])["averageUtilization"];
  const cpu = current.filter((m) => m["type"] === "Resource" && part(m["resource"])["name"] === "cpu");
  const used = cpu
    .map((metric) => part(part(metric["resource"])["current"])["averageUtilization"])
    .findLast((utilization) => utilization !== undefined);
  const { metrics: _metrics, behavior: _behavior, ...plainSpec } = spec;
  const { currentMetrics: _current, conditions: _conditions, ...plainStatus } = status;
  return {
    metadata: { ...part(metadata), annotations },
    spec: clean({ ...plainSpec, targetCPUUtilizationPercentage: target }),
    status: clean({ ...plainStatus, currentCPUUtilizationPercentage: used }),
    ...rest,
  };
}

const cpuMetric = (averageUtilization: unknown): Fields => ({
  type: "Resource",
  resource: { name: "cpu", target: { type: "Utilization", averageUtilization } },
});

/** Converts an autoscaler sent as `autoscaling/v1` to its stored form. */
export function autoscalerOfV1(sent: Fields): Fields {
  const { metadata, spec: sentSpec, status: sentStatus, ...rest } = sent;
  const annotations = part(part(metadata)["annotations"]);
  const { targetCPUUtilizationPercentage: target, ...spec } = part(sentSpec);
  const { currentCPUUtilizationPercentage: used, ...status } = part(sentStatus);
  const others = parsed(annotations[kept.metrics]);
  const metrics = [...fieldsIn(others).map(metricOfV1), ...(target === undefined ? [] : [cpuMetric(target)])];
  spec["metrics"] = metrics.length === 0 ? [cpuMetric(defaultUtilization)] : metrics;
  const behavior = parsed(annotations[kept.behavior]);
  if (isFields(behavior)) {
    const rules = clean({
      scaleUp: scalingOfGo(read(behavior, "ScaleUp")),
      scaleDown: scalingOfGo(read(behavior, "ScaleDown")),
    });
    if (Object.keys(rules).length > 0) spec["behavior"] = rules;
  }
  const current = parsed(annotations[kept.current]);
  if (Array.isArray(current)) status["currentMetrics"] = fieldsIn(current).map(metricStatusOfV1);
  else if (used !== undefined) {
    status["currentMetrics"] = [{ type: "Resource", resource: { name: "cpu", current: { averageUtilization: used } } }];
  }
  const conditions = parsed(annotations[kept.conditions]);
  if (Array.isArray(conditions)) status["conditions"] = conditions;
  return {
    metadata: { ...part(metadata), annotations: ownAnnotations(part(metadata)) },
    spec,
    ...(sentStatus === undefined && Object.keys(status).length === 0 ? {} : { status }),
    ...rest,
  };
}

/** The default CPU target if no other metric is set. */
const defaultUtilization = 80;
