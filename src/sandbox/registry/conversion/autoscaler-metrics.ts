/** Converts an autoscaler's metrics between `autoscaling/v1` and `v2`. Source: kubernetes v1.36 pkg/apis/autoscaling/v1/conversion.go. */
import { isFields, type Fields } from "../../meta/object.ts";

const part = (value: unknown): Fields => (isFields(value) ? value : {});

/** Without undefined fields, in order. */
function clean(fields: Fields): Fields {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined && value !== null));
}

const reference = (value: unknown): Fields => {
  const { kind = "", name = "", apiVersion } = part(value);
  return clean({ kind, name, apiVersion });
};

/** Each source under its field, the type first. */
function each(metric: Fields, convert: Readonly<Record<string, (source: Fields) => Fields>>): Fields {
  const result: Fields = { type: metric["type"] ?? "" };
  for (const key of ["object", "pods", "resource", "containerResource", "external"]) {
    const source = metric[key];
    if (isFields(source)) result[key] = convert[key]?.(source) ?? source;
  }
  return result;
}

/** For an annotation: keys in the order of Go's fields. */
export function metricToV1(metric: Fields): Fields {
  const parts = (source: Fields): { target: Fields; metric: Fields } => ({
    target: part(source["target"]),
    metric: part(source["metric"]),
  });
  const resource = (source: Fields): Fields => {
    const { target } = parts(source);
    return clean({
      name: source["name"] ?? "",
      targetAverageUtilization: target["averageUtilization"],
      targetAverageValue: target["averageValue"],
      container: source["container"],
    });
  };
  return each(metric, {
    object(source) {
      const { target, metric: id } = parts(source);
      return clean({
        target: reference(source["describedObject"]),
        metricName: id["name"] ?? "",
        targetValue: target["value"] ?? "0",
        selector: id["selector"],
        averageValue: target["averageValue"],
      });
    },
    pods(source) {
      const { target, metric: id } = parts(source);
      return clean({
        metricName: id["name"] ?? "",
        targetAverageValue: target["averageValue"] ?? "0",
        selector: id["selector"],
      });
    },
    resource,
    containerResource: resource,
    external(source) {
      const { target, metric: id } = parts(source);
      return clean({
        metricName: id["name"] ?? "",
        metricSelector: id["selector"],
        targetValue: target["value"],
        targetAverageValue: target["averageValue"],
      });
    },
  });
}

/** Converts a metric from autoscaling/v1 to v2. */
export function metricOfV1(metric: Fields): Fields {
  const resource = (source: Fields): Fields => {
    const utilization = source["targetAverageUtilization"];
    return clean({
      name: source["name"],
      container: source["container"],
      target: clean({
        type: utilization === undefined ? "AverageValue" : "Utilization",
        averageUtilization: utilization,
        averageValue: source["targetAverageValue"],
      }),
    });
  };
  const identifier = (source: Fields, selector: string): Fields =>
    clean({ name: source["metricName"] ?? "", selector: source[selector] });
  return each(metric, {
    object(source) {
      const average = source["averageValue"];
      const value = source["targetValue"];
      return {
        describedObject: reference(source["target"]),
        target: clean({
          type: average === undefined ? "Value" : "AverageValue",
          value: average !== undefined && value === "0" ? undefined : value,
          averageValue: average,
        }),
        metric: identifier(source, "selector"),
      };
    },
    pods: (source) => ({
      metric: identifier(source, "selector"),
      target: { type: "AverageValue", averageValue: source["targetAverageValue"] ?? "0" },
    }),
    resource,
    containerResource: resource,
    external: (source) => ({
      metric: identifier(source, "metricSelector"),
      target: clean({
        type: source["targetValue"] === undefined ? "AverageValue" : "Value",
        value: source["targetValue"],
        averageValue: source["targetAverageValue"],
      }),
    }),
  });
}

/** Converts a metric's current value to autoscaling/v1. */
export function metricStatusToV1(metric: Fields): Fields {
  const parts = (source: Fields): { current: Fields; metric: Fields } => ({
    current: part(source["current"]),
    metric: part(source["metric"]),
  });
  const resource = (source: Fields): Fields => {
    const { current } = parts(source);
    return clean({
      name: source["name"] ?? "",
      currentAverageUtilization: current["averageUtilization"],
      currentAverageValue: current["averageValue"] ?? "0",
      container: source["container"],
    });
  };
  return each(metric, {
    object(source) {
      const { current, metric: id } = parts(source);
      return clean({
        target: reference(source["describedObject"]),
        metricName: id["name"] ?? "",
        currentValue: current["value"] ?? "0",
        selector: id["selector"],
        averageValue: current["averageValue"],
      });
    },
    pods(source) {
      const { current, metric: id } = parts(source);
      return clean({
        metricName: id["name"] ?? "",
        currentAverageValue: current["averageValue"] ?? "0",
        selector: id["selector"],
      });
    },
    resource,
    containerResource: resource,
    external(source) {
      const { current, metric: id } = parts(source);
      return clean({
        metricName: id["name"] ?? "",
        metricSelector: id["selector"],
        currentValue: current["value"] ?? "0",
        currentAverageValue: current["averageValue"],
      });
    },
  });
}

/** Converts a metric's current value from autoscaling/v1 to v2. */
export function metricStatusOfV1(metric: Fields): Fields {
  const resource = (source: Fields): Fields =>
    clean({
      name: source["name"],
      container: source["container"],
      current: clean({
        averageUtilization: source["currentAverageUtilization"],
        averageValue: source["currentAverageValue"] ?? "0",
      }),
    });
  const identifier = (source: Fields, selector: string): Fields =>
    clean({ name: source["metricName"] ?? "", selector: source[selector] });
  return each(metric, {
    object: (source) => ({
      metric: identifier(source, "selector"),
      current: clean({ value: source["currentValue"] ?? "0", averageValue: source["averageValue"] }),
      describedObject: reference(source["target"]),
    }),
    pods: (source) => ({
      metric: identifier(source, "selector"),
      current: { averageValue: source["currentAverageValue"] ?? "0" },
    }),
    resource,
    containerResource: resource,
    external: (source) => ({
      metric: identifier(source, "metricSelector"),
      current: clean({ value: source["currentValue"] ?? "0", averageValue: source["currentAverageValue"] }),
    }),
  });
}
